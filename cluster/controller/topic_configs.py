"""How a topic's settings are changed. Source: KIP-339, ConfigurationControlManager."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.controller.batch import Batch
from cluster.controller.described_configs import effective, own_settings
from cluster.controller.image import MetadataImage, TopicState
from cluster.controller.partition_changes import elect_for_leaderless, write_partition
from cluster.controller.state import ControllerState
from cluster.model.decision import Decision
from cluster.model.errors import ErrorCode
from cluster.model.events import TopicConfigChanged
from cluster.model.messages import (
    AlterConfigsRequest,
    AlterConfigsResponse,
)
from cluster.model.messages.configs import APPEND, DELETE, SET, SUBTRACT, TOPIC
from cluster.model.metadata_records import ConfigRecord
from cluster.model.setting_definition import Kind, elements
from cluster.model.topic_settings import MIN_ISR, TOPIC_SETTINGS, UNCLEAN, why_not

SOURCE = "KIP-339, ConfigurationControlManager.incrementalAlterConfigs"


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
    own, wanted = own_settings(state.image.topics[topic]), _wanted(state.image.topics[topic], request)
    for name in dict.fromkeys((*own, *wanted)):
        value = None if name not in wanted else TOPIC_SETTINGS[name].spelled(wanted[name])
        if value != own.get(name):
            write_config(batch, topic, name, value, before[name])
    after = effective(state.image.topics[topic], state.settings)
    if after[MIN_ISR] != before[MIN_ISR]:
        _change_min_isr(batch, topic, int(after[MIN_ISR]))
    if after[UNCLEAN] == "true" and before[UNCLEAN] != "true":
        elect_for_leaderless(batch, state.settings, "unclean elections are allowed", topic=topic)
    return AlterConfigsResponse(leader_id=state.leader_id)


def write_config(batch: Batch, topic: str, name: str, value: str | None, before: str) -> None:
    """Tell of one change and write it; None takes the default again."""
    numbers: dict[str, int | str | list[int]] = {"before": before, "after": "the default" if value is None else value}
    decision = Decision("alter_configs", True, "the setting is known and the value fits", SOURCE, numbers)
    batch.emit(TopicConfigChanged(topic=topic, config=name, value=value or "", is_default=value is None), decision)
    batch.write(ConfigRecord(topic=topic, config=name, value=value))


def _wanted(topic: TopicState, request: AlterConfigsRequest) -> dict[str, str]:
    """All that the topic is to have of its own afterwards."""
    own = {} if request.replaces else own_settings(topic)
    for name, operation, value in request.changes:
        if operation == DELETE:
            own.pop(name, None)
        elif operation == SET:
            own[name] = value or ""
        else:
            has = elements(own.get(name, TOPIC_SETTINGS[name].default))
            given = elements(value or "")
            kept = [each for each in has if operation == APPEND or each not in given]
            more = [each for each in given if operation == APPEND and each not in has]
            own[name] = ",".join([*kept, *more])
    return own


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
    topic = image.topics.get(request.resource_name)
    if topic is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no such topic"
    for name, operation, _ in request.changes:
        known = TOPIC_SETTINGS.get(name)
        if known is None:
            return ErrorCode.INVALID_CONFIG, why_not({name: ""})
        if operation in (APPEND, SUBTRACT) and known.kind is not Kind.LIST:
            return ErrorCode.INVALID_CONFIG, f"{name} is no list"
    reason = why_not(_wanted(topic, request))
    return (ErrorCode.INVALID_CONFIG, reason) if reason else (ErrorCode.NONE, "")
