"""Idempotent producers: in every log a producer's sequence numbers follow each other, each once. Contract 2.3, P22."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import ClassVar

from cluster.checks.ghost.ghost import Ghost
from cluster.checks.ghost.log import pack, unpack
from cluster.checks.ledger import OF_THE_QUORUM
from cluster.checks.report import Report
from cluster.checks.rule_group import Handlers
from cluster.checks.verdict import RuleInfo
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, NodeId, Offset, TopicPartition

SEQUENCE_MASK = (1 << 31) - 1
"""After the largest sequence number comes 0."""


class _Written:
    """The batches of one producer in one replica's log, 40 bytes each, in log order."""

    __slots__ = ("bases", "epochs", "events", "firsts", "nexts")

    def __init__(self) -> None:
        self.bases = array("q")
        """Base offset of each."""
        self.epochs = array("q")
        """Producer epoch of each."""
        self.firsts = array("q")
        """Base sequence of each."""
        self.nexts = array("q")
        """Sequence number that follows each."""
        self.events = array("q")
        """The event that told of each, packed."""

    def append(self, base: Offset, epoch: int, first: int, count: int, event: int) -> None:
        self.bases.append(base)
        self.epochs.append(epoch)
        self.firsts.append(first)
        self.nexts.append((first + count) & SEQUENCE_MASK)
        self.events.append(event)

    def cut(self, end_offset: Offset) -> None:
        keep = bisect_left(self.bases, end_offset)
        for column in (self.bases, self.epochs, self.firsts, self.nexts, self.events):
            del column[keep:]

    def wrong(self, epoch: int, first: int, log_start: Offset) -> str:
        """What is wrong with a batch that comes next; empty when nothing is.

        A producer that the log knows nothing of may begin anywhere, a new epoch begins with 0. What was deleted from
        the front of the log may be forgotten: a broker that starts anew reads only what is left. Source: Kafka
        UnifiedLog.rebuildProducerState.
        """
        if not self.bases or self.bases[-1] + ((self.nexts[-1] - self.firsts[-1]) & SEQUENCE_MASK) <= log_start:
            return ""
        last_epoch, due = self.epochs[-1], self.nexts[-1]
        if epoch < last_epoch:
            return f"producer epoch {epoch} after epoch {last_epoch}"
        if epoch > last_epoch:
            return "" if first == 0 else f"sequence {first} first in producer epoch {epoch}"
        if first == due:
            return ""
        again = any(seen == (epoch, first) for seen in zip(self.epochs, self.firsts, strict=True))
        return f"sequence {first} {'once more' if again else f'where {due} was due'}"


class SequenceRules:
    """P22. It leans on no assumption: a log forgets what it lost, and the next batch must fit what is left.

    But which block of producer ids was given last is known to the metadata alone, and a quorum may forget that (A1).
    """

    rules: ClassVar[tuple[RuleInfo, ...]] = (
        RuleInfo("P22", "each sequence number of a producer is written once, in order", "KIP-98"),
    )

    __slots__ = ("_ghost", "_given", "_logs", "_report", "_tally")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._tally = report.tally("P22")
        self._logs: dict[tuple[str, int, NodeId], dict[int, _Written]] = {}
        self._given: dict[int, EventId] = {}

    def before(self) -> Handlers:
        """Nothing is judged against an earlier state."""
        return {}

    def after(self) -> Handlers:
        """What is written, copied, cut, and answered as written before."""
        return {
            ev.ReplicaAppended: self._on_appended,
            ev.ReplicaTruncated: self._on_truncated,
            ev.LogRecovered: self._on_recovered,
            ev.ProduceDuplicated: self._on_duplicated,
            ev.ProducerIdGiven: self._on_given,
        }

    def finish(self) -> None:
        """Each batch was judged when it was written."""

    def _on_appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        if not event.sequences:
            return
        log = self._logs.setdefault((event.topic, event.partition, entry.node), {})
        counts = {base: count for base, count, _, _ in event.batches}
        packed = pack(entry)
        log_start = self._ghost.partition(event.topic, event.partition).log(entry.node).log_start_offset
        for base, producer_id, epoch, first in event.sequences:
            written = log.get(producer_id)
            if written is None:
                written = log[producer_id] = _Written()
            written.cut(base)
            if event.role == "leader":
                self._tally.checks += 1
                wrong = written.wrong(epoch, first, log_start)
                if wrong:
                    before = unpack(written.events[-1])
                    self._violated(entry, event, f"leader {entry.node} writes {wrong}", producer_id, base, before)
            written.append(base, epoch, first, counts.get(base, 1), packed)

    def _on_truncated(self, entry: Entry, event: ev.ReplicaTruncated) -> None:
        self._cut((event.topic, event.partition, entry.node), event.end_offset)

    def _on_recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        self._cut((event.topic, event.partition, entry.node), event.log_end_offset)

    def _cut(self, key: tuple[str, int, NodeId], end_offset: Offset) -> None:
        for written in self._logs.get(key, {}).values():
            written.cut(end_offset)

    def _on_duplicated(self, entry: Entry, event: ev.ProduceDuplicated) -> None:
        """Who says that a batch is there already must have it there."""
        self._tally.checks += 1
        written = self._logs.get((event.topic, event.partition, entry.node), {}).get(event.producer_id, _Written())
        index = bisect_left(written.bases, event.base_offset)
        due = (event.base_sequence + event.count) & SEQUENCE_MASK
        told = (event.base_offset, event.producer_epoch, event.base_sequence, due)
        columns = (written.bases, written.epochs, written.firsts, written.nexts)
        if index < len(written.bases) and tuple(column[index] for column in columns) == told:
            return
        what = f"leader {entry.node} calls sequence {event.base_sequence} a duplicate that its log does not hold there"
        self._violated(entry, event, what, event.producer_id, event.base_offset, None)

    def _on_given(self, entry: Entry, event: ev.ProducerIdGiven) -> None:
        """Two producers with one id would take each other's batches for duplicates."""
        self._tally.checks += 1
        first = self._given.setdefault(event.producer_id, entry.id)
        if first != entry.id:
            self._report.violated(
                "P22",
                f"producer id {event.producer_id} is given twice",
                (entry.id, first),
                scope=METADATA,
                assumptions=(OF_THE_QUORUM,),  # which block of ids was given last stands in the metadata alone
            )

    def _violated(
        self,
        entry: Entry,
        event: ev.ReplicaAppended | ev.ProduceDuplicated,
        what: str,
        producer_id: int,
        offset: Offset,
        before: EventId | None,
    ) -> None:
        where = TopicPartition(event.topic, event.partition)
        self._report.violated(
            "P22",
            f"{what}, of producer {producer_id}",
            (entry.id,) if before is None else (entry.id, before),
            record=f"{where} offset {offset}",
            scope=where,
        )
