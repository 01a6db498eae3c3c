"""Invariants of the voters of a dynamic quorum. Source: Raft thesis 4.1, the correction of 2015, KIP-853."""

from __future__ import annotations

from cluster.invariants.ghost.voters import Electorate
from cluster.invariants.group import Group, after, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import UNKNOWN_OFFSET, NodeId, Offset


class VoterInvariants(Group):
    """Judges R24 to R26."""

    R24 = invariant("the voters in force are those of the newest record in the log", "KIP-853", "A1")
    R25 = invariant("voters change one by one, after a commit in the leader's epoch", "raft-dev 2015")
    R26 = invariant("a snapshot names the voters in force where it ends", "KIP-853, KIP-630", "A1")

    def begin(self) -> None:
        self._committed: dict[NodeId, tuple[Offset, EventId]] = {}
        """How far each leader has committed in its own epoch (exclusive), and where it said so."""
        self._told: dict[NodeId, tuple[Electorate, Entry]] = {}
        """By whom each node goes, as it said last."""
        self._snapshots: dict[NodeId, Offset] = {}
        """Where the newest snapshot ends that each node has loaded or put in place of its log."""

    @before
    def _leader_elected(self, entry: Entry, _event: ev.LeaderElected) -> None:
        self._committed[entry.node] = UNKNOWN_OFFSET, entry.id

    @before
    def _high_watermark(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        if event.role == "leader":
            self._committed[entry.node] = event.high_watermark, entry.id

    @before
    def _changes(self, entry: Entry, event: ev.VotersChanged) -> None:
        """R25: the leader's own word, and nobody else's."""
        if self.ghost.nodes[entry.node].role != "leader":
            return
        before = self.ghost.voting.electorate(entry.node)
        now = Electorate(event.voters, event.directories, event.offset)
        changed = set(zip(before.nodes, before.disks, strict=True)) ^ set(zip(now.nodes, now.disks, strict=True))
        if not changed:
            return  # the first leader writes what the disks were formatted with
        self.R25.checks += 1
        committed, event_of_commit = self._committed.get(entry.node, (UNKNOWN_OFFSET, entry.id))
        why = ""
        if len(changed) > 1:
            why = f"{len(changed)} voters at once"
        elif committed == UNKNOWN_OFFSET:
            why = f"before anything of its epoch {event.epoch} was committed"
        elif before.offset >= committed:
            why = f"before the record of those before it, at offset {before.offset}, was committed"
        if why:
            self.R25.violated(f"leader {entry.node} changes the voters to {_told(now)} {why}", entry, event_of_commit)

    @after
    def _changed(self, entry: Entry, event: ev.VotersChanged) -> None:
        """R24: what a node says, and what its log says."""
        self._told[entry.node] = Electorate(event.voters, event.directories, event.offset), entry
        self._judge_told(entry)

    def _judge_told(self, entry: Entry) -> None:
        """Voters that a snapshot names stand at the last offset that it covers, wherever their record was."""
        self.R24.checks += 1
        voters_told, where = self._told[entry.node]
        now = self.ghost.voting.electorate(entry.node)
        is_of_snapshot = now.offset <= voters_told.offset == self._snapshots.get(entry.node, UNKNOWN_OFFSET) - 1
        if now != (voters_told._replace(offset=now.offset) if is_of_snapshot else voters_told):
            self.R24.violated(
                f"node {entry.node} goes by voters {_told(voters_told)} of offset {voters_told.offset}; "
                f"its log says {_told(now)} of offset {now.offset}",
                entry,
                where.id,
            )

    @after
    def _installed(self, entry: Entry, event: ev.SnapshotInstalled) -> None:
        self._snapshots[entry.node] = event.end_offset

    @after
    def _loaded(self, entry: Entry, event: ev.SnapshotLoaded) -> None:
        """R24: one that was fetched is loaded by a node that has said already by whom it goes."""
        self._snapshots[entry.node] = event.end_offset
        voters_told = self._told.get(entry.node)
        if voters_told is not None and voters_told[1].incarnation == entry.incarnation:
            self._judge_told(entry)

    @after
    def _written(self, entry: Entry, event: ev.SnapshotWritten) -> None:
        """R26: what a snapshot says, and what the log says in front of its end."""
        if not self.ghost.voting.is_dynamic:
            return
        self.R26.checks += 1
        log = self.ghost.quorum.logs[entry.node]
        due = self.ghost.voting.records.of(entry.node, log, event.end_offset)
        named = Electorate(event.voters, event.directories, due.offset)
        if named != due:
            self.R26.violated(
                f"node {entry.node} wrote a snapshot of [0,{event.end_offset}) that names voters {_told(named)}; "
                f"its log says {_told(due)} of offset {due.offset}",
                entry,
            )


def _told(electorate: Electorate) -> str:
    return ", ".join(map(str, electorate.nodes)) or "nobody"
