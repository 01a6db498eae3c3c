"""What is deleted from the front of logs: only what was committed, never less than before, never read. Contract 2.3."""

from __future__ import annotations

from cluster.invariants.group import Group, after, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NodeId, Offset


class LogStartInvariants(Group):
    """P24: on request, or because retention lets segments go. What those are is judged by P30."""

    P24 = invariant("the log start only rises, and never above the high watermark", "KIP-107", "A3", "A4")

    def begin(self) -> None:
        self._starts: dict[tuple[str, int, NodeId, int], Offset] = {}
        self._told: dict[tuple[str, int], tuple[Offset, EventId]] = {}
        self._expired: dict[tuple[str, int, NodeId, int], Offset] = {}
        self._kept_from: dict[tuple[str, int], dict[NodeId, Offset]] = {}
        self._floors: dict[tuple[str, int], tuple[Offset, EventId]] = {}
        self._readers: dict[tuple[str, int], tuple[Offset, EventId]] = {}  # by client and operation

    @before
    def _on_expired(self, entry: Entry, event: ev.SegmentsExpired) -> None:
        """A replica says that retention lets these go before it deletes them."""
        self._expired[event.topic, event.partition, entry.node, entry.incarnation] = event.segments[-1][1]

    @after
    def _leads(self, entry: Entry, event: ev.BecameLeader) -> None:
        """Its log start is the one that followers follow now, whatever made it."""
        key = (event.topic, event.partition)
        start = self._kept_from.get(key, {}).get(entry.node, 0)
        if start > self._told.get(key, (0, entry.id))[0]:
            self._told[key] = (start, entry.id)

    @after
    def _removed(self, entry: Entry, event: ev.LogRemoved) -> None:
        """The next log of that partition begins at 0 again."""
        life = (event.topic, event.partition, entry.node, entry.incarnation)
        self._starts.pop(life, None)
        self._expired.pop(life, None)
        self._kept_from.get((event.topic, event.partition), {}).pop(entry.node, None)

    @before
    def _advanced(self, entry: Entry, event: ev.LogStartAdvanced) -> None:
        """A crash may take the start back to an older checkpoint, so it is followed within one life of a node."""
        key = (event.topic, event.partition)
        life = (*key, entry.node, entry.incarnation)
        self.P24.checks += 1
        start, before = event.log_start_offset, self._starts.get(life, event.old_log_start_offset)
        if event.old_log_start_offset != before or start <= before:
            self._violated(
                entry, event, f"moves its log start from {event.old_log_start_offset} to {start}; it was {before}", None
            )
        self._starts[life] = start
        self._kept_from.setdefault(key, {})[entry.node] = start
        expired = self._expired.pop(life, None)
        if event.role == "leader":
            self._judge_leader(entry, event)
            if start > self._told.get(key, (0, entry.id))[0]:
                self._told[key] = (start, entry.id)
            return
        if start == expired:
            own = self.ghost.here.logs[entry.node].high_watermark
            if start > own:
                self._violated(entry, event, f"deletes what is below {start}; its high watermark is {own}", None)
            return
        asked = self._told.get(key)
        if asked is None or start > asked[0]:
            deleted = "no leader deleted anything" if asked is None else f"leaders deleted what is below {asked[0]}"
            self._violated(entry, event, f"deletes what is below {start}; {deleted}", asked[1] if asked else None)

    def _judge_leader(self, entry: Entry, event: ev.LogStartAdvanced) -> None:
        leadership = self.ghost.here.leaderships.get(entry.node)
        if leadership is not None and event.log_start_offset > leadership.high_watermark:
            self._violated(
                entry,
                event,
                f"deletes what is below {event.log_start_offset}; its high watermark is {leadership.high_watermark}",
                leadership.event,
            )

    @after
    def _recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        """A disk that lied may give back an older checkpoint."""
        self._begins_at(entry, (event.topic, event.partition), event.log_start_offset)

    @after
    def _truncated(self, entry: Entry, event: ev.ReplicaTruncated) -> None:
        """A cut below the log start takes that back."""
        key = (event.topic, event.partition)
        life = (*key, entry.node, entry.incarnation)
        if life in self._starts:
            self._starts[life] = min(self._starts[life], event.end_offset)
        self._begins_at(entry, key, min(self._kept_from.get(key, {}).get(entry.node, 0), event.end_offset))

    def _begins_at(self, entry: Entry, key: tuple[str, int], start: Offset) -> None:
        kept_from = self._kept_from.get(key)
        if kept_from is not None and start < kept_from.get(entry.node, 0):
            kept_from[entry.node] = start
            self._floors.pop(key, None)
            self._readers.clear()

    @after
    def _invoked(self, _entry: Entry, event: ev.OperationInvoked) -> None:
        floor = self._floors.get((event.topic, event.partition)) if event.function == "consume" else None
        if floor is not None:
            self._readers[event.client_id, event.operation_id] = floor

    @after
    def _ended(self, _entry: Entry, event: ev.OperationFailed | ev.OperationUnknown) -> None:
        self._readers.pop((event.client_id, event.operation_id), None)

    @after
    def _succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        """A deletion that a client knows of is done at every replica that lives; who asks for less later is told so.

        What is known of replicas that are dead counts, too: one of them may be elected, and still begin earlier.
        """
        key = (event.topic, event.partition)
        if event.function == "delete_records":
            kept_from = self._kept_from.get(key, {})
            logs = self.ghost.of(event).logs
            floor = min((kept_from.get(node, 0) for node in logs), default=0)
            if floor > self._floors.get(key, (0, entry.id))[0]:
                self._floors[key] = (floor, entry.id)
            return
        gone = self._readers.pop((event.client_id, event.operation_id), None)
        if gone is None or not event.count:
            return
        self.P24.checks += 1
        if event.base_offset < gone[0]:
            self.P24.violated(
                f"a consumer read offset {event.base_offset} after every replica had deleted what is below {gone[0]}",
                entry,
                gone[1],
                at=f"offset {event.base_offset}",
            )

    def _violated(self, entry: Entry, event: ev.LogStartAdvanced, what: str, other: EventId | None) -> None:
        self.P24.violated(f"node {entry.node} {what}", entry, other, at=f"offset {event.log_start_offset - 1}")
