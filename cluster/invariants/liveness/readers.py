"""Whether consumers come to the end once a run is calm. Contract 2.6, L5."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.invariants.group import after, invariant
from cluster.invariants.liveness.deadlines import FORGOTTEN, MS
from cluster.invariants.liveness.in_calm import JudgedInCalm
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import Offset, TopicPartition

PLACE = "from "
"""Before the offset that a consumer asks for."""


@dataclass(slots=True)
class _Reader:
    """One consumer on one partition, from its first poll in calm on."""

    since_ns: int
    target: Offset
    """The leader's high watermark then (exclusive)."""
    event: EventId
    position: Offset = -1
    """Where it has got to; -1 before the first answer."""


class ReaderInvariants(JudgedInCalm):
    """L5: whoever reads in calm gets as far as the high watermark that stood when it began.

    A consumer that was at it before has its own idea of the end, unless it stays: it asked again after an empty poll.
    Who reads committed records gets as far as what is undecided then: that transactions come to their end is for L13.
    """

    L5 = invariant("every consumer reaches the end, 10 s after the ISR may be whole", "Jepsen", *FORGOTTEN)

    def begin(self) -> None:
        super().begin()
        self._readers: dict[tuple[str, str, int], _Reader] = {}
        self._begun: set[tuple[str, str, int]] = set()
        self._at_end: set[tuple[str, str, int]] = set()
        self._staying: set[tuple[str, str, int]] = set()

    @after
    def _on_invoked(self, entry: Entry, event: ev.OperationInvoked) -> None:
        if event.function != "consume":
            return
        key = (event.client_id, event.topic, event.partition)
        if key in self._at_end:
            self._staying.add(key)
        is_new, reader = key not in self._begun, self._readers.get(key)
        self._begun.add(key)
        if reader is not None:
            reader.event = entry.id
        elif self.ghost.calm.is_calm and (is_new or key in self._staying):
            self._read(entry, event, key)

    def _read(self, entry: Entry, event: ev.OperationInvoked, key: tuple[str, str, int]) -> None:
        self.now_ns = entry.t_ns
        ghost = self.ghost.of(event)
        leading = ghost.leading
        target = 0 if leading is None else leading.high_watermark
        if leading is not None and event.isolation:
            start = ghost.logs[leading.node].log_start_offset
            target = ghost.transactions.of(leading.node).undecided_from(target, start)
        if target > 0 and event.value.startswith(PLACE):
            self._readers[key] = _Reader(entry.t_ns, target, entry.id)

    @after
    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        if event.function != "consume":
            return
        key = (event.client_id, event.topic, event.partition)
        if not event.count and event.end_offset < 0:
            self._at_end.add(key)
        reader = self._readers.get(key)
        if reader is None:
            return
        self.now_ns = entry.t_ns
        reader.position, reader.event = max(event.end_offset, event.base_offset + event.count), entry.id
        if reader.position >= reader.target:
            self.L5.checks += 1
            self._judge(key, self._readers.pop(key), "read to the end")

    @after
    def _on_not_done(self, entry: Entry, event: ev.OperationFailed | ev.OperationUnknown) -> None:
        """A consumer that does not try again proves nothing; one that gave up after its whole time does."""
        key = (event.client_id, event.topic, event.partition)
        reader = self._readers.pop(key, None)
        if reader is not None:
            self.now_ns, reader.event = entry.t_ns, entry.id
            self._judge(key, reader, "gave up")

    @after
    def _on_leader(self, _entry: Entry, event: ev.BecameLeader) -> None:
        """A new leader may know a lower high watermark for a while: its readers' goals are void."""
        for key in [key for key in self._readers if key[1:] == (event.topic, event.partition)]:
            del self._readers[key]

    def _close(self) -> None:
        for key, reader in self._readers.items():
            self._judge(key, reader, "has not come to the end")
        self._readers.clear()

    def _judge(self, key: tuple[str, str, int], reader: _Reader, what: str) -> None:
        allowed_ns = self.deadlines.whole_isr_ns() + 10_000 * MS
        took_ns = self.now_ns - reader.since_ns
        if took_ns > allowed_ns:
            at = f"offset {reader.position}" if reader.position >= 0 else "its first poll"
            self.L5.violated(
                f"a consumer {what} of {reader.target} records, it is at {at}, {took_ns // MS} ms after it began; "
                f"{allowed_ns // MS} ms are allowed",
                reader.event,
                scope=TopicPartition(*key[1:]),
            )
