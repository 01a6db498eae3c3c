"""Writes the short life of one partition by hand: three brokers, one leader after another."""

from __future__ import annotations

from typing import Any

from cluster.invariants.assumptions import Assumptions
from cluster.invariants.checker import Checker
from cluster.invariants.clients.consumers import ConsumerInvariants
from cluster.invariants.clients.polls import PollInvariants
from cluster.invariants.clients.producers import ProducerInvariants
from cluster.invariants.liveness.calm_again import LivenessInvariants
from cluster.invariants.liveness.core import CoreInvariants
from cluster.invariants.liveness.cuts import CutInvariants
from cluster.invariants.liveness.decided import DecidedInvariants
from cluster.invariants.liveness.groups_at_rest import GroupRestInvariants
from cluster.invariants.liveness.moved import MovedInvariants
from cluster.invariants.liveness.readers import ReaderInvariants
from cluster.invariants.replication.acknowledged import AcknowledgedInvariants
from cluster.invariants.replication.committed import CommittedInvariants
from cluster.invariants.replication.compaction import CompactionInvariants
from cluster.invariants.replication.durability import DurabilityInvariants
from cluster.invariants.replication.epochs import EpochInvariants
from cluster.invariants.replication.follower_reads import FollowerReadInvariants
from cluster.invariants.replication.isr import IsrInvariants
from cluster.invariants.replication.log_start import LogStartInvariants
from cluster.invariants.replication.majorities import MajorityInvariants
from cluster.invariants.replication.replica_logs import ReplicaLogInvariants
from cluster.invariants.replication.retention import RetentionInvariants
from cluster.invariants.replication.watermarks import WatermarkInvariants
from cluster.invariants.verdicts.verdict import InvariantVerdict, Verdict
from cluster.model import events as ev
from cluster.model.entry import EventId
from cluster.model.identifiers import TopicPartition
from tests.support.traces.operations import WHERE, Operations
from tests.support.traces.traces import fsynced, recovered

ORDERS = TopicPartition("orders", 0)
ALL = (1, 2, 3)
CONTROLLER = 101
GROUPS = (
    Assumptions,
    CommittedInvariants,
    WatermarkInvariants,
    FollowerReadInvariants,
    MajorityInvariants,
    IsrInvariants,
    EpochInvariants,
    ReplicaLogInvariants,
    LogStartInvariants,
    RetentionInvariants,
    CompactionInvariants,
    AcknowledgedInvariants,
    DurabilityInvariants,
    ProducerInvariants,
    ConsumerInvariants,
    LivenessInvariants,
    CutInvariants,
    CoreInvariants,
    PollInvariants,
    ReaderInvariants,
    GroupRestInvariants,
    DecidedInvariants,
    MovedInvariants,
)
"""The quorum of these runs is not told of, so its invariants are left out."""


