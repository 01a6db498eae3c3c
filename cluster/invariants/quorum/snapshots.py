"""Invariants of snapshots: where they may end, that they say what the log says, and what may be deleted."""

from __future__ import annotations

from cluster.invariants.group import Group, before, invariant
from cluster.invariants.quorum.applied import ALL_APPLY_THE_SAME
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, NodeId, Offset

RETENTION = "metadata_max_retention_bytes"
ON_THEIR_WAY = 3
"""Newest snapshots that may be more than retention allows: each is looked at soon after it was written."""


class SnapshotInvariants(Group):
    """Judges R15, and R10 on whole images: all snapshots of one offset say the same."""

    R10 = ALL_APPLY_THE_SAME
    R15 = invariant(
        "a snapshot lies between log start and high watermark, one ends where a log begins, old ones go",
        "KIP-630; Kafka RaftEventSimulationTest SnapshotAtLogStart, LeaderNeverLoadSnapshot",
        "A1",
    )

    def begin(self) -> None:
        self._digests: dict[Offset, tuple[str, EventId]] = {}
        self._kept: dict[NodeId, dict[Offset, int]] = {}
        """Ends of the snapshots of each node, as it told of them, and their bytes; 0 where it did not tell."""
        self._unloaded: dict[NodeId, EventId] = {}
        """Nodes whose log begins later than 0 and that have not told of a snapshot since they found it so."""

    @before
    def _recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        if event.topic != METADATA.topic:
            return
        self._kept[entry.node] = {}
        self._unloaded.pop(entry.node, None)
        if event.log_start_offset:
            self._unloaded[entry.node] = entry.id

    @before
    def _booted(self, entry: Entry, _event: ev.QuorumBooted) -> None:
        boot = self._unloaded.pop(entry.node, None)
        if boot is not None:
            self._judge(entry, True, "begins its log after offset 0 and has loaded no snapshot", boot)

    @before
    def _written(self, entry: Entry, event: ev.SnapshotWritten) -> None:
        log, end = self.ghost.quorum.logs[entry.node], event.end_offset
        what = f"wrote a snapshot of [0,{end})"
        self._judge(entry, end > log.high_watermark, f"{what}; it knows {log.high_watermark} to be committed")
        self._judge(entry, end <= log.log_start_offset, f"{what}; its log begins at {log.log_start_offset}")
        epoch = log.epoch_at(end - 1)
        self._judge(entry, epoch not in (-1, event.epoch), f"{what} in epoch {event.epoch}; its log says {epoch}")
        kept = self._kept.setdefault(entry.node, {})
        most = self.ghost.settings.get(RETENTION)
        old_bytes = sum(kept[old] for old in sorted(kept)[:-ON_THEIR_WAY])
        if most is not None:
            self._judge(entry, old_bytes > most, f"{what} and keeps {old_bytes} bytes of old ones; {most} are allowed")
        kept[end] = event.size_bytes
        self._same(entry, end, event.digest)

    @before
    def _loaded(self, entry: Entry, event: ev.SnapshotLoaded) -> None:
        start, kept = self.ghost.quorum.logs[entry.node].log_start_offset, {end: 0 for end, _ in event.kept}
        self._kept[entry.node] = kept
        self._unloaded.pop(entry.node, None)
        what = f"loaded a snapshot of [0,{event.end_offset})"
        self._judge(entry, self.ghost.nodes[entry.node].role == "leader", f"{what} while it leads")
        self._judge(entry, event.end_offset < start, f"{what}; its log begins at {start}")
        self._judge(entry, start > 0 and start not in kept, f"begins its log at {start}, where no snapshot of it ends")
        older = [end for end in kept if end < start]
        self._judge(entry, bool(older), f"begins its log at {start} and keeps snapshots that end at {older}")
        self._same(entry, event.end_offset, event.digest)

    @before
    def _offered(self, entry: Entry, event: ev.SnapshotOffered) -> None:
        is_missing = event.end_offset not in self._kept.get(entry.node, ())
        self._judge(entry, is_missing, f"offered a snapshot of [0,{event.end_offset}) that it does not have")

    @before
    def _installed(self, entry: Entry, event: ev.SnapshotInstalled) -> None:
        committed, end = self.ghost.quorum.true_high_watermark, event.end_offset
        what = f"put a snapshot of [0,{end}) in place of its log"
        self._judge(entry, self.ghost.nodes[entry.node].role == "leader", f"{what} while it leads")
        self._judge(entry, end > committed, f"{what}; only {committed} is committed", self.ghost.quorum.true_event)
        self._kept[entry.node] = {end: event.size_bytes}

    @before
    def _advanced(self, entry: Entry, event: ev.MetadataLogStartAdvanced) -> None:
        log, start = self.ghost.quorum.logs[entry.node], event.log_start_offset
        what = f"deleted its metadata log before {start}"
        self._judge(entry, start <= log.log_start_offset, f"{what}; it began at {log.log_start_offset}")
        self._judge(entry, start not in self._kept.get(entry.node, ()), f"{what}, where no snapshot of it ends")
        self._judge(entry, start > log.end_offset, f"{what}; it ends at {log.end_offset}")

    @before
    def _deleted(self, entry: Entry, event: ev.SnapshotDeleted) -> None:
        kept, start = self._kept.setdefault(entry.node, {}), self.ghost.quorum.logs[entry.node].log_start_offset
        kept.pop(event.end_offset, None)
        why = f"deleted the snapshot of [0,{event.end_offset}), with which its log begins"
        self._judge(entry, event.end_offset == start > 0, why)
        self._judge(entry, not kept, f"deleted the snapshot of [0,{event.end_offset}), its last one")

    @before
    def _rejected(self, entry: Entry, event: ev.SnapshotRejected) -> None:
        """A file that has gone bad counts for nothing from now on."""
        end = event.path.rpartition("/")[2].partition("-")[0]
        if event.source < 0 and end.isdecimal():
            self._kept.setdefault(entry.node, {}).pop(int(end), None)

    def _same(self, entry: Entry, end_offset: Offset, digest: str) -> None:
        """Two images of one offset."""
        self.R10.checks += 1
        first_digest, first_event = self._digests.setdefault(end_offset, (digest, entry.id))
        if first_digest != digest:
            self.R10.violated(
                f"node {entry.node} has another image of what is below metadata offset {end_offset} "
                f"than node {first_event.node} had",
                entry,
                first_event,
            )

    def _judge(self, entry: Entry, is_wrong: bool, what: str, other: EventId | None = None) -> None:  # noqa: FBT001
        self.R15.checks += 1
        if is_wrong:
            self.R15.violated(f"node {entry.node} {what}", entry, other)
