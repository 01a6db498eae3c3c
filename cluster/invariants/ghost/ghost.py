"""The run as its events tell it: every log through restarts, cuts and power losses; nodes; what is committed."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import repeat
from typing import Any

from cluster.invariants.causal_order import Passage
from cluster.invariants.fault_kinds import DAMAGE, LYING
from cluster.invariants.ghost.calm import Calm
from cluster.invariants.ghost.controller_image import ControllerImages
from cluster.invariants.ghost.group_book import GroupBook
from cluster.invariants.ghost.log import Contradiction, GhostLog, agree, pack
from cluster.invariants.ghost.parts import AT_ONCE_NS, UNTOLD_EPOCH, NodeGhost, PartitionGhost, Persisted, Stamp
from cluster.invariants.ghost.voters import Electorate, Voting
from cluster.invariants.watcher import Placed, Watcher, fold
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, NO_NODE, UNKNOWN_OFFSET, NodeId, Offset, TopicPartition
from cluster.model.topic_settings import COMMIT_RULE, MAJORITY

ACKS_ALL = -1
RUN_RULE = "commit_rule"
"""The setting of the run for topics without a COMMIT_RULE of their own."""


class _Partitions(dict[TopicPartition, PartitionGhost]):
    """One that is asked for is there. A pair is equal to the TopicPartition, has its hash, and is cheaper to make."""

    def __missing__(self, key: tuple[str, int]) -> PartitionGhost:
        found = self[TopicPartition(*key)] = PartitionGhost()
        return found


class Ghost(Watcher):
    """Believes each event that a node says of itself, and nothing that it says of others."""

    def __init__(self, passage: Passage | None = None) -> None:
        self.passage = passage or Passage()
        """What was noticed of the trace itself."""
        self.nodes: dict[NodeId, NodeGhost] = defaultdict(NodeGhost)
        """By node; one that is asked for is there. The lab and clients are not among them."""
        self.quorum = PartitionGhost()
        self.partitions: dict[TopicPartition, PartitionGhost] = _Partitions({METADATA: self.quorum})
        """By partition, the metadata log included."""
        self.here = self.quorum
        """That of the event at hand, where its class `names_partition`."""
        self.voting = Voting(self.nodes, self.quorum)
        self.groups = GroupBook()
        self.calm = Calm()
        self.calm_without_dead = Calm(dead_disturb=False)
        self.controllers = ControllerImages(self.nodes, self.quorum)
        self.operations: dict[tuple[str, int], tuple[Entry, ev.OperationInvoked]] = {}
        """Those of clients that have not ended, by client and number."""
        self.registered: dict[NodeId, int] = {}
        """Newest start of each broker that an active controller has registered."""
        self.settings: dict[str, Any] = {}
        self._commit_rules: dict[str, str] = {}
        self.made: dict[str, tuple[int, int]] = {}
        """By topic, of how many partitions and replicas it was made; nothing where that was not told."""
        self.world = ""
        """processes or simulation."""
        self.contradictions: list[Contradiction] = []
        """Of the append or recovery just taken in: batches whose epoch and offset had another prefix before."""

    def partition(self, topic: str, partition: int) -> PartitionGhost:
        """What is known of a partition."""
        return self.partitions[topic, partition]  # type: ignore[index]  # it is found like the TopicPartition

    def of(self, event: Placed) -> PartitionGhost:
        """What is known of the partition that an event is about."""
        return self.partitions[event.topic, event.partition]  # type: ignore[index]  # it is found like the TopicPartition

    @property
    def is_zookeeper(self) -> bool:
        """Whether leaders write their ISRs to znodes, and a controller that won a race the rest."""
        return self.settings.get("control") == "zookeeper"

    @fold
    def _run_started(self, _entry: Entry, event: ev.RunStarted) -> None:
        self.world = event.world
        try:
            settings = json.loads(event.config)
        except (ValueError, RecursionError):
            return
        self.settings = settings if isinstance(settings, dict) else {}
        self.voting.is_dynamic = bool(self.settings.get("dynamic_quorum"))
        if self.is_zookeeper:
            self.settings["elr"] = False  # there are no eligible leader replicas in that mode

    @fold
    def _process_started(self, _entry: Entry, event: ev.ProcessStarted) -> None:
        node = self.nodes[event.node_id]
        node.incarnation, node.is_running, node.exit_event, node.role = event.incarnation_number, True, None, ""

    @fold
    def _process_exited(self, entry: Entry, event: ev.ProcessExited) -> None:
        node = self.nodes[event.node_id]
        node.is_running, node.exit_event, node.role = False, entry.id, ""
        if node.adopting is not None and entry.t_ns - node.adopting[0] < AT_ONCE_NS:  # told, and perhaps not written
            node.adopting[1].adopted[event.node_id] = UNTOLD_EPOCH, entry.id

    @fold
    def _power_lost(self, entry: Entry, event: ev.PowerLost) -> None:
        self.nodes[event.node_id].power_lost = entry.id
        for log in self._logs_of(event.node_id):
            log.power_lost = entry.id

    @fold
    def _fault_applied(self, entry: Entry, event: ev.FaultApplied) -> None:
        nodes = event.nodes or tuple(self.nodes)  # an older trace does not say whose disk: it may be any
        for number in nodes if event.kind in DAMAGE else ():
            self.nodes[number].damaged = entry.id
            if event.kind == "Wipe" and self.voting.is_dynamic and self.settings.get("voter_directories", True):
                self.nodes[number].is_replaced, self.nodes[number].persisted = True, None  # another disk, another voter
            for log in self._logs_of(number):
                log.damaged = entry.id
        for number in nodes if event.kind == LYING else ():
            node = self.nodes[number]
            node.lied = node.lied or entry.id

    def _logs_of(self, node: NodeId) -> list[GhostLog]:
        return [ghost.logs[node] for ghost in self.partitions.values() if node in ghost.logs]

    @fold
    def _fsynced(self, entry: Entry, event: ev.Fsynced) -> None:
        log = self.here.logs[entry.node]
        log.claimed_offset, log.durable_offset = event.claimed_offset, event.durable_offset
        if event.lied:
            node = self.nodes[entry.node]
            node.lied = node.lied or entry.id

    @fold
    def _recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        ghost = self.here
        if entry.node in ghost.removed:
            ghost.removed.remove(entry.node)
            ghost.logs[entry.node] = GhostLog()
        log = ghost.logs[entry.node]
        ghost.compacted.recover(entry.node)
        if event.log_end_offset < log.end_offset:
            ghost.note_cut(entry.node, log.end_offset)
            ghost.lossy[entry.node] = entry.id
        if log.damaged is not None or (log.power_lost is not None and self.nodes[entry.node].lied is not None):
            ghost.adopted[entry.node] = UNTOLD_EPOCH, entry.id
        log.cut(event.log_end_offset)
        start = event.log_start_offset
        batches = [
            (base, count, epoch, "".join(digests[:1]))
            for base, count, epoch, digests in event.batches
            if base + count > start and base >= ghost.compacted.thin_to.get(entry.node, 0)
        ]
        self.contradictions = ghost.lineage.take_in(log, batches, pack(entry))
        log.high_watermark, log.log_start_offset = event.high_watermark, start
        if ghost is self.quorum and start and event.log_end_offset == start:
            self._replace_by_committed(log, start)
        if log.end_offset < start:
            log.restart_at(start)
        log.power_lost = None
        if event.why != "clean":  # else nobody has read it, and what is damaged is still to be found
            log.damaged = None
        if event.claimed_offset != UNKNOWN_OFFSET:
            log.claimed_offset = event.claimed_offset
        if ghost is self.quorum:  # opening it flushes it
            log.claimed_offset = log.end_offset
            log.high_watermark = -1

    @fold
    def _persisted(self, entry: Entry, event: ev.ElectionPersisted) -> None:
        node = self.nodes[entry.node]
        node.persisted = Persisted(event.epoch, event.voted_for, not event.lied, entry.id)
        if event.lied:
            node.lied = node.lied or entry.id

    @fold
    def _booted(self, entry: Entry, event: ev.QuorumBooted) -> None:
        if not self.voting.is_dynamic:
            self.voting.voters = event.voters or self.voting.voters
        node = self.nodes[entry.node]
        node.epoch, node.leader_id, node.voted_for = event.epoch, event.leader_id, event.voted_for
        node.voted_event = entry.id
        self._read_back(entry, node, event)
        node.power_lost = node.damaged = None
        if entry.node not in event.voters:
            node.role = "observer"
        else:
            has_led = event.leader_id == entry.node and len(event.voters) > 1
            node.role = "resigned" if has_led else "unattached"

    @fold
    def _voters_changed(self, entry: Entry, event: ev.VotersChanged) -> None:
        node = self.nodes[entry.node]
        now, is_leader = Electorate(event.voters, event.directories, event.offset), node.role == "leader"
        self.voting.records.note(entry.node, event.directory_id, event.epoch, now, is_leader=is_leader)
        node.is_replaced = False
        if node.role == "unattached" and not self.voting.is_voter(entry.node):  # it has just begun
            node.role = "observer"
        self.voting.voters = self.voting.in_force().nodes or self.voting.voters

    def _read_back(self, entry: Entry, node: NodeGhost, event: ev.QuorumBooted) -> None:
        """A node goes on from what its disk gave back: a file of before the run, or an older one after a power loss.

        Whether it had to give back more is judged before this.
        """
        held, found = node.persisted, (event.epoch, event.voted_for)
        if (held.epoch, held.voted_for) != found if held is not None else event.voted_for != NO_NODE:
            node.persisted = Persisted(event.epoch, event.voted_for, True, entry.id)

    @fold
    def _role_changed(self, entry: Entry, event: ev.RoleChanged) -> None:
        node = self.nodes[entry.node]
        node.role, node.epoch, node.leader_id, node.voted_for = (
            event.role,
            event.epoch,
            event.leader_id,
            event.voted_for,
        )
        node.voted_event = entry.id

    @fold
    def _leader_elected(self, entry: Entry, event: ev.LeaderElected) -> None:
        self.quorum.leaders.setdefault(event.epoch, Stamp(entry.node, entry.id))
        if self.voting.is_dynamic:
            self.voting.voters = self.voting.in_force().nodes or self.voting.voters

    @fold
    def _metadata_appended(self, entry: Entry, event: ev.MetadataAppended) -> None:
        log = self.quorum.logs[entry.node]
        if log.end_offset > event.base_offset:
            log.cut(event.base_offset)
        ends = [*(base for _, base in event.epochs[1:]), event.end_offset]
        digests = event.digests or repeat("")
        told = zip(event.epochs, ends, digests, strict=False)
        batches = [(base, end - base, epoch, digest) for (epoch, base), end, digest in told]
        self.contradictions = self.quorum.lineage.take_in(log, batches, pack(entry))

    @fold
    def _metadata_truncated(self, entry: Entry, event: ev.MetadataTruncated) -> None:
        self.quorum.logs[entry.node].cut(event.end_offset)

    @fold
    def _metadata_log_start(self, entry: Entry, event: ev.MetadataLogStartAdvanced) -> None:
        """What was deleted stays known here."""
        self.quorum.logs[entry.node].log_start_offset = event.log_start_offset

    @fold
    def _snapshot_installed(self, entry: Entry, event: ev.SnapshotInstalled) -> None:
        log = self.quorum.logs[entry.node]
        self._replace_by_committed(log, event.end_offset)
        log.log_start_offset = log.claimed_offset = log.durable_offset = event.end_offset
        log.high_watermark = max(log.high_watermark, event.end_offset)  # it stands for nothing that is not committed

    def _replace_by_committed(self, log: GhostLog, end_offset: Offset) -> None:
        """Whose log is a snapshot holds all that is committed before its end; the rest of what it had is gone."""
        log.restart_at(0)
        log.copy_up_to(self.quorum.committed, end_offset)
        if log.end_offset != end_offset:
            log.restart_at(end_offset)

    @fold
    def _metadata_high_watermark(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        self.quorum.logs[entry.node].high_watermark = event.high_watermark
        if event.role == "leader":
            self._advance(entry, self.quorum, event.epoch, event.high_watermark)

    @fold
    def _topic_created(self, entry: Entry, event: ev.TopicCreated) -> None:
        self._commit_rules.pop(event.topic, None)
        factor = entry.decision.numbers.get("replication_factor") if entry.decision else None
        self.made[event.topic] = (event.partitions, factor) if isinstance(factor, int) else (0, 0)

    @fold
    def _topic_configured(self, _entry: Entry, event: ev.TopicConfigChanged) -> None:
        if event.config == COMMIT_RULE:
            self._commit_rules[event.topic] = event.value

    @fold
    def _adopted(self, entry: Entry, event: ev.EpochAdopted) -> None:
        """By majority nobody joins an ISR anew: who came back with less has caught up when it counts again."""
        ghost = self.here
        ghost.adopted[entry.node] = event.leader_epoch, entry.id
        self.nodes[entry.node].adopting = entry.t_ns, ghost
        if entry.node in ghost.lossy and agree(ghost.logs[entry.node], ghost.committed, ghost.true_high_watermark):
            del ghost.lossy[entry.node]

    @fold
    def _log_removed(self, entry: Entry, event: ev.LogRemoved) -> None:
        """It was a replica of a topic that is gone, or was moved: nothing is judged until it opens one again, empty."""
        ghost = self.here
        ghost.note_cut(entry.node, ghost.logs[entry.node].end_offset)  # a fetch of before may be on its way
        ghost.logs[entry.node] = GhostLog()
        ghost.logs[entry.node].is_known = False
        ghost.removed.add(entry.node)
        if ghost.newest is not None and ghost.newest.node == entry.node:
            ghost.newest.is_left = True
        ghost.lossy.pop(entry.node, None)
        ghost.adopted.pop(entry.node, None)

    @fold
    def _decided(self, entry: Entry, event: ev.PartitionDecided) -> None:
        ghost = self.here
        ghost.by_majority = self._commit_rules.get(event.topic, self.settings.get(RUN_RULE)) == MAJORITY
        ghost.min_insync = event.min_insync_replicas
        if event.leader >= 0:
            ghost.leaders.setdefault(event.leader_epoch, Stamp(event.leader, entry.id))

    @fold
    def _applied(self, entry: Entry, event: ev.PartitionApplied) -> None:
        """What is applied is committed: it overrules a decision of the same epoch that was dropped."""
        ghost = self.here
        ghost.applied_replicas[entry.node], ghost.follows[entry.node] = event.replicas, event.leader
        if event.partition_epoch > ghost.partition_epoch:
            ghost.note_isr(event.isr, event.partition_epoch, self.registered)
            ghost.min_insync = event.min_insync_replicas
            ghost.leader, ghost.leader_epoch = event.leader, event.leader_epoch
        made = ghost.leaders.get(event.leader_epoch)
        if event.leader >= 0 and (made is None or made.node != event.leader):
            ghost.leaders[event.leader_epoch] = Stamp(event.leader, entry.id)

    @fold
    def _replica_appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        ghost = self.here
        log = ghost.logs[entry.node]
        if log.end_offset > event.base_offset:
            log.cut(event.base_offset)
        if ghost.deleted_to > log.log_start_offset and event.role != "leader" and ghost.heeds_newest(entry.node):
            ghost.forget_deleted(log, min(ghost.deleted_to, log.end_offset))
        batches = ghost.compacted_copy(entry.node, event) if ghost.compacted.end_offset else event.batches
        self.contradictions = ghost.lineage.take_in(log, batches, pack(entry))

    @fold
    def _replica_truncated(self, entry: Entry, event: ev.ReplicaTruncated) -> None:
        ghost = self.here
        log = ghost.logs[entry.node]
        ghost.note_cut(entry.node, log.end_offset)
        log.cut(event.end_offset)
        start = min(log.log_start_offset, event.end_offset)
        # It began at the cut or above, or a part of the batch that holds the start was all that it had.
        if event.end_offset <= log.log_start_offset or not start <= log.end_offset <= event.end_offset:
            log.restart_at(start)
        log.log_start_offset = start
        leader = ghost.newest
        if leader is not None and log.end_offset <= ghost.logs[leader.node].log_start_offset:
            ghost.forget_deleted(log, log.end_offset)
        log.high_watermark = min(log.high_watermark, event.end_offset)

    @fold
    def _log_start(self, entry: Entry, event: ev.LogStartAdvanced) -> None:
        """What was deleted stays known here, but for a log that begins anew past its end."""
        ghost = self.here
        log, start = ghost.logs[entry.node], event.log_start_offset
        log.log_start_offset = start
        if event.role == "leader":
            ghost.deleted_to = max(ghost.deleted_to, start)
            return
        if start > log.end_offset:
            log.restart_at(start)
        if ghost.heeds_newest(entry.node):
            ghost.forget_deleted(log, start)

    @fold
    def _cleaning_began(self, entry: Entry, event: ev.CleaningBegan) -> None:
        self.here.compacted.begun[entry.node] = event.end_offset

    @fold
    def _cleaned(self, entry: Entry, event: ev.LogCleaned) -> None:
        self.here.compacted.take(entry.node, event)

    @fold
    def _expired(self, _entry: Entry, event: ev.SegmentsExpired) -> None:
        """Each replica lets go what is old in its own log: what went anywhere need not be the same everywhere."""
        ghost = self.here
        ghost.deleted_to = max(ghost.deleted_to, event.segments[-1][1])

    @fold
    def _progress(self, entry: Entry, event: ev.FollowerProgress) -> None:
        """Who takes a follower's fetch calls what is before its own log start deleted there, too, whatever it was."""
        ghost = self.here
        if ghost.deleted_to and ghost.newest is not None and ghost.newest.node == entry.node:
            log = ghost.logs[event.replica_id]
            ghost.forget_deleted(log, min(ghost.logs[entry.node].log_start_offset, log.end_offset))

    @fold
    def _high_watermark(self, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
        ghost = self.here
        ghost.logs[entry.node].high_watermark = event.high_watermark
        if event.role == "leader":
            self._advance(entry, ghost, event.leader_epoch, event.high_watermark)

    def _advance(self, entry: Entry, ghost: PartitionGhost, epoch: int, high_watermark: Offset) -> None:
        """A leader that was made so says that all below is committed."""
        made = ghost.leaders.get(epoch)
        if made is None or made.node != entry.node or high_watermark <= ghost.true_high_watermark:
            return
        ghost.true_high_watermark, ghost.true_event, ghost.true_epoch = high_watermark, entry.id, epoch
        ghost.committed.copy_up_to(ghost.logs[entry.node], high_watermark)
