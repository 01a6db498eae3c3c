"""What one poll brings: in which order, without gaps, and nothing that certainly failed. Contract 2.4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from cluster.invariants.clients.producers import texts_of
from cluster.invariants.fault_kinds import REPEATS
from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.ghost.log import pack, unpack
from cluster.invariants.group import Handlers
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import Offset, TopicPartition

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


class PollInvariants:
    """C8, C9, C11, and C3 as far as consumers saw what had failed.

    A refusal is certain because a connection delivers a request once; C3 is left out where messages are repeated.
    """

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("C8", "a consumer never goes back within a poll", "Jepsen, nonmonotonic poll"),
        Invariant("C9", "a consumer skips nothing within a poll", "Jepsen, poll skip"),
        Invariant("C11", "records of one send keep their order", "Jepsen, nonmonotonic send"),
    )

    __slots__ = ("_failed", "_ghost", "_has_repeats", "_invoked", "_report", "_sent")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._has_repeats = False
        self._invoked: dict[tuple[str, int], Entry] = {}
        self._failed: dict[tuple[str, int], dict[str, EventId]] = {}
        self._sent: dict[tuple[str, int], dict[str, _Sent | None]] = {}

    def before(self) -> Handlers:
        """Nothing."""
        return {}

    def after(self) -> Handlers:
        """Operations from begin to end."""
        return {
            ev.OperationInvoked: self._on_invoked,
            ev.OperationSucceeded: self._on_succeeded,
            ev.OperationFailed: self._on_failed,
            ev.OperationUnknown: self._on_unknown,
            ev.FaultInjected: self._on_fault,
        }

    def finish(self) -> None:
        """Nothing is left to judge."""

    def _on_invoked(self, entry: Entry, event: ev.OperationInvoked) -> None:
        """What is sent again may be written after all; what two sends have in common tells of neither."""
        if event.function == "consume" and event.isolation:
            self._invoked[event.client_id, event.operation_id] = entry
        if event.function != "produce":
            return
        key = (event.topic, event.partition)
        self._invoked[event.client_id, event.operation_id] = entry
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

    def _on_fault(self, _entry: Entry, event: ev.FaultInjected) -> None:
        if event.kind in REPEATS:
            self._has_repeats = True
            self._failed.clear()

    def _on_unknown(self, _entry: Entry, event: ev.OperationUnknown) -> None:
        self._invoked.pop((event.client_id, event.operation_id), None)

    def _on_failed(self, entry: Entry, event: ev.OperationFailed) -> None:
        invoked = self._invoked.pop((event.client_id, event.operation_id), None)
        if invoked is None or self._has_repeats or event.function != "produce":
            return
        assert isinstance(invoked.event, ev.OperationInvoked)
        sent = self._sent[event.topic, event.partition]
        failed = self._failed.setdefault((event.topic, event.partition), {})
        for text in texts_of(invoked.event):
            if sent.get(text[:SHOWN], invoked) is not None:
                failed[text[:SHOWN]] = entry.id

    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        invoked = self._invoked.pop((event.client_id, event.operation_id), None)
        if event.function != "consume":
            return
        if event.stretches:
            asked = None if invoked is None else invoked.event
            committed_only = isinstance(asked, ev.OperationInvoked) and bool(asked.isolation)
            self._judge_stretches(entry, event, committed_only=committed_only)
        if event.values:
            self._judge_texts(entry, event)

    def _judge_stretches(self, entry: Entry, event: ev.OperationSucceeded, *, committed_only: bool) -> None:
        """C8 and C9. Between two records is what was compacted away or is not for this reader, else it is a skip."""
        ghost = self._ghost.partition(event.topic, event.partition)
        self._report.checked("C8")
        self._report.checked("C9")
        due = event.base_offset
        for start, count in event.stretches:
            if not ghost.may_skip(due, start, committed_only=committed_only):
                invariant, what = ("C8", "goes back") if start < due else ("C9", "skips")
                where = TopicPartition(event.topic, event.partition)
                self._report.violated(
                    invariant,
                    f"a poll {what}: after all below {due} come records from {start} on",
                    (entry.id,),
                    record=f"{where} offset {min(start, due)}",
                    scope=where,
                )
            due = start + count

    def _judge_texts(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        """C3 and C11."""
        key = (event.topic, event.partition)
        failed, sent = self._failed.get(key), self._sent.get(key, {})
        due: _Sent | None = None
        is_first, end = True, event.base_offset
        ghost = self._ghost.partition(*key)
        for offset, text in zip(offsets_of(event), event.values, strict=False):
            if offset != end and ghost.may_skip(end, offset, committed_only=True):
                due, is_first = None, True  # what was due here may be gone
            end = offset + 1
            if failed and text in failed:
                self._failed_and_read(entry, event, offset, failed.pop(text))
            found = sent.get(text)
            if due is not None and found != due:
                self._out_of_order(entry, event, offset, due)
            elif found is not None and found.place and due is None and not is_first:
                self._out_of_order(entry, event, offset, _Sent(found.event, 0, found.total))
            if found is not None and 1 < found.total == found.place + 1:
                self._report.checked("C11")
            is_last = found is None or found.place + 1 == found.total
            due = None if found is None or is_last else _Sent(found.event, found.place + 1, found.total)
            is_first = False

    def _failed_and_read(self, entry: Entry, event: ev.OperationSucceeded, offset: Offset, other: EventId) -> None:
        where = TopicPartition(event.topic, event.partition)
        self._report.violated(
            "C3",
            f"a consumer read at offset {offset} what a produce is said to have failed to write",
            (entry.id, other),
            record=f"{where} offset {offset}",
            scope=where,
        )

    def _out_of_order(self, entry: Entry, event: ev.OperationSucceeded, offset: Offset, due: _Sent) -> None:
        where = TopicPartition(event.topic, event.partition)
        self._report.violated(
            "C11",
            f"at offset {offset} record {due.place + 1} of a send of {due.total} was due, and another one was read",
            (entry.id, unpack(due.event)),
            record=f"{where} offset {offset}",
            scope=where,
        )
