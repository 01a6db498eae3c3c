"""Errors that no client of the swarm should end with: a rule that refuses too much breaks no other promise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    OperationFailed,
    OperationInvoked,
    OperationRetried,
    OperationSucceeded,
    OperationUnknown,
    PartitionApplied,
    TopicDeleted,
)

BLAMES = frozenset({
    ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.INVALID_REQUIRED_ACKS, ErrorCode.INVALID_GROUP_ID,
    ErrorCode.INVALID_SESSION_TIMEOUT, ErrorCode.INVALID_TIMESTAMP, ErrorCode.INVALID_PARTITIONS,
    ErrorCode.INVALID_REPLICATION_FACTOR, ErrorCode.INVALID_REPLICA_ASSIGNMENT, ErrorCode.INVALID_CONFIG,
    ErrorCode.INVALID_TRANSACTION_TIMEOUT, ErrorCode.INVALID_RECORD, ErrorCode.INVALID_REGULAR_EXPRESSION,
})  # fmt: skip
"""What depends on the request alone, and the swarm asks for nothing wrong. INVALID_REQUEST also names what a partition
cannot do."""
BLAMED = {("init_producer_id", ErrorCode.INVALID_REQUEST)}
"""A function alone, and what it is never told either."""
STAYS = BLAMES | {
    ErrorCode.TOPIC_ALREADY_EXISTS, ErrorCode.ELECTION_NOT_NEEDED, ErrorCode.MESSAGE_TOO_LARGE,
    ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.INVALID_TXN_STATE, ErrorCode.PRODUCER_FENCED,
}  # fmt: skip
"""What no second try of the same request makes good."""
CHANGES_NOTHING = ("consume", "init_producer_id", "metadata", "add_partitions")
"""Who asks for these and gets an error knows that no log has changed."""
MAY_BE = {
    ("create_topic", ErrorCode.INVALID_REPLICATION_FACTOR), ("reassign", ErrorCode.INVALID_REPLICA_ASSIGNMENT),
}  # fmt: skip
"""Brokers that are to hold a new topic may not have registered yet; a move that is called off may leave nobody in
sync."""
Ended: TypeAlias = OperationFailed | OperationSucceeded | OperationUnknown


class Blames:
    """Reads a run."""

    __slots__ = ("_deleted", "_known", "_open", "_sure", "sentence")

    def __init__(self) -> None:
        self.sentence = ""
        """The first one; empty for none."""
        self._open: dict[tuple[str, str, int], set[int]] = {}
        """Writes that have not ended, by client and partition."""
        self._known: set[tuple[str, int]] = set()
        """Partitions that a broker has applied."""
        self._deleted: set[str] = set()
        self._sure: set[tuple[str, int]] = set()
        """Client and number of each operation on a partition that was there when it was asked for."""

    def __call__(self, entries: Iterable[Entry]) -> None:
        """Look at operations."""
        for entry in entries:
            event = entry.event
            if type(event) is PartitionApplied:
                self._known.add((event.topic, event.partition))
            elif type(event) is TopicDeleted:
                self._deleted.add(event.topic)
            elif type(event) is OperationInvoked:
                if (event.topic, event.partition) in self._known:
                    self._sure.add((event.client_id, event.operation_id))
                if event.function == "produce":
                    self._open.setdefault((event.client_id, event.topic, event.partition), set()).add(
                        event.operation_id
                    )
            elif type(event) is OperationRetried and event.error in STAYS:
                what = f"{event.client_id} tries again after {ErrorCode(event.error).name}, which stays"
                self.sentence = self.sentence or what
            elif type(event) in (OperationFailed, OperationSucceeded, OperationUnknown):
                self._on_end(event)  # type: ignore[arg-type]

    def _on_end(self, event: Ended) -> None:
        where = event.client_id, event.topic, event.partition
        is_open = self._open.get(where, set())
        if type(event) is OperationFailed and not self.sentence:
            self.sentence = _blame(event) or _gap(event, is_open) or self._lost_sight(event)
        elif type(event) is OperationUnknown and event.function in CHANGES_NOTHING and not self.sentence:
            self.sentence = f"{event.client_id} takes its {event.function} for one that may have changed a log"
        is_open.discard(event.operation_id)

    def _lost_sight(self, event: OperationFailed) -> str:
        """Who decides knows all that is committed, so it knows a partition that some broker has applied."""
        is_there = (event.client_id, event.operation_id) in self._sure and event.topic not in self._deleted
        if event.function != "reassign" or event.error != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION or not is_there:
            return ""
        return f"{event.client_id} is told that {event.topic}-{event.partition} is not there, and it is"


def _blame(event: OperationFailed) -> str:
    key = event.function, event.error
    if (event.error not in BLAMES and key not in BLAMED) or key in MAY_BE:
        return ""
    return f"{event.client_id} is told that its {event.function} is wrong: {ErrorCode(event.error).name}"


def _gap(event: OperationFailed, is_open: Iterable[int]) -> str:
    """An older batch that is on its way may close the gap, so a newer one has to be sent again. Source: KIP-98."""
    older = [number for number in is_open if number < event.operation_id]
    if event.function != "produce" or event.error != ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER or not older:
        return ""
    return f"{event.client_id} gives {event.operation_id} up for a gap, while {min(older)} is on its way"
