"""Answers of the active controller that wait for their batch to commit. Source: Kafka DeferredEventQueue."""

from __future__ import annotations

from collections import deque

from msgspec.structs import replace

from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NodeId, Offset
from cluster.model.messages import (
    AllocateProducerIdsResponse,
    AlterConfigsResponse,
    AlterPartitionResponse,
    BrokerHeartbeatResponse,
    BrokerRegistrationResponse,
    CreatePartitionsResponse,
    CreateTopicResponse,
    DeleteTopicResponse,
    ElectLeadersResponse,
    ReportLogEndResponse,
)


class PendingAnswers:
    """In the order of their batches."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: deque[tuple[Offset, tuple[Send | Emit, ...]]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, end_offset: Offset, answers: tuple[Send | Emit, ...]) -> None:
        """Keep answers until everything below end_offset (exclusive) is committed."""
        self._waiting.append((end_offset, answers))

    def add_read(self, answers: tuple[Send | Emit, ...]) -> None:
        """Keep answers that changed nothing but may have read what is not committed: they wait for the last batch."""
        self._waiting.append((self._waiting[-1][0], answers))

    def release(self, high_watermark: Offset) -> list[Effect]:
        """What may be said now."""
        ready: list[Effect] = []
        while self._waiting and self._waiting[0][0] <= high_watermark:
            ready += self._waiting.popleft()[1]
        return ready

    def fail(self, leader_id: NodeId) -> list[Effect]:
        """Leadership is lost: whether the batches will commit is unknown here, so callers ask the next controller."""
        refused: list[Effect] = []
        for _, answers in self._waiting:
            refused += [_refusal(item, leader_id) for item in answers if isinstance(item, Send)]
        self._waiting.clear()
        return refused


def _refusal(answer: Send, leader_id: NodeId) -> Send:
    message = answer.message
    assert isinstance(
        message,
        BrokerRegistrationResponse
        | BrokerHeartbeatResponse
        | AlterPartitionResponse
        | CreateTopicResponse
        | ElectLeadersResponse
        | AllocateProducerIdsResponse
        | CreatePartitionsResponse
        | AlterConfigsResponse
        | DeleteTopicResponse
        | ReportLogEndResponse,
    ), "only controller answers wait for a commit"
    return Send(
        answer.target, replace(message, error=ErrorCode.NOT_CONTROLLER, leader_id=leader_id), answer.correlation
    )
