"""What built-in producers wrote, by the batch that holds it: a log tells only the CRC of a batch."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from cluster.model.entry import Entry
from cluster.model.events import (
    OperationFailed,
    OperationInvoked,
    OperationRetried,
    OperationSucceeded,
    OperationUnknown,
    ReplicaAppended,
)
from cluster.model.events.load import CLIENT as LOAD_CLIENT
from cluster.model.identifiers import NodeId, Offset, TopicPartition
from cluster.picture.logs import Cell
from cluster.picture.part import Part

NEWEST = 128
"""Requests, sendings and batches that are remembered."""
SHOWN_WHOLE = 200
"""Characters of what an event says was asked; there it may have been cut short."""
_RUN = re.compile(r"(.*)-(\d{1,9}) to (.*)-(\d{1,9})", re.DOTALL)


@dataclass(slots=True)
class Written(Part):
    """Knows a batch by the answer to its request; before that, from what caused its append.

    A client that sends several requests at once is the cause of each of them: then only answers tell.
    """

    asked: dict[tuple[str, int], str] = field(default_factory=dict)
    """(client, operation) to what its records say, while it is not answered."""
    sent: dict[tuple[NodeId, int, int], tuple[str, int]] = field(default_factory=dict)
    """The event of a sending to its operation, for a client that has no other open."""
    batches: dict[tuple[str, int, str], str] = field(default_factory=dict)
    """(topic, partition, digest) to what its records say."""

    def invoked(self, entry: Entry, event: OperationInvoked) -> None:
        """A client sends a request. Of a load nobody looks at the records."""
        if event.function != "produce" or event.client_id.startswith(LOAD_CLIENT):
            return
        self.asked[event.client_id, event.operation_id] = event.value
        _trim(self.asked)
        self._sends(entry, event.client_id, event.operation_id)

    def retried(self, entry: Entry, event: OperationRetried) -> None:
        """It sends it again."""
        if (event.client_id, event.operation_id) in self.asked:
            self._sends(entry, event.client_id, event.operation_id)

    def _sends(self, entry: Entry, client_id: str, operation_id: int) -> None:
        if [client for client, _ in self.asked].count(client_id) == 1:
            self.sent[entry.id] = client_id, operation_id
            _trim(self.sent)
        else:
            self.sent = {sending: key for sending, key in self.sent.items() if key[0] != client_id}

    def answered(self, event: OperationSucceeded | OperationFailed | OperationUnknown) -> None:
        """It is over. A good answer says which batch it was."""
        text = self.asked.pop((event.client_id, event.operation_id), "")
        if text and isinstance(event, OperationSucceeded) and event.values:
            self._note(event.topic, event.partition, event.values[0], text)

    def appended(self, entry: Entry, event: ReplicaAppended) -> None:
        """A leader wrote what a request brought."""
        key = None if entry.cause is None else self.sent.get(entry.cause)
        if key is not None and key in self.asked and len(event.batches) == 1:
            self._note(event.topic, event.partition, event.batches[0][3], self.asked[key])

    def _note(self, topic: str, partition: int, digest: str, text: str) -> None:
        self.batches[topic, partition, digest] = text
        _trim(self.batches)

    def value(self, topic_partition: TopicPartition, cell: Cell, offset: Offset) -> str:
        """What the record at an offset of that cell says; empty when the events do not tell. Untrusted text."""
        text = self.batches.get((*topic_partition, cell.digest), "")
        if not text or len(text) >= SHOWN_WHOLE:
            return ""
        if cell.record_count == 1:
            return text
        run = _RUN.fullmatch(text)
        if run is None or run[1] != run[3] or int(run[4]) - int(run[2]) != cell.record_count - 1:
            return ""
        return f"{run[1]}-{int(run[2]) + offset - cell.base_offset}"


def _trim(notes: dict[Any, Any]) -> None:
    if len(notes) > NEWEST:
        del notes[next(iter(notes))]
