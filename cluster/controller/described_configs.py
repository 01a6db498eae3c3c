"""What a topic and a broker are set to, and where that comes from. Source: Kafka ConfigHelper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cluster.controller.image import MetadataImage, TopicState
from cluster.model.errors import ErrorCode
from cluster.model.messages import DescribeConfigsRequest, DescribeConfigsResponse
from cluster.model.messages.configs import BROKER, TOPIC, ToldConfig
from cluster.model.setting_definition import Definition, Kind
from cluster.model.settings import BY_RACK, Settings
from cluster.model.topic_settings import MIN_ISR, TOPIC_SETTINGS, default_of

OF_THE_TOPIC, OF_THE_FILE, DEFAULT = 1, 4, 5
Value = bool | int | str
_MINUTE_MS = 60_000
RACK_AWARE_SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
_BROKER: Final[dict[str, tuple[Kind, Value, Callable[[Settings], Value]]]] = {
    "auto.create.topics.enable": (Kind.BOOLEAN, True, lambda run: run.auto_create_topics),
    "auto.leader.rebalance.enable": (Kind.BOOLEAN, True, lambda run: run.auto_leader_rebalance),
    "broker.heartbeat.interval.ms": (Kind.INT, 2000, lambda run: run.broker_heartbeat_interval_ms),
    "broker.session.timeout.ms": (Kind.INT, 9000, lambda run: run.broker_session_timeout_ms),
    "controller.quorum.election.timeout.ms": (Kind.INT, 1000, lambda run: run.quorum_election_timeout_ms),
    "controller.quorum.fetch.timeout.ms": (Kind.INT, 2000, lambda run: run.quorum_fetch_timeout_ms),
    "delete.topic.enable": (Kind.BOOLEAN, True, lambda _run: True),
    "group.consumer.heartbeat.interval.ms": (Kind.INT, 5000, lambda run: run.consumer_group_heartbeat_interval_ms),
    "group.consumer.session.timeout.ms": (Kind.INT, 45_000, lambda run: run.consumer_group_session_timeout_ms),
    "group.initial.rebalance.delay.ms": (Kind.INT, 3000, lambda run: run.group_initial_rebalance_delay_ms),
    "group.max.session.timeout.ms": (Kind.INT, 1_800_000, lambda run: run.group_max_session_timeout_ms),
    "group.min.session.timeout.ms": (Kind.INT, 6000, lambda run: run.group_min_session_timeout_ms),
    "metadata.max.idle.interval.ms": (Kind.INT, 500, lambda run: run.metadata_max_idle_interval_ms),
    "num.partitions": (Kind.INT, 1, lambda _run: 1),
    "offset.metadata.max.bytes": (Kind.INT, 4096, lambda run: run.offset_metadata_max_bytes),
    "offsets.retention.minutes": (Kind.INT, 10_080, lambda run: max(1, run.offsets_retention_ms // _MINUTE_MS)),
    "offsets.topic.num.partitions": (Kind.INT, 50, lambda run: run.offsets_topic_partitions),
    "offsets.topic.replication.factor": (Kind.SHORT, 3, lambda run: run.offsets_topic_replicas),
    "replica.fetch.max.bytes": (Kind.INT, 1_048_576, lambda run: run.fetch_max_bytes),
    "replica.fetch.wait.max.ms": (Kind.INT, 500, lambda run: run.replica_fetch_wait_max_ms),
    "replica.lag.time.max.ms": (Kind.LONG, 30_000, lambda run: run.replica_lag_time_max_ms),
    "replica.selector.class": (
        Kind.STRING, "", lambda run: RACK_AWARE_SELECTOR if run.replica_selector == BY_RACK else "",
    ),
    "request.timeout.ms": (Kind.INT, 30_000, lambda run: run.request_timeout_ms),
}  # fmt: skip
"""Type, Kafka's default, and what the run has."""


def describe_configs(
    image: MetadataImage, settings: Settings, request: DescribeConfigsRequest
) -> DescribeConfigsResponse:
    """The settings of a topic or of a broker as one broker has them applied."""
    if request.resource_type == TOPIC:
        topic = image.topics.get(request.resource_name)
        if topic is None:
            return DescribeConfigsResponse(error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, reason="no such topic")
        return DescribeConfigsResponse(configs=of_topic(topic, settings))
    if request.resource_type == BROKER:
        if request.resource_name == "":  # the default of all brokers, which nobody can set here
            return DescribeConfigsResponse()
        if request.resource_name not in {str(broker) for broker in image.brokers}:
            return DescribeConfigsResponse(error=ErrorCode.INVALID_REQUEST, reason="no such broker")
        return DescribeConfigsResponse(configs=of_broker(settings))
    return DescribeConfigsResponse(error=ErrorCode.INVALID_REQUEST, reason="only topics and brokers have settings here")


def own_settings(topic: TopicState) -> dict[str, str]:
    """What was set for a topic, by a record of its own or with the topic."""
    minimum = str(topic.min_insync_replicas)
    given = {} if minimum == TOPIC_SETTINGS[MIN_ISR].default else {MIN_ISR: minimum}
    return given | dict(topic.own)


def effective(topic: TopicState, settings: Settings) -> dict[str, str]:
    """Every setting of a topic, as it is now."""
    own = own_settings(topic)
    return {name: own[name] if name in own else default_of(name, settings) for name in TOPIC_SETTINGS}


def of_topic(topic: TopicState, settings: Settings) -> tuple[ToldConfig, ...]:
    """What a topic is set to; what nobody set for it is the broker's."""
    own = own_settings(topic)
    return tuple([_of_topic(setting, own.get(name), settings) for name, setting in sorted(TOPIC_SETTINGS.items())])


def _of_topic(known: Definition, own: str | None, settings: Settings) -> ToldConfig:
    behind = default_of(known.name, settings)
    places = [] if own is None else [(known.name, own, OF_THE_TOPIC)]
    if known.synonym:
        places.append((known.synonym, behind, _source(behind, known.default)))
    value, source = (places[0][1], places[0][2]) if places else (behind, DEFAULT)
    return known.name, value, source, False, int(known.kind), tuple(places)


def of_broker(settings: Settings) -> tuple[ToldConfig, ...]:
    """Those of the run that brokers of Kafka have too, by Kafka's names; none can be changed while brokers run."""
    configs = [
        (name, kind, _text(default), _text(value_in(settings))) for name, (kind, default, value_in) in _BROKER.items()
    ]
    configs += [
        (setting.synonym, setting.kind, setting.default, default_of(name, settings))
        for name, setting in TOPIC_SETTINGS.items()
        if setting.synonym
    ]
    return tuple(
        [
            (name, value, _source(value, default), True, int(kind), ((name, value, _source(value, default)),))
            for name, kind, default, value in sorted(configs)
        ]
    )


def _source(value: str, default: str) -> int:
    return DEFAULT if value == default else OF_THE_FILE


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
