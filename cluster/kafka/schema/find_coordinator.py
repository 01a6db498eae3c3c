"""FindCoordinator: which broker serves a group or a transactional id. API key 10."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int8, int16, int32, string


@dataclass(slots=True)
class FindCoordinatorRequest:
    """Who coordinates this key? Version 4 and later ask for many keys."""

    key: str = string("0-3")
    key_type: int = int8("1+")
    coordinator_keys: list[str] = array("string", "4+")


@dataclass(slots=True)
class Coordinator:
    """The coordinator of one key."""

    key: str = string()
    node_id: int = int32()
    host: str = string()
    port: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+")


@dataclass(slots=True)
class FindCoordinatorResponse:
    """The coordinator, or one for each key."""

    throttle_time_ms: int = int32("1+")
    error_code: int = int16("0-3")
    error_message: str | None = string("1-3", null="0+")
    node_id: int = int32("0-3")
    host: str = string("0-3")
    port: int = int32("0-3")
    coordinators: list[Coordinator] = array(Coordinator, "4+")
