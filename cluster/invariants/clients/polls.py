"""What one poll brings: in which order, without gaps, and nothing that certainly failed. Contract 2.4."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from cluster.invariants.clients.producers import FAILED_IS_NOT_WRITTEN, texts_of
from cluster.invariants.fault_kinds import REPEATS
from cluster.invariants.ghost.log import pack, unpack
from cluster.invariants.group import Group, after, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import Offset

SHOWN = 60
"""A consumer's event shows so many characters of a value."""


def offsets_of(event: ev.OperationSucceeded) -> Iterator[Offset]:
    """The offset of each record of a consume, in the order they came."""
    for start, count in event.stretches or ((event.base_offset, event.count),):
        yield from range(start, start + count)


def end_of(event: ev.OperationSucceeded) -> Offset:
    """Where a consume ends (exclusive); where it began when it brought nothing."""
    return sum(event.stretches[-1]) if event.stretches else event.base_offset + event.count


class _Sent(Struct, gc=False):
    """One record of a send of several."""

    event: int
    """The begin of the send, packed."""
    place: int
    """From 0."""
    total: int
    """How many records the send has."""


class PollInvariants(Group):
    """C8, C9, C11, and C3 as far as consumers saw what had failed.

    A refusal is certain because a connection delivers a request once; C3 is left out where messages are repeated.
    """

    C8 = invariant("a consumer never goes back within a poll", "Jepsen, nonmonotonic poll")
    C9 = invariant("a consumer skips nothing within a poll", "Jepsen, poll skip")
    C3 = FAILED_IS_NOT_WRITTEN
    C11 = invariant("records of one send keep their order", "Jepsen, nonmonotonic send")

    def begin(self) -> None:
        self._has_repeats = False
        self._failed: dict[tuple[str, int], dict[str, EventId]] = {}
        self._sent: dict[tuple[str, int], dict[str, _Sent | None]] = {}

    @after
    def _on_invoked(self, entry: Entry, event: ev.OperationInvoked) -> None:
        """What is sent again may be written after all; what two sends have in common tells of neither."""
        if event.function != "produce":
            return
        key = (event.topic, event.partition)
        failed, texts = self._failed.get(key), texts_of(event)
        if failed:
            for text in texts:
                failed.pop(text[:SHOWN], None)
        sent = self._sent.get(key)
        if sent is None:
            sent = self._sent[key] = {}
        for index, text in enumerate(texts):
            shown = text[:SHOWN]
            sent[shown] = None if shown in sent else _Sent(pack(entry), index, len(texts))

    @after
    def _on_fault(self, _entry: Entry, event: ev.FaultInjected) -> None:
        if event.kind in REPEATS:
            self._has_repeats = True
            self._failed.clear()

    @after
    def _on_failed(self, entry: Entry, event: ev.OperationFailed) -> None:
        _, invoked = self.ghost.operations.get((event.client_id, event.operation_id), (None, None))
        if invoked is None or self._has_repeats or event.function != "produce":
            return
        sent = self._sent[event.topic, event.partition]
        failed = self._failed.setdefault((event.topic, event.partition), {})
        for text in texts_of(invoked):
            if sent.get(text[:SHOWN], invoked) is not None:
                failed[text[:SHOWN]] = entry.id

    @after
    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        if event.function != "consume":
            return
        if event.stretches:
            _, invoked = self.ghost.operations.get((event.client_id, event.operation_id), (None, None))
            self._judge_stretches(entry, event, committed_only=invoked is not None and bool(invoked.isolation))
        if event.values:
            self._judge_texts(entry, event)

    def _judge_stretches(self, entry: Entry, event: ev.OperationSucceeded, *, committed_only: bool) -> None:
        """C8 and C9. Between two records is what was compacted away or is not for this reader, else it is a skip."""
        ghost = self.ghost.of(event)
        self.C8.checks += 1
        self.C9.checks += 1
        due = event.base_offset
        for start, count in event.stretches:
            if not ghost.may_skip(due, start, committed_only=committed_only):
                promise, what = (self.C8, "goes back") if start < due else (self.C9, "skips")
                promise.violated(
                    f"a poll {what}: after all below {due} come records from {start} on",
                    entry,
                    at=f"offset {min(start, due)}",
                )
            due = start + count

    def _judge_texts(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        """C3 and C11."""
        key = (event.topic, event.partition)
        failed, sent = self._failed.get(key), self._sent.get(key, {})
        due: _Sent | None = None
        is_first, end = True, event.base_offset
        ghost = self.ghost.of(event)
        for offset, text in zip(offsets_of(event), event.values, strict=False):
            if offset != end and ghost.may_skip(end, offset, committed_only=True):
                due, is_first = None, True  # what was due here may be gone
            end = offset + 1
            if failed and text in failed:
                self._failed_and_read(entry, offset, failed.pop(text))
            sent_text = sent.get(text)
            if due is not None and sent_text != due:
                self._out_of_order(entry, offset, due)
            elif sent_text is not None and sent_text.place and due is None and not is_first:
                self._out_of_order(entry, offset, _Sent(sent_text.event, 0, sent_text.total))
            if sent_text is not None and 1 < sent_text.total == sent_text.place + 1:
                self.C11.checks += 1
            is_last = sent_text is None or sent_text.place + 1 == sent_text.total
            due = None if sent_text is None or is_last else _Sent(sent_text.event, sent_text.place + 1, sent_text.total)
            is_first = False

    def _failed_and_read(self, entry: Entry, offset: Offset, other: EventId) -> None:
        self.C3.violated(
            f"a consumer read at offset {offset} what a produce is said to have failed to write",
            entry,
            other,
            at=f"offset {offset}",
        )

    def _out_of_order(self, entry: Entry, offset: Offset, due: _Sent) -> None:
        self.C11.violated(
            f"at offset {offset} record {due.place + 1} of a send of {due.total} was due, and another one was read",
            entry,
            unpack(due.event),
            at=f"offset {offset}",
        )
