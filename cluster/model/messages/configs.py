"""IncrementalAlterConfigs and DescribeConfigs: settings of a topic or a broker. Source: KIP-339, API keys 44 and 32."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.positional import Positional

TOPIC, BROKER = 2, 4
"""Kinds of resources that have settings here. Source: Kafka ConfigResource.Type."""
SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3
"""What may be done to one setting. Source: Kafka AlterConfigOp.OpType."""


ToldConfig: TypeAlias = tuple[str, str, int, bool, int, tuple[tuple[str, str, int], ...]]
"""A setting: (name, value, source, read only, type, synonyms). Source: 1 set for the topic, 4 of the broker's own file,
5 default; type: a `Kind`; synonyms: (name, value, source) of each place that sets it, the one that holds first.
Source: Kafka DescribeConfigsResponse.ConfigSource, ConfigType."""


class AlterConfigsRequest(Positional, kw_only=True):
    """Change these settings of one resource, all or none. Source: KIP-339, API keys 44 and 32."""

    wire_number: ClassVar[int] = 32
    resource_type: int
    """2 topic, 4 broker."""
    resource_name: str
    """Topic name, or a node id in digits."""
    changes: tuple[tuple[str, int, str | None], ...]
    """(setting, 0 set 1 delete 2 append 3 subtract, value or None) each."""
    validate_only: bool = False
    """Only say whether it could be done."""
    replaces: bool = False
    """What the request does not name takes its default again, as in AlterConfigs."""


class AlterConfigsResponse(Positional, kw_only=True):
    """Done, or why not."""

    wire_number: ClassVar[int] = 33
    error: ErrorCode = ErrorCode.NONE
    reason: str = ""
    """In words; empty without an error."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""


class DescribeConfigsRequest(Positional, kw_only=True):
    """Tell me the settings of one resource, as this broker has them applied. Source: KIP-339, API keys 44 and 32."""

    wire_number: ClassVar[int] = 34
    resource_type: int
    """2 topic, 4 broker."""
    resource_name: str
    """Topic name, or a node id in digits."""


class DescribeConfigsResponse(Positional, kw_only=True):
    """Its settings."""

    wire_number: ClassVar[int] = 35
    error: ErrorCode = ErrorCode.NONE
    reason: str = ""
    """In words; empty without an error."""
    configs: tuple[ToldConfig, ...] = ()
    """By name."""


ConfigMessage: TypeAlias = AlterConfigsRequest | AlterConfigsResponse | DescribeConfigsRequest | DescribeConfigsResponse
