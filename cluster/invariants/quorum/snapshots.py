"""Invariants of snapshots: where they may end, that they say what the log says, and what may be deleted."""

from __future__ import annotations

from typing import ClassVar

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, NodeId, Offset

RETENTION = "metadata_max_retention_bytes"
ON_THEIR_WAY = 3
"""Newest snapshots that may be more than retention allows: each is looked at soon after it was written."""
RULES = (
    Invariant(
        "R15",
        "a snapshot lies between log start and high watermark, one ends where a log begins, old ones go",
        "KIP-630; Kafka RaftEventSimulationTest SnapshotAtLogStart, LeaderNeverLoadSnapshot",
        ("A1",),
    ),
)


class SnapshotInvariants:
    """Judges R15, and R10 on whole images: all snapshots of one offset say the same."""

    invariants: ClassVar[tuple[Invariant, ...]] = RULES

    __slots__ = ("_digests", "_ghost", "_kept", "_report", "_unloaded")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._digests: dict[Offset, tuple[str, EventId]] = {}
        self._kept: dict[NodeId, dict[Offset, int]] = {}
        """Ends of the snapshots of each node, as it told of them, and their bytes; 0 where it did not tell."""
        self._unloaded: dict[NodeId, EventId] = {}
        """Nodes whose log begins later than 0 and that have not told of a snapshot since they found it so."""

    def before(self) -> Handlers:
        """Each is judged against the log as it was."""
        return {
            ev.LogRecovered: self._recovered,
            ev.QuorumBooted: self._booted,
            ev.SnapshotWritten: self._written,
            ev.SnapshotLoaded: self._loaded,
            ev.SnapshotOffered: self._offered,
            ev.SnapshotInstalled: self._installed,
            ev.SnapshotDeleted: self._deleted,
            ev.SnapshotRejected: self._rejected,
            ev.MetadataLogStartAdvanced: self._advanced,
        }

    def after(self) -> Handlers:
        """Nothing."""
        return {}

    def finish(self) -> None:
        """Each was judged when it came."""

    def _recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        if event.topic != METADATA.topic:
            return
        self._kept[entry.node] = {}
        self._unloaded.pop(entry.node, None)
        if event.log_start_offset:
            self._unloaded[entry.node] = entry.id

    def _booted(self, entry: Entry, _event: ev.QuorumBooted) -> None:
        found = self._unloaded.pop(entry.node, None)
        if found is not None:
            self._judge(entry, True, "begins its log after offset 0 and has loaded no snapshot", found)

    def _written(self, entry: Entry, event: ev.SnapshotWritten) -> None:
        log, end = self._ghost.quorum.log(entry.node), event.end_offset
        what = f"wrote a snapshot of [0,{end})"
        self._judge(entry, end > log.high_watermark, f"{what}; it knows {log.high_watermark} to be committed")
        self._judge(entry, end <= log.log_start_offset, f"{what}; its log begins at {log.log_start_offset}")
        epoch = log.epoch_at(end - 1)
        self._judge(entry, epoch not in (-1, event.epoch), f"{what} in epoch {event.epoch}; its log says {epoch}")
        kept = self._kept.setdefault(entry.node, {})
        most = self._ghost.settings.get(RETENTION)
        old_bytes = sum(kept[old] for old in sorted(kept)[:-ON_THEIR_WAY])
        if most is not None:
            self._judge(entry, old_bytes > most, f"{what} and keeps {old_bytes} bytes of old ones; {most} are allowed")
        kept[end] = event.size_bytes
        self._same(entry, end, event.digest)

    def _loaded(self, entry: Entry, event: ev.SnapshotLoaded) -> None:
        start, kept = self._ghost.quorum.log(entry.node).log_start_offset, {end: 0 for end, _ in event.kept}
        self._kept[entry.node] = kept
        self._unloaded.pop(entry.node, None)
        what = f"loaded a snapshot of [0,{event.end_offset})"
        self._judge(entry, self._ghost.node(entry.node).role == "leader", f"{what} while it leads")
        self._judge(entry, event.end_offset < start, f"{what}; its log begins at {start}")
        self._judge(entry, start > 0 and start not in kept, f"begins its log at {start}, where no snapshot of it ends")
        older = [end for end in kept if end < start]
        self._judge(entry, bool(older), f"begins its log at {start} and keeps snapshots that end at {older}")
        self._same(entry, event.end_offset, event.digest)

    def _offered(self, entry: Entry, event: ev.SnapshotOffered) -> None:
        is_missing = event.end_offset not in self._kept.get(entry.node, ())
        self._judge(entry, is_missing, f"offered a snapshot of [0,{event.end_offset}) that it does not have")

    def _installed(self, entry: Entry, event: ev.SnapshotInstalled) -> None:
        committed, end = self._ghost.quorum.true_high_watermark, event.end_offset
        what = f"put a snapshot of [0,{end}) in place of its log"
        self._judge(entry, self._ghost.node(entry.node).role == "leader", f"{what} while it leads")
        self._judge(entry, end > committed, f"{what}; only {committed} is committed", self._ghost.quorum.true_event)
        self._kept[entry.node] = {end: event.size_bytes}

    def _advanced(self, entry: Entry, event: ev.MetadataLogStartAdvanced) -> None:
        log, start = self._ghost.quorum.log(entry.node), event.log_start_offset
        what = f"deleted its metadata log before {start}"
        self._judge(entry, start <= log.log_start_offset, f"{what}; it began at {log.log_start_offset}")
        self._judge(entry, start not in self._kept.get(entry.node, ()), f"{what}, where no snapshot of it ends")
        self._judge(entry, start > log.end_offset, f"{what}; it ends at {log.end_offset}")

    def _deleted(self, entry: Entry, event: ev.SnapshotDeleted) -> None:
        kept, start = self._kept.setdefault(entry.node, {}), self._ghost.quorum.log(entry.node).log_start_offset
        kept.pop(event.end_offset, None)
        why = f"deleted the snapshot of [0,{event.end_offset}), with which its log begins"
        self._judge(entry, event.end_offset == start > 0, why)
        self._judge(entry, not kept, f"deleted the snapshot of [0,{event.end_offset}), its last one")

    def _rejected(self, entry: Entry, event: ev.SnapshotRejected) -> None:
        """A file that has gone bad counts for nothing from now on."""
        end = event.path.rpartition("/")[2].partition("-")[0]
        if event.source < 0 and end.isdecimal():
            self._kept.setdefault(entry.node, {}).pop(int(end), None)

    def _same(self, entry: Entry, end_offset: Offset, digest: str) -> None:
        """Two images of one offset."""
        self._report.checked("R10")
        known, told = self._digests.setdefault(end_offset, (digest, entry.id))
        if known != digest:
            sentence = (
                f"node {entry.node} has another image of what is below metadata offset {end_offset} "
                f"than node {told.node} had"
            )
            self._report.violated("R10", sentence, (entry.id, told), scope=METADATA)

    def _judge(self, entry: Entry, is_wrong: bool, what: str, other: EventId | None = None) -> None:  # noqa: FBT001
        self._report.checked("R15")
        if is_wrong:
            events = (entry.id,) if other is None else (entry.id, other)
            self._report.violated("R15", f"node {entry.node} {what}", events, scope=METADATA)
