"""What compaction takes: records that a later one of their key stands for, and old tombstones; nothing else, ever."""

from __future__ import annotations

from cluster.invariants.group import Group, Replica, Tally, after, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import Offset, TopicPartition


class CompactionInvariants(Group):
    """P37 and P38. What a pass found in the files tells what the pass before it had left there.

    What a pass takes is judged by what it found, whatever befell the disk before: P37 leans on nothing.
    """

    P37 = invariant(
        "compaction takes only what a later record of the same key stands for, and old tombstones",
        "Kafka Cleaner.shouldRetainRecord, KIP-534",
    )
    P38 = invariant(
        "compaction takes committed, closed segments, and what it left is there",
        "Kafka LogCleanerManager.cleanableOffsets, UnifiedLog.replaceSegments",
        "A1",
        "A2",
        "A3",
        "A4",
    )

    def begin(self) -> None:
        self._kept: dict[Replica, tuple[Offset, set[Offset]]] = {}
        self._horizons: dict[tuple[str, int], set[int]] = {}
        self._rolled: dict[Replica, Offset] = {}

    @after
    def _closed(self, entry: Entry, event: ev.SegmentRolled) -> None:
        self._rolled[event.topic, event.partition, entry.node] = event.end_offset

    @after
    def _cut(self, entry: Entry, event: ev.ReplicaTruncated) -> None:
        self._forget((event.topic, event.partition, entry.node), event.end_offset)

    @after
    def _recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        """Who died may have closed a segment and told nobody."""
        self._rolled.pop((event.topic, event.partition, entry.node), None)
        self._forget((event.topic, event.partition, entry.node), event.log_end_offset)

    @after
    def _removed(self, entry: Entry, event: ev.LogRemoved) -> None:
        self._kept.pop((event.topic, event.partition, entry.node), None)
        self._rolled.pop((event.topic, event.partition, entry.node), None)

    def _forget(self, key: Replica, end_offset: Offset) -> None:
        """What is past a cut is another log."""
        end, kept = self._kept.get(key, (0, set()))
        if end > end_offset:
            self._kept[key] = end_offset, {offset for offset in kept if offset < end_offset}
        if self._rolled.get(key, 0) > end_offset:
            del self._rolled[key]

    @before
    def _appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        """P38: a copy of what was compacted is what compaction has left, or the whole batch."""
        compacted = self.ghost.here.compacted
        if event.role == "leader" or event.base_offset >= compacted.end_offset or not compacted.is_told:
            return
        committed = self.ghost.here.committed
        for base, count, _, crc in event.batches:
            whole = committed.batch_at(base)
            if base + count > compacted.end_offset or not crc or whole is None:
                continue
            self.P38.checks += 1
            if compacted.is_left(base, crc) or (whole.base_offset == base and whole.crc in (-1, int(crc, 16))):
                continue
            self._violated(
                self.P38,
                entry,
                f"copies a batch at {base} with CRC {crc}, neither as it was written nor as it was left",
                base,
            )

    @before
    def _cleaned(self, entry: Entry, event: ev.LogCleaned) -> None:
        key, where = (event.topic, event.partition, entry.node), TopicPartition(event.topic, event.partition)
        self._horizons.setdefault(where, set()).add(event.wall_ms + event.delete_retention_ms)
        self.P38.checks += 1
        log = self.ghost.partition(*where).logs[entry.node]
        if event.end_offset > max(log.high_watermark, 0):
            self._violated(
                self.P38,
                entry,
                f"compacts up to {event.end_offset}; its high watermark is {log.high_watermark}",
                event.end_offset - 1,
            )
        replica = self.ghost.partition(*where).transactions.replicas.get(entry.node)
        if replica is not None and log.is_known:
            stable = replica.undecided_from(max(log.high_watermark, 0), log.log_start_offset)
            if stable < event.end_offset <= log.high_watermark:
                self._violated(
                    self.P38,
                    entry,
                    f"compacts up to {event.end_offset}; a transaction from {stable} on is not decided",
                    stable,
                )
        of_transactions = 0 if replica is None else sum(1 for _ in replica.within(0, event.end_offset))
        if log.is_known and event.opaque_count > of_transactions:
            self._violated(
                self.P38,
                entry,
                f"finds {event.opaque_count} batches that it does not look into, {of_transactions} of transactions",
                event.end_offset - 1,
            )
        if event.end_offset > self._rolled.get(key, event.end_offset):
            self._violated(
                self.P38,
                entry,
                f"compacts up to {event.end_offset}; it writes to the segment from {self._rolled[key]} on",
                event.end_offset - 1,
            )
        if event.is_told:
            self._judge_what_was_there(entry, event, key, where)
            self._judge_what_went(entry, event, where)
            kept = {offset for offset, _, _ in event.records} - set(event.removed)
            self._kept[key] = event.end_offset, kept
        else:
            self._kept.pop(key, None)

    def _judge_what_was_there(self, entry: Entry, event: ev.LogCleaned, key: Replica, where: TopicPartition) -> None:
        """All that the last pass had left, and of what is new all that nobody has taken."""
        ghost = self.ghost.partition(*where)
        log, offsets = ghost.logs[entry.node], {offset for offset, _, _ in event.records}
        end, due = self._kept.get(key, (0, set()))
        due = {offset for offset in due if offset >= log.log_start_offset}
        if not event.opaque_count and ghost.compacted.is_told and log.is_known:
            begin = max(end, log.log_start_offset)
            due.update(offset for offset in range(begin, event.end_offset) if offset not in ghost.compacted.removed)
        missing = due - offsets
        if missing:
            self._violated(
                self.P38,
                entry,
                f"has no record at offset {min(missing)} any more, which no compaction took",
                min(missing),
            )

    def _judge_what_went(self, entry: Entry, event: ev.LogCleaned, where: TopicPartition) -> None:
        self.P37.checks += 1
        records = {offset: (digest, bool(is_tombstone)) for offset, digest, is_tombstone in event.records}
        newest = {digest: offset for offset, digest, _ in event.records}
        expired = dict(event.expired)
        for offset in event.removed:
            digest, is_tombstone = records.get(offset, ("", False))
            if digest and newest[digest] > offset:
                continue
            horizon_ms = expired.get(offset, -1)
            is_known = horizon_ms in self._horizons[where]
            if digest and is_tombstone and is_known and horizon_ms <= event.wall_ms and not event.opaque_count:
                continue
            what = "the newest tombstone of its key, too early" if is_tombstone else "and no later record has its key"
            self._violated(self.P37, entry, f"takes the record at offset {offset}, {what}", offset)

    def _violated(self, promise: Tally, entry: Entry, what: str, offset: Offset) -> None:
        promise.violated(f"node {entry.node} {what}", entry, at=f"offset {offset}")