class Partition(Operations):
    """Events of orders-0. Each method is one event with the usual values filled in."""

    def __init__(self, **settings: object) -> None:
        super().__init__()
        self.run(**({"hw_gate": True, "elr": True, "truncation_mode": "fetch", "request_timeout_ms": 1000} | settings))

    def verdicts(self, *promised: str) -> dict[str, InvariantVerdict]:
        """By invariant, those of the quorum and of the trace left out."""
        checker = Checker(GROUPS)
        for entry in self.entries:
            checker.feed(entry)
        return {line.info.id: line for line in checker.finish(promised)}

    def bad(self, families: str = "PCL") -> dict[str, Verdict]:
        """Invariants that neither hold nor were left out."""
        return super().bad(families)

    def holds(self, *invariants: str) -> bool:
        """These invariants were evaluated and hold, and no other one is broken."""
        verdicts = self.verdicts()
        assert not self.bad(), [item for invariant in self.bad() for item in verdicts[invariant].violations]
        return all(verdicts[invariant].verdict is Verdict.HOLDS for invariant in invariants)

    def sentence(self, invariant: str) -> str:
        """Of the first violation of an invariant, which nothing excuses."""
        line = self.verdicts()[invariant]
        assert line.verdict is Verdict.VIOLATED, line
        return line.violations[0].sentence

    def excuse(self, invariant: str) -> str:
        """The assumption that excuses every violation of an invariant."""
        line = self.verdicts()[invariant]
        assert line.verdict is Verdict.EXPECTED, line
        broken = line.violations[0].broken
        assert broken is not None
        return broken.assumption

    def brokers(self, *nodes: int) -> None:
        """Start them, with empty logs."""
        self.start(CONTROLLER)
        for node in nodes or ALL:
            self.start(node, "broker")

    def begin(self, **changed: Any) -> None:
        """Brokers 1, 2 and 3, and broker 1 leads them in epoch 0."""
        self.brokers()
        self.elect(1, 0, **changed)

    def decide(
        self,
        leader: int = 1,
        leader_epoch: int = 0,
        partition_epoch: int = 0,
        isr: tuple[int, ...] = ALL,
        *,
        elr: tuple[int, ...] = (),
        minimum: int = 2,
        why: str = "by hand",
        unclean: bool = False,
        node: int = CONTROLLER,
        recovery: str = "",
        asked: tuple[int, ...] = (),
        replicas: tuple[int, ...] = ALL,
    ) -> EventId:
        """The controller decides a state."""
        return self.add(
            node,
            ev.PartitionDecided(
                **WHERE,
                leader=leader,
                leader_epoch=leader_epoch,
                partition_epoch=partition_epoch,
                isr=isr,
                elr=elr,
                replicas=replicas,
                min_insync_replicas=min(minimum, len(replicas)),
                why=why,
                unclean=unclean,
                leader_recovery_state=recovery,
                asked_epochs=asked,
            ),
        )

    def apply(
        self,
        node: int,
        leader: int = 1,
        leader_epoch: int = 0,
        partition_epoch: int = 0,
        isr: tuple[int, ...] = ALL,
        *,
        elr: tuple[int, ...] = (),
        minimum: int = 2,
    ) -> EventId:
        """A broker applies a committed state."""
        return self.add(
            node,
            ev.PartitionApplied(
                **WHERE,
                leader=leader,
                leader_epoch=leader_epoch,
                partition_epoch=partition_epoch,
                isr=isr,
                elr=elr,
                replicas=ALL,
                min_insync_replicas=minimum,
            ),
        )

    def elect(
        self,
        leader: int,
        leader_epoch: int,
        isr: tuple[int, ...] = ALL,
        *,
        partition_epoch: int | None = None,
        start: int = 0,
        high_watermark: int = 0,
        followers: tuple[int, ...] | None = None,
        minimum: int = 2,
        unclean: bool = False,
    ) -> EventId:
        """Decided, applied by leader and followers, and taken up; returns the beginning of the leadership."""
        number = leader_epoch if partition_epoch is None else partition_epoch
        self.decide(leader, leader_epoch, number, isr, minimum=minimum, unclean=unclean)
        self.apply(leader, leader, leader_epoch, number, isr, minimum=minimum)
        began = self.lead(leader, leader_epoch, start, high_watermark, isr)
        for node in isr if followers is None else followers:
            if node != leader:
                self.apply(node, leader, leader_epoch, number, isr, minimum=minimum)
                self.follow(node, leader, leader_epoch, start, high_watermark)
        return began

    def lead(
        self, node: int, leader_epoch: int, start: int, high_watermark: int = 0, isr: tuple[int, ...] = ALL
    ) -> EventId:
        """A broker begins to lead."""
        return self.add(
            node,
            ev.BecameLeader(
                **WHERE, leader_epoch=leader_epoch, epoch_start_offset=start, high_watermark=high_watermark, isr=isr
            ),
        )

    def follow(self, node: int, leader: int, leader_epoch: int, end: int = 0, high_watermark: int = 0) -> EventId:
        """A broker begins to follow."""
        return self.add(
            node,
            ev.BecameFollower(
                **WHERE, leader_epoch=leader_epoch, leader=leader, log_end_offset=end, high_watermark=high_watermark
            ),
        )

    def append(
        self, node: int, base: int, crc: str, epoch: int = 0, *, count: int = 1, cause: EventId | None = None
    ) -> EventId:
        """One batch in a log; who leads the epoch is the leader of it."""
        return self.appended(node, "leader", base, crc, epoch, count, cause)

    def copy(self, node: int, base: int, crc: str, epoch: int = 0, *, count: int = 1) -> EventId:
        """A follower takes one batch over."""
        return self.appended(node, "follower", base, crc, epoch, count, None)

    def appended(
        self, node: int, role: str, base: int, crc: str, epoch: int, count: int, cause: EventId | None
    ) -> EventId:
        """One batch, by either role."""
        return self.add(
            node,
            ev.ReplicaAppended(
                **WHERE,
                base_offset=base,
                count=count,
                end_offset=base + count,
                leader_epoch=epoch,
                batches=((base, count, epoch, crc),),
                role=role,
                size_bytes=80,
            ),
            cause,
        )

    def progress(self, leader: int, follower: int, offset: int, cause: EventId | None = None) -> EventId:
        """The leader hears a fetch."""
        return self.add(
            leader,
            ev.FollowerProgress(**WHERE, replica_id=follower, log_end_offset=offset, leader_log_end_offset=offset),
            cause,
        )

    def advance(
        self, node: int, high_watermark: int, epoch: int = 0, counted: tuple[tuple[int, int], ...] | None = None
    ) -> EventId:
        """A leader's high watermark moves; by default 1, 2 and 3 all reached it."""
        ends = tuple((replica, high_watermark) for replica in ALL) if counted is None else counted
        return self.add(
            node,
            ev.HighWatermarkAdvanced(
                **WHERE, high_watermark=high_watermark, leader_epoch=epoch, role="leader", log_end_offsets=ends
            ),
        )

    def learn(self, node: int, high_watermark: int, epoch: int = 0) -> EventId:
        """A follower's high watermark moves."""
        return self.add(
            node,
            ev.HighWatermarkAdvanced(
                **WHERE, high_watermark=high_watermark, leader_epoch=epoch, role="follower", log_end_offsets=()
            ),
        )

    def replicate(self, base: int, crc: str, epoch: int = 0, *, leader: int = 1, isr: tuple[int, ...] = ALL) -> EventId:
        """One record goes the whole way: appended, copied by the ISR, fetched past, below the high watermark."""
        self.append(leader, base, crc, epoch)
        others = tuple(node for node in isr if node != leader)
        for node in others:
            self.copy(node, base, crc, epoch)
        for node in others:
            self.progress(leader, node, base + 1)
        return self.advance(leader, base + 1, epoch, tuple((node, base + 1) for node in isr))

    def truncate(
        self, node: int, end: int, old_end: int, *, high_watermark: int = 0, mode: str = "fetch", after: int = -1
    ) -> EventId:
        """A follower cuts its log."""
        return self.add(
            node,
            ev.ReplicaTruncated(
                **WHERE,
                end_offset=end,
                old_end_offset=old_end,
                high_watermark=high_watermark,
                mode=mode,
                why="by hand",
                high_watermark_after=after,
            ),
        )

    def recover(
        self, node: int, *crcs: str, epochs: tuple[int, ...] = (), high_watermark: int = 0, why: str = "scanned"
    ) -> EventId:
        """A broker scans its log: one batch of one record for each CRC."""
        of = epochs or (0,) * len(crcs)
        found = tuple((base, 1, of[base], (crc,)) for base, crc in enumerate(crcs))
        return self.add(node, recovered(len(crcs), found, topic="orders", high_watermark=high_watermark, why=why))

    def flush(self, node: int, offset: int, *, durable: int | None = None) -> EventId:
        """A broker's log is flushed up to offset."""
        return self.add(node, fsynced(offset, durable=durable, topic="orders"))

    def power_loss(self, node: int) -> EventId:
        """A node is killed and loses what was not durable."""
        self.exit(node)
        return self.add(0, ev.PowerLost(node_id=node, files=()))

    def register(self, broker: int, broker_epoch: int = 9) -> EventId:
        """The controller registers the newest start of a broker."""
        process = f"{broker}-{self.incarnation[broker]}"
        return self.add(
            CONTROLLER, ev.BrokerRegistered(broker_id=broker, incarnation_id=process, broker_epoch=broker_epoch)
        )

    def propose(
        self,
        leader: int,
        isr: tuple[int, ...],
        old_isr: tuple[int, ...],
        *,
        leader_epoch: int = 0,
        partition_epoch: int = 0,
    ) -> EventId:
        """A leader asks for another ISR."""
        return self.add(
            leader,
            ev.IsrProposed(
                **WHERE,
                isr=isr,
                old_isr=old_isr,
                leader_epoch=leader_epoch,
                partition_epoch=partition_epoch,
                why="by hand",
            ),
        )

    def committed(self, leader: int, isr: tuple[int, ...], partition_epoch: int) -> EventId:
        """A leader learns that its ISR is committed."""
        return self.add(leader, ev.IsrCommitted(**WHERE, isr=isr, partition_epoch=partition_epoch))

    def answer(
        self,
        node: int,
        base: int,
        *,
        acks: int = -1,
        error: int = 0,
        count: int = 1,
        client: str = "producer-1",
        kafka: bool = False,
    ) -> EventId:
        """A broker answers a producer."""
        return self.add(
            node,
            ev.ProduceAnswered(
                **WHERE, client_id=client, error=error, acks=acks, base_offset=base, count=count, kafka_client=kafka
            ),
        )
