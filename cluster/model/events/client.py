"""Events of clients, scripts and learners."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import UNKNOWN_OFFSET, NodeId, Offset
from cluster.model.positional import Positional


class OperationInvoked(Positional, kw_only=True):
    """A client began an operation."""

    name: ClassVar[str] = "op.invoked"
    client_id: str
    operation_id: int
    """Unique per client."""
    function: str
    """produce, consume, create_topic, delete_records, elect; init_producer_id of an idempotent producer;
    metadata of a producer that spreads its records; of one with transactions add_partitions, end_txn, and arrive of a
    request that it gave up before."""
    topic: str
    partition: int
    """-1 where the coordinator of a transaction is asked."""
    acks: int
    value: str
    """Records or arguments, cut to 200 characters."""
    keys: tuple[str, ...] = ()
    """Of the records of a produce, at most 200; empty when they have none of their own."""
    isolation: str = ""
    """read_committed of a consumer that reads nothing of transactions that are open or were aborted; else empty."""


class OperationSucceeded(Positional, kw_only=True):
    """A client got its answer."""

    name: ClassVar[str] = "op.succeeded"
    client_id: str
    operation_id: int
    """Unique per client."""
    function: str
    topic: str
    partition: int
    base_offset: Offset
    """First record; of delete_records the smallest log start of the living replicas (inclusive); -1 for neither."""
    count: int
    values: tuple[str, ...]
    """Digests of records produced or consumed, at most 200."""
    stretches: tuple[tuple[Offset, int], ...] = ()
    """Of a consume: (first offset, how many) of each run of records without a gap, in the order they came."""
    end_offset: Offset = UNKNOWN_OFFSET
    """Of a consume: where it goes on (exclusive), when it left something out behind; -1: right after these records."""


class OperationFailed(Positional, kw_only=True):
    """An operation certainly did nothing."""

    name: ClassVar[str] = "op.failed"
    client_id: str
    operation_id: int
    """Unique per client."""
    function: str
    topic: str
    partition: int
    error: int


class OperationUnknown(Positional, kw_only=True):
    """An operation may or may not have happened."""

    name: ClassVar[str] = "op.unknown"
    client_id: str
    operation_id: int
    """Unique per client."""
    function: str
    topic: str
    partition: int
    error: int
    """ErrorCode, or -1 for no answer."""


class OperationRetried(Positional, kw_only=True):
    """A client tries again."""

    name: ClassVar[str] = "op.retried"
    client_id: str
    operation_id: int
    """Unique per client."""
    error: int
    """ErrorCode that made it, or -1 for no answer."""
    attempt: int
    """From 2."""
    target: NodeId
    """Whom it asks now."""


class OperationRedirected(Positional, kw_only=True):
    """A leader sent a consumer to another replica, in its own rack. Source: KIP-392."""

    name: ClassVar[str] = "op.redirected"
    client_id: str
    operation_id: int
    """Unique per client."""
    topic: str
    partition: int
    source: NodeId
    """The leader that it had asked."""
    target: NodeId
    """The replica that it asks now, and for what comes after."""


class LessonStep(Positional, kw_only=True):
    """A lesson or script reached a step."""

    name: ClassVar[str] = "lesson.step"
    step: int
    """From 1."""
    text: str
    """The command or the title."""


class ExpectationChecked(Positional, kw_only=True):
    """A script checked an expectation."""

    name: ClassVar[str] = "lesson.checked"
    text: str
    held: bool
    seen: str
    """What was seen instead."""


class PredictionAnswered(Positional, kw_only=True):
    """A learner predicted."""

    name: ClassVar[str] = "lesson.answered"
    question: str
    answer: str
    right_answer: str
    """Computed from the trace; empty before the reveal."""


ClientEvent: TypeAlias = (
    OperationInvoked
    | OperationSucceeded
    | OperationFailed
    | OperationUnknown
    | OperationRetried
    | OperationRedirected
    | LessonStep
    | ExpectationChecked
    | PredictionAnswered
)
