"""The table of requests: key, name, versions. Its ranges are what this codec can read and write.

Sources: Kafka's protocol guide; KIP-896 for the oldest versions that clients of today send, KIP-482 for flexible ones.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from enum import IntEnum
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

NEVER = 32_767
"""No version is flexible."""
_SCHEMA = "cluster.kafka.schema"


class ApiKey(IntEnum):
    """Kafka's number for each request."""

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_QUORUM = 55
    UPDATE_FEATURES = 57
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    UNREGISTER_BROKER = 64
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    LIST_CONFIG_RESOURCES = 74
    DESCRIBE_TOPIC_PARTITIONS = 75


class Api(Struct, dict=True, frozen=True):
    """One request with its response."""

    key: ApiKey
    """Its number."""
    first: int
    """Oldest version that is read."""
    last: int
    """Newest version that is read."""
    flexible_from: int
    """First version with compact types and tagged fields; NEVER when there is none."""

    @cached_property
    def name(self) -> str:
        """As in the protocol guide: ListOffsets."""
        return "".join(part.capitalize() for part in self.key.name.split("_"))

    def flexible(self, version: int) -> bool:
        """Whether this version has compact types and tagged fields."""
        return version >= self.flexible_from

    @property
    def versions(self) -> range:
        """All versions that are read."""
        return range(self.first, self.last + 1)

    @cached_property
    def request(self) -> Any:
        """The class of the request. Its module is imported when first asked for."""
        return getattr(importlib.import_module(f"{_SCHEMA}.{self.key.name.lower()}"), f"{self.name}Request")

    @cached_property
    def response(self) -> Any:
        """The class of the response."""
        return getattr(importlib.import_module(f"{_SCHEMA}.{self.key.name.lower()}"), f"{self.name}Response")


APIS: Final[dict[int, Api]] = {
    api.key: api
    for api in (
        Api(ApiKey.PRODUCE, 3, 13, 9),
        Api(ApiKey.FETCH, 4, 18, 12),
        Api(ApiKey.LIST_OFFSETS, 1, 10, 6),
        Api(ApiKey.METADATA, 0, 13, 9),
        Api(ApiKey.OFFSET_COMMIT, 2, 9, 8),
        Api(ApiKey.OFFSET_FETCH, 1, 9, 6),
        Api(ApiKey.FIND_COORDINATOR, 0, 6, 3),
        Api(ApiKey.JOIN_GROUP, 0, 9, 6),
        Api(ApiKey.HEARTBEAT, 0, 4, 4),
        Api(ApiKey.LEAVE_GROUP, 0, 5, 4),
        Api(ApiKey.SYNC_GROUP, 0, 5, 4),
        Api(ApiKey.DESCRIBE_GROUPS, 0, 6, 5),
        Api(ApiKey.LIST_GROUPS, 0, 5, 3),
        Api(ApiKey.SASL_HANDSHAKE, 0, 1, NEVER),
        Api(ApiKey.API_VERSIONS, 0, 4, 3),
        Api(ApiKey.CREATE_TOPICS, 2, 7, 5),
        Api(ApiKey.DELETE_TOPICS, 1, 6, 4),
        Api(ApiKey.DELETE_RECORDS, 0, 2, 2),
        Api(ApiKey.INIT_PRODUCER_ID, 0, 5, 2),
        Api(ApiKey.OFFSET_FOR_LEADER_EPOCH, 2, 4, 4),
        Api(ApiKey.DESCRIBE_CONFIGS, 1, 4, 4),
        Api(ApiKey.ALTER_CONFIGS, 0, 2, 2),
        Api(ApiKey.DESCRIBE_LOG_DIRS, 1, 4, 2),
        Api(ApiKey.SASL_AUTHENTICATE, 0, 2, 2),
        Api(ApiKey.CREATE_PARTITIONS, 0, 3, 2),
        Api(ApiKey.DELETE_GROUPS, 0, 2, 2),
        Api(ApiKey.ELECT_LEADERS, 0, 2, 2),
        Api(ApiKey.INCREMENTAL_ALTER_CONFIGS, 0, 1, 1),
        Api(ApiKey.ALTER_PARTITION_REASSIGNMENTS, 0, 1, 0),
        Api(ApiKey.LIST_PARTITION_REASSIGNMENTS, 0, 0, 0),
        Api(ApiKey.OFFSET_DELETE, 0, 0, NEVER),
        Api(ApiKey.DESCRIBE_QUORUM, 0, 2, 0),
        Api(ApiKey.UPDATE_FEATURES, 0, 2, 0),
        Api(ApiKey.DESCRIBE_CLUSTER, 0, 2, 0),
        Api(ApiKey.DESCRIBE_PRODUCERS, 0, 0, 0),
        Api(ApiKey.UNREGISTER_BROKER, 0, 0, 0),
        Api(ApiKey.CONSUMER_GROUP_HEARTBEAT, 0, 1, 0),
        Api(ApiKey.CONSUMER_GROUP_DESCRIBE, 0, 1, 0),
        Api(ApiKey.LIST_CONFIG_RESOURCES, 0, 1, 0),
        Api(ApiKey.DESCRIBE_TOPIC_PARTITIONS, 0, 0, 0),
    )
}
PRODUCE_ADVERTISED_FIRST = 0
"""Versions 0 to 2 are advertised and refused: without them librdkafka switches compression off (KAFKA-18659)."""


def advertised(keys: Iterable[int]) -> list[tuple[int, int, int]]:
    """(key, first, last) of each request in keys, by key: what ApiVersions tells a client. KeyError when unknown."""
    ranges = []
    for key in sorted(keys):
        api = APIS[key]
        first = PRODUCE_ADVERTISED_FIRST if key == ApiKey.PRODUCE else api.first
        ranges.append((int(key), first, api.last))
    return ranges
