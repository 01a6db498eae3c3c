"""Errors that blame who asked, where the swarm asks for nothing wrong: a rule that refuses too much breaks no other."""

from __future__ import annotations

from collections.abc import Iterable

from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import OperationFailed

BLAMES = frozenset({
    ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.INVALID_REQUIRED_ACKS, ErrorCode.INVALID_GROUP_ID,
    ErrorCode.INVALID_SESSION_TIMEOUT, ErrorCode.INVALID_TIMESTAMP, ErrorCode.INVALID_PARTITIONS,
    ErrorCode.INVALID_REPLICATION_FACTOR, ErrorCode.INVALID_REPLICA_ASSIGNMENT, ErrorCode.INVALID_CONFIG,
    ErrorCode.INVALID_TRANSACTION_TIMEOUT, ErrorCode.INVALID_RECORD, ErrorCode.INVALID_REGULAR_EXPRESSION,
})  # fmt: skip
"""What depends on the request alone. INVALID_REQUEST also names what a partition cannot do."""
MAY_BE = {("create_topic", ErrorCode.INVALID_REPLICATION_FACTOR)}
"""Brokers that are to hold a new topic may not have registered yet."""


class Blames:
    """Reads a run."""

    __slots__ = ("sentence",)

    def __init__(self) -> None:
        self.sentence = ""
        """The first one; empty for none."""

    def __call__(self, entries: Iterable[Entry]) -> None:
        """Look at failed operations."""
        for entry in entries:
            event = entry.event
            if type(event) is not OperationFailed or event.error not in BLAMES:
                continue
            error = ErrorCode(event.error)
            if not self.sentence and (event.function, error) not in MAY_BE:
                self.sentence = f"{event.client_id} is told that its {event.function} is wrong: {error.name}"
