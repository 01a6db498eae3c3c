"""DeleteTopics: remove topics. API key 20."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, string, uuid


@dataclass(slots=True)
class DeleteTopicState:
    """One topic, by name or by id."""

    name: str | None = string(null="0+", default=None)
    topic_id: bytes = uuid()


@dataclass(slots=True)
class DeleteTopicsRequest:
    """Remove these; by name, from version 6 on by name or id."""

    topic_names: list[str] = array("string", "0-5")
    topics: list[DeleteTopicState] = array(DeleteTopicState, "6+")
    timeout_ms: int = int32()


@dataclass(slots=True)
class DeletableTopicResult:
    """What became of one topic."""

    name: str | None = string(null="6+")
    topic_id: bytes = uuid("6+")
    error_code: int = int16()
    error_message: str | None = string("5+", null="0+", default=None)


@dataclass(slots=True)
class DeleteTopicsResponse:
    """Which were removed."""

    throttle_time_ms: int = int32()
    responses: list[DeletableTopicResult] = array(DeletableTopicResult)
