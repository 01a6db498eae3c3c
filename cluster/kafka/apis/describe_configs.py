"""DescribeConfigs: settings of topics and brokers, from the broker that is asked. Source: KIP-133, KIP-226, KIP-569.

The core tells what its machines follow; what only the edge knows of a broker (where it listens, whom it serves, where
its data lies) is added here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int8, int16, int32, string
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import EachOnce, Known
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.messages.configs import ToldConfig
from cluster.model.setting_definition import Kind
from cluster.model.topic_settings import TOPIC_SETTINGS

OF_THE_FILE = 4
_WORDS = {each.synonym: each.documentation for each in TOPIC_SETTINGS.values()} | {
    name: each.documentation for name, each in TOPIC_SETTINGS.items()
}
_WORDS |= {
    "advertised.listeners": "Where clients are told to connect.",
    "auto.create.topics.enable": "Whether a topic that a client asks for, and nobody made, is made.",
    "auto.leader.rebalance.enable": "Whether leadership goes back to preferred replicas by itself.",
    "broker.heartbeat.interval.ms": "How often a broker tells the active controller that it is there.",
    "broker.id": "The number of this node.",
    "broker.rack": "Where this broker stands.",
    "broker.session.timeout.ms": "After so long a silence a broker is fenced.",
    "controller.quorum.election.timeout.ms": "So long at least a voter waits for a leader before it asks for votes.",
    "controller.quorum.fetch.timeout.ms": "After so long without an answer a voter takes the leader for gone.",
    "default.replication.factor": "Replicas of a topic whose maker does not say.",
    "delete.topic.enable": "Whether topics can be deleted.",
    "group.consumer.heartbeat.interval.ms": "How often a member of a group of the newer protocol is to come.",
    "group.consumer.session.timeout.ms": "After so long a silence a member of such a group is out.",
    "group.initial.rebalance.delay.ms": "So long an empty group waits for more members before it begins.",
    "group.max.session.timeout.ms": "The longest session that a member of a classic group may ask for.",
    "group.min.session.timeout.ms": "The shortest session that a member of a classic group may ask for.",
    "listener.security.protocol.map": "What each listener speaks.",
    "listeners": "Where this broker listens for clients.",
    "log.dirs": "Where this node keeps its logs.",
    "metadata.max.idle.interval.ms": "After so long without a change the active controller writes an empty record.",
    "node.id": "The number of this node.",
    "num.partitions": "Partitions of a topic whose maker does not say.",
    "offset.metadata.max.bytes": "So much text a consumer may leave with an offset.",
    "offsets.retention.minutes": "So long the offsets of an empty group are kept.",
    "offsets.topic.num.partitions": "Partitions of the topic that keeps groups and offsets.",
    "offsets.topic.replication.factor": "Replicas of that topic, at most as many as there are brokers.",
    "process.roles": "What this node is.",
    "replica.fetch.max.bytes": "So much a follower asks for at a time.",
    "replica.fetch.wait.max.ms": "So long a leader lets a follower wait when there is nothing new.",
    "replica.lag.time.max.ms": "A follower that is behind for so long leaves the ISR.",
    "replica.selector.class": "Who says which replica a consumer is to read from; without one it is the leader.",
    "request.timeout.ms": "So long an answer is waited for.",
    "sasl.enabled.mechanisms": "How clients may prove who they are.",
}
"""By name."""
TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
"""Types of resources. Source: Kafka ConfigResource.Type."""
_TYPES_FROM = 1


@dataclass(slots=True)
class DescribeConfigsResource:
    """A topic (2) or a broker (4), and which settings; null for all."""

    resource_type: int = int8()
    resource_name: str = string()
    configuration_keys: list[str] | None = array("string", null="0+")


@dataclass(slots=True)
class DescribeConfigsRequest:
    """Tell me these settings."""

    resources: list[DescribeConfigsResource] = array(DescribeConfigsResource)
    include_synonyms: bool = boolean()
    include_documentation: bool = boolean("3+")


@dataclass(slots=True)
class DescribeConfigsSynonym:
    """Another place that could set it."""

    name: str = string()
    value: str | None = string(null="0+")
    source: int = int8()


@dataclass(slots=True)
class DescribeConfigsResourceResult:
    """One setting of a described topic or broker."""

    name: str = string()
    value: str | None = string(null="0+")
    read_only: bool = boolean()
    config_source: int = int8(default=-1)
    is_sensitive: bool = boolean()
    synonyms: list[DescribeConfigsSynonym] = array(DescribeConfigsSynonym)
    config_type: int = int8("3+")
    documentation: str | None = string("3+", null="0+")


@dataclass(slots=True)
class DescribeConfigsResult:
    """The settings of one resource."""

    error_code: int = int16()
    error_message: str | None = string(null="0+")
    resource_type: int = int8()
    resource_name: str = string()
    configs: list[DescribeConfigsResourceResult] = array(DescribeConfigsResourceResult)


@dataclass(slots=True)
class DescribeConfigsResponse:
    """The settings with where they come from."""

    throttle_time_ms: int = int32()
    results: list[DescribeConfigsResult] = array(DescribeConfigsResult)


class DescribeConfigsExchange(EachOnce):
    """What becomes of one DescribeConfigs request."""

    __slots__ = ("_keys", "_view")

    def __init__(self, request: Request, view: BrokerView) -> None:
        resources = request.message.resources
        asked = [
            core.DescribeConfigsRequest(resource_type=each.resource_type, resource_name=each.resource_name)
            for each in resources
        ]
        keys = [each.configuration_keys for each in resources]
        super().__init__(request, asked)
        self._view = view
        self._keys = {id(each): wanted for each, wanted in zip(asked, keys, strict=True)}

    def result(
        self, asked: core.DescribeConfigsRequest, response: core.DescribeConfigsResponse
    ) -> DescribeConfigsResult:
        """Of one resource: the settings that the client wants, or all of them when it names none."""
        error = self._request.error(response.error)
        wanted = self._keys[id(asked)]
        listed = list(response.configs)
        if asked.resource_type == BROKER and listed:
            listed += _of_the_edge(self._view, asked.resource_name)
        configs = [self._config(each) for each in sorted(listed) if not wanted or each[0] in wanted]
        if asked.resource_type == BROKER and listed and self._view.settings.client_auth:
            secret = self._secret()
            configs += [secret] if not wanted or secret.name in wanted else []
        words = words_for(error, response.reason)
        return DescribeConfigsResult(error, words, asked.resource_type, asked.resource_name, configs)

    def _config(self, told: ToldConfig) -> DescribeConfigsResourceResult:
        name, value, source, is_read_only, kind, places = told
        synonyms = [DescribeConfigsSynonym(*each) for each in places]
        return DescribeConfigsResourceResult(
            name,
            value,
            is_read_only,
            source,
            is_sensitive=False,
            synonyms=synonyms if self._request.message.include_synonyms else [],
            config_type=kind,
            documentation=_WORDS.get(name) if self._request.message.include_documentation else None,
        )

    def _secret(self) -> DescribeConfigsResourceResult:
        """That there is a password, as Kafka tells it: without its value."""
        return DescribeConfigsResourceResult(
            "listener.name.sasl_plaintext.plain.sasl.jaas.config",
            None,
            read_only=True,
            config_source=OF_THE_FILE,
            is_sensitive=True,
            config_type=int(Kind.PASSWORD),
            documentation=None,
        )

    def response(self) -> DescribeConfigsResponse:
        """What the client is told, in the order in which it asked."""
        return DescribeConfigsResponse(results=self._results)


def _of_the_edge(view: BrokerView, broker: str) -> list[ToldConfig]:
    """Settings of a broker that come from where and how it was started."""
    protocol = "SASL_PLAINTEXT" if view.settings.client_auth else "PLAINTEXT"
    configs = [
        ("broker.id", broker, Kind.INT),
        ("default.replication.factor", str(view.defaults.replication_factor), Kind.INT),
        ("listener.security.protocol.map", f"{protocol}:{protocol}", Kind.STRING),
        ("node.id", broker, Kind.INT),
        ("sasl.enabled.mechanisms", "PLAIN" if view.settings.client_auth else "", Kind.LIST),
    ]
    where = next((each for node, each in view.brokers.items() if str(node) == broker), None)
    if where is not None:
        listener = f"{protocol}://{where.host}:{where.port}"
        configs += [("advertised.listeners", listener, Kind.STRING), ("listeners", listener, Kind.STRING)]
        configs += [("broker.rack", where.rack, Kind.STRING)] if where.rack is not None else []
    if broker == str(view.node_id):
        configs += [("log.dirs", view.log_dir, Kind.STRING), ("process.roles", ",".join(view.roles), Kind.LIST)]
    return [(name, value, OF_THE_FILE, True, int(kind), ((name, value, OF_THE_FILE),)) for name, value, kind in configs]


DESCRIBE_CONFIGS: Final = Api(
    32, DescribeConfigsRequest, DescribeConfigsResponse, DescribeConfigsExchange, versions="1-4", flexible="4+"
)


@dataclass(slots=True)
class ListConfigResourcesRequest:
    """Which resources of these types are there? Empty for all types."""

    resource_types: list[int] = array("int8", "1+")


@dataclass(slots=True)
class ConfigResource:
    """One resource that has settings, by name and kind."""

    resource_name: str = string()
    resource_type: int = int8("1+", default=16)


@dataclass(slots=True)
class ListConfigResourcesResponse:
    """The resources that have settings."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    config_resources: list[ConfigResource] = array(ConfigResource)


def list_config_resources(request: Request, view: BrokerView) -> ListConfigResourcesResponse:
    """Those of the types that the client wants. A type that Kafka does not have is an error for all."""
    wanted = request.message.resource_types or (TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP)
    if request.version < _TYPES_FROM:
        wanted = (CLIENT_METRICS,)
    if not set(wanted) <= {TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP}:
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    resources = [ConfigResource(name, TOPIC) for name in sorted(view.topic_names.values()) if TOPIC in wanted]
    resources += [ConfigResource(str(node), BROKER) for node in sorted(view.brokers) if BROKER in wanted]
    return ListConfigResourcesResponse(config_resources=resources)


LIST_CONFIG_RESOURCES: Final = Api(
    74,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
    Known.by(list_config_resources),
    versions="0-1",
    flexible="0+",
)
