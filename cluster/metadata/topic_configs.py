"""Settings of topics and brokers: which there are, and how a topic's are changed. Source: KIP-339, LogConfig."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from cluster.metadata.batch import Batch
from cluster.metadata.image import MetadataImage, TopicState
from cluster.metadata.partition_changes import elect_for_leaderless, write_partition
from cluster.metadata.state import ControllerState
from cluster.model.decision import Decision
from cluster.model.errors import ErrorCode
from cluster.model.events import TopicConfigChanged
from cluster.model.messages import (
    AlterConfigsRequest,
    AlterConfigsResponse,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
)
from cluster.model.messages.alter_configs import APPEND, BROKER, DELETE, SET, SUBTRACT, TOPIC
from cluster.model.metadata_records import ConfigRecord
from cluster.model.settings import Settings

MIN_ISR, UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"
BOOLEAN, STRING, INT, LONG = 1, 2, 3, 5
OF_THE_TOPIC, OF_THE_FILE, DEFAULT = 1, 4, 5
SOURCE = "KIP-339, ConfigurationControlManager.incrementalAlterConfigs"
Told = tuple[str, str, int, bool, int]


class _Fixed(Struct, frozen=True):
    """A setting that is what it is here."""

    value: str
    kind: int


FIXED_OF_TOPICS = {
    "cleanup.policy": _Fixed("delete", STRING),
    "compression.type": _Fixed("producer", STRING),
    "message.timestamp.type": _Fixed("CreateTime", STRING),
    "retention.bytes": _Fixed("-1", LONG),
    "retention.ms": _Fixed("-1", LONG),
}
"""Nothing is ever deleted by age or size, and batches stay as producers made them."""


def on_alter_configs(state: ControllerState, batch: Batch, request: AlterConfigsRequest) -> AlterConfigsResponse:
    """Change settings of one topic, all or none; what follows for its partitions is written in the same batch.

    Another min.insync.replicas empties the eligible leader replicas, which held all only under the old one (KIP-966).
    Where unclean elections become allowed, leaderless partitions get a leader at once; Kafka looks every five minutes
    (unclean.leader.election.interval.ms).
    """
    error, reason = judge(state.image, request)
    if error != ErrorCode.NONE or request.validate_only:
        return AlterConfigsResponse(error=error, reason=reason, leader_id=state.leader_id)
    topic = request.resource_name
    before = effective(state.image.topics[topic], state.settings)
    for name, operation, value in request.changes:
        told = None if operation == DELETE else value
        numbers: dict[str, int | str | list[int]] = {"before": before[name], "after": told or "the default"}
        decision = Decision("alter_configs", True, "the setting is known and the value fits", SOURCE, numbers)
        batch.emit(TopicConfigChanged(topic=topic, config=name, value=told or "", is_default=told is None), decision)
        batch.write(ConfigRecord(topic=topic, config=name, value=told))
    after = effective(state.image.topics[topic], state.settings)
    if after[MIN_ISR] != before[MIN_ISR]:
        _change_min_isr(batch, topic, int(after[MIN_ISR]))
    if after[UNCLEAN] == "true" and before[UNCLEAN] != "true":
        elect_for_leaderless(batch, state.settings, "unclean elections are allowed", topic=topic)
    return AlterConfigsResponse(leader_id=state.leader_id)


def _change_min_isr(batch: Batch, topic: str, minimum: int) -> None:
    for topic_partition, partition in sorted(batch.image.partitions.items()):
        if topic_partition.topic != topic:
            continue
        after = replace(
            partition,
            min_insync_replicas=min(minimum, len(partition.replicas)),
            elr=(),
            partition_epoch=partition.partition_epoch + 1,
        )
        numbers: dict[str, int | str | list[int]] = {
            "before": partition.min_insync_replicas,
            "after": after.min_insync_replicas,
            "replication_factor": len(partition.replicas),
        }
        reason = "as configured, but no more than there are replicas"
        source = "KIP-966, ReplicationControlManager.getTopicEffectiveMinIsr"
        decision = Decision("effective_min_insync_replicas", True, reason, source, numbers)
        write_partition(batch, topic_partition, after, f"{MIN_ISR} is {minimum}", False, decision)


def judge(image: MetadataImage, request: AlterConfigsRequest) -> tuple[ErrorCode, str]:
    """Whether all changes of a request may be made; the first that may not names the error.

    Source: ConfigAdminManager.preprocess, ControllerConfigurationValidator.
    """
    if request.resource_type != TOPIC:
        return ErrorCode.INVALID_REQUEST, "only settings of topics can be changed while brokers run"
    names = [name for name, _, _ in request.changes]
    if len(set(names)) != len(names):
        return ErrorCode.INVALID_REQUEST, "a setting is named twice"
    for name, operation, value in request.changes:
        if operation not in (SET, DELETE, APPEND, SUBTRACT):
            return ErrorCode.INVALID_REQUEST, f"there is no operation {operation}"
        if operation != DELETE and value is None:
            return ErrorCode.INVALID_REQUEST, f"{name} needs a value"
    if request.resource_name not in image.topics:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no such topic"
    for name, operation, value in request.changes:
        reason = _what_is_wrong(name, operation, value or "")
        if reason:
            return ErrorCode.INVALID_CONFIG, reason
    return ErrorCode.NONE, ""


def _what_is_wrong(name: str, operation: int, value: str) -> str:
    if name in FIXED_OF_TOPICS or name == "max.message.bytes":
        return f"{name} cannot be changed here"
    if name not in (MIN_ISR, UNCLEAN):
        return f"{name} is not known here"
    if operation in (APPEND, SUBTRACT):
        return f"{name} is no list"
    if operation == DELETE:
        return ""
    if name == MIN_ISR:
        fits = value.isascii() and value.isdigit() and int(value[:9]) >= 1 and len(value) <= 9
        return "" if fits else f"{MIN_ISR} is a whole number from 1 on"
    return "" if value in ("true", "false") else f"{UNCLEAN} is true or false"


def effective(topic: TopicState, settings: Settings) -> dict[str, str]:
    """What can be changed of a topic, as it is now."""
    own = topic.unclean_leader_election
    unclean = settings.unclean_leader_election if own is None else own
    return {MIN_ISR: str(topic.min_insync_replicas), UNCLEAN: "true" if unclean else "false"}


def describe_configs(
    image: MetadataImage, settings: Settings, request: DescribeConfigsRequest
) -> DescribeConfigsResponse:
    """The settings of a topic or of a broker as one broker has them applied. Source: ConfigHelper."""
    if request.resource_type == TOPIC:
        topic = image.topics.get(request.resource_name)
        if topic is None:
            return DescribeConfigsResponse(error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, reason="no such topic")
        return DescribeConfigsResponse(configs=_of_topic(topic, settings))
    if request.resource_type == BROKER:
        if request.resource_name == "":  # the default of all brokers, which nobody can set here
            return DescribeConfigsResponse()
        if request.resource_name not in {str(broker) for broker in image.brokers}:
            return DescribeConfigsResponse(error=ErrorCode.INVALID_REQUEST, reason="no such broker")
        return DescribeConfigsResponse(configs=_of_broker(settings))
    return DescribeConfigsResponse(error=ErrorCode.INVALID_REQUEST, reason="only topics and brokers have settings here")


def _of_topic(topic: TopicState, settings: Settings) -> tuple[Told, ...]:
    now = effective(topic, settings)
    of_unclean = OF_THE_TOPIC if topic.unclean_leader_election is not None else DEFAULT
    of_minimum = OF_THE_TOPIC if topic.min_insync_replicas != 1 else DEFAULT
    fixed = [(name, each.value, DEFAULT, True, each.kind) for name, each in FIXED_OF_TOPICS.items()]
    changing = [
        (MIN_ISR, now[MIN_ISR], of_minimum, False, INT),
        (UNCLEAN, now[UNCLEAN], of_unclean, False, BOOLEAN),
        ("max.message.bytes", str(settings.max_message_bytes), OF_THE_FILE, True, INT),
    ]
    return tuple(sorted([*fixed, *changing]))


def _of_broker(settings: Settings) -> tuple[Told, ...]:
    """Those of the run that brokers of Kafka have too, by Kafka's names."""
    numbers = {
        "broker.heartbeat.interval.ms": settings.broker_heartbeat_interval_ms,
        "broker.session.timeout.ms": settings.broker_session_timeout_ms,
        "controller.quorum.election.timeout.ms": settings.quorum_election_timeout_ms,
        "controller.quorum.fetch.timeout.ms": settings.quorum_fetch_timeout_ms,
        "message.max.bytes": settings.max_message_bytes,
        "replica.fetch.wait.max.ms": settings.replica_fetch_wait_max_ms,
        "replica.lag.time.max.ms": settings.replica_lag_time_max_ms,
        "request.timeout.ms": settings.request_timeout_ms,
    }
    switches = {
        "auto.leader.rebalance.enable": settings.auto_leader_rebalance,
        UNCLEAN: settings.unclean_leader_election,
    }
    told = [(name, str(value), OF_THE_FILE, True, INT) for name, value in numbers.items()]
    told += [(name, "true" if value else "false", OF_THE_FILE, True, BOOLEAN) for name, value in switches.items()]
    return tuple(sorted(told))
