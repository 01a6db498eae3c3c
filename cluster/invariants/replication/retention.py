"""What retention lets go: whole segments from the front, committed, and beyond the bound of their topic."""

from __future__ import annotations

from cluster.invariants.group import Group, Replica, after, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import Offset, TopicPartition

BY_SIZE = "retention.bytes"


class RetentionInvariants(Group):
    """P32. The segments of each replica are rebuilt from what it tells of those that it closes."""

    P32 = invariant(
        "retention takes whole committed segments beyond the bound of their topic",
        "KIP-32, Kafka UnifiedLog.deletableSegments",
        "A3",
        "A4",
    )

    def begin(self) -> None:
        self._bounds: dict[tuple[str, str], set[str]] = {}
        self._let_go: dict[Replica, Offset] = {}
        self._closed: dict[Replica, dict[Offset, tuple[Offset, int]]] = {}

    @after
    def _configured(self, _entry: Entry, event: ev.TopicConfigChanged) -> None:
        """A replica may be a little behind: every value that was ever wanted counts."""
        self._bounds.setdefault((event.topic, event.config), set()).add(event.value)

    @after
    def _rolled(self, entry: Entry, event: ev.SegmentRolled) -> None:
        closed = self._closed.setdefault((event.topic, event.partition, entry.node), {})
        closed[event.base_offset] = event.end_offset, event.size_bytes

    @after
    def _cleaned(self, entry: Entry, event: ev.LogCleaned | ev.LogRecovered) -> None:
        """Compaction made other segments of these; the ghost knows of passes that a start has ended, too."""
        thin_to = self.ghost.here.compacted.thin_to.get(entry.node, 0)
        closed = self._closed.get((event.topic, event.partition, entry.node), {})
        for base in [base for base in closed if base < thin_to]:
            del closed[base]

    @after
    def _truncated(self, entry: Entry, event: ev.ReplicaTruncated) -> None:
        self._cut((event.topic, event.partition, entry.node), event.end_offset)

    @after
    def _recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        self._cut((event.topic, event.partition, entry.node), event.log_end_offset)

    @after
    def _removed(self, entry: Entry, event: ev.LogRemoved) -> None:
        self._let_go.pop((event.topic, event.partition, entry.node), None)
        self._closed.pop((event.topic, event.partition, entry.node), None)

    def _cut(self, key: Replica, end_offset: Offset) -> None:
        """A segment that reaches past the cut is written to again."""
        closed = self._closed.get(key, {})
        for base in [base for base, (end, _) in closed.items() if end > end_offset or base >= end_offset]:
            del closed[base]

    @before
    def _expired(self, entry: Entry, event: ev.SegmentsExpired) -> None:
        self.P32.checks += 1
        wrong = self._beyond_no_bound(event) or self._not_at_the_front(entry, event) or self._not_whole(entry, event)
        self._let_go[event.topic, event.partition, entry.node] = event.segments[-1][1]
        if wrong:
            where = TopicPartition(event.topic, event.partition)
            first, end = event.segments[0][0], event.segments[-1][1]
            self.P32.violated(
                f"node {entry.node} lets {where} go from {first} to {end} for {event.setting}={event.limit}; {wrong}",
                entry,
                at=f"offset {end - 1}",
            )

    def _beyond_no_bound(self, event: ev.SegmentsExpired) -> str:
        wanted = self._bounds.get((event.topic, event.setting), set())
        if str(event.limit) not in wanted:
            return f"its topic wants {', '.join(sorted(wanted)) or 'no bound'}"
        if event.setting == BY_SIZE:
            return f"{event.kept_bytes} bytes are left" if event.kept_bytes < event.limit else ""
        ages_ms = [event.wall_ms - newest_ms for _, _, _, newest_ms in event.segments]
        return f"one is {min(ages_ms)} ms old" if min(ages_ms) <= event.limit else ""

    def _not_at_the_front(self, entry: Entry, event: ev.SegmentsExpired) -> str:
        log = self.ghost.here.logs[entry.node]
        first, end = event.segments[0][0], event.segments[-1][1]
        before = self._let_go.get((event.topic, event.partition, entry.node), 0)
        if first > max(log.log_start_offset, before):
            return f"its log begins at {log.log_start_offset}"
        if any(one[1] != other[0] for one, other in zip(event.segments, event.segments[1:], strict=False)):
            return "they do not lie side by side"
        return f"its high watermark is {log.high_watermark}" if end > log.high_watermark else ""

    def _not_whole(self, entry: Entry, event: ev.SegmentsExpired) -> str:
        """What was closed before the trace began is not known, nor is the newest one, which is closed for this."""
        closed = self._closed.get((event.topic, event.partition, entry.node), {})
        for base, end, size_bytes, _ in event.segments:
            if closed.get(base, (end, size_bytes)) != (end, size_bytes):
                return f"segment {base} was closed at {closed[base][0]} with {closed[base][1]} bytes"
        return ""
