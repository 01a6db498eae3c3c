"""Missions about partitions: records, the ISR, acknowledgements, disks."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events.load import CLIENT as LOAD_CLIENT
from cluster.model.identifiers import INTERNAL_TOPICS, METADATA, NodeId, Offset, TopicPartition
from workbench.session.missions.mission import Attempt, Mission, seconds_said
from workbench.session.views.cluster import ClusterView
from workbench.telling.words import node_name, nodes

NOT_ENOUGH = (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
REPLICAS_MIN = 2
"""A partition with fewer has no follower to tell of."""


def _part(event: Any) -> TopicPartition:
    return TopicPartition(event.topic, event.partition)


def _age(state: ev.PartitionApplied) -> tuple[Offset, int]:
    """The greater, the newer; where a trace does not tell the offset, the partition epoch does it alone."""
    return state.metadata_offset, state.partition_epoch


class FollowRecord(Mission):
    """A record of the learner's own is on every replica and acknowledged."""

    name, title = "follow-record", "Follow one record to all replicas"
    watches = (ev.OperationInvoked, ev.OperationSucceeded, ev.ReplicaAppended)
    steps = ("you write a record", "it is acknowledged", "every replica has it")

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._asked: dict[tuple[str, int], int] = {}
        """Own writes that have no answer yet, and when they began."""
        self._where: tuple[TopicPartition, Offset, int] | None = None
        """The record that is followed and when it was written; None before it has an offset."""

    def hint(self, picture: ClusterView) -> str:  # noqa: ARG002
        """One key."""
        return (
            "Press {client.write} to write one. Watch it go from the leader to the other replicas, and how the high "
            "watermark follows it. The producer that runs by itself does not count."
        )

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:
        """From the write to the last replica."""
        match event:
            case ev.OperationInvoked(function="produce", client_id=client) if not client.startswith(LOAD_CLIENT):
                self._asked[client, event.operation_id] = entry.t_ns
                self.tick(0)
            case ev.OperationSucceeded(client_id=client, operation_id=number) if (client, number) in self._asked:
                began_ns = self._asked.pop((client, number))
                if event.base_offset >= 0:
                    self._where = _part(event), event.base_offset, began_ns
                    self.tick(1, f"record {event.base_offset} is acknowledged")
        if self._where is not None:
            self._look(entry, *self._where, picture)

    def _look(self, entry: Entry, tp: TopicPartition, offset: Offset, began_ns: int, picture: ClusterView) -> None:
        facts = picture.facts(tp)
        if facts is None or len(facts.replicas) < REPLICAS_MIN:
            return
        logs = [picture.logs.get((node, tp)) for node in facts.replicas]
        if all(log is not None and log.log_end_offset > offset for log in logs):
            self.tick(2, f"{nodes(facts.replicas)} have it")
            self.done(seconds_said(entry.t_ns - began_ns))


class LeaveIsr(Mission):
    """A follower leaves the ISR though no process was ended."""

    name, title, price, may_kill = "leave-isr", "Put a follower out of the ISR", "no kill", False
    watches = (ev.ReplicaLagging, ev.PartitionApplied, ev.BrokerFenced, ev.BrokerUnfenced)
    steps = ("a follower falls behind", "the ISR goes on without it")

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._known: dict[TopicPartition, ev.PartitionApplied] = {}
        """The newest state of each partition that any broker has applied."""
        self._behind: dict[tuple[TopicPartition, NodeId], str] = {}
        """Followers that are late, or silent, each in the words of its step."""

    def hint(self, picture: ClusterView) -> str:  # noqa: ARG002
        """Three ways."""
        return (
            "A replica that does not catch up in time leaves the ISR. Select a follower of orders-0 and press "
            "{node.pause}: its process stands still. Watch n1, n2 and n3 in the map, then press {node.pause} again."
        )

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """The ISR as brokers apply it. A leader that is out of it was no follower, and who outlives it is not late."""
        match event:
            case ev.ReplicaLagging(replica_id=node) if event.topic not in INTERNAL_TOPICS:
                tp = _part(event)
                if not event.lagging:
                    self._behind.pop((tp, node), None)
                elif tp not in self._known or self._known[tp].leader == entry.node:
                    self._behind[tp, node] = f"{node_name(node)} falls behind"
            case ev.BrokerFenced(broker_id=node):
                for tp, state in self._known.items():
                    if node in state.isr and node != state.leader:
                        self._behind[tp, node] = f"{node_name(node)} is silent, and is fenced"
            case ev.BrokerUnfenced(broker_id=node):
                self._behind = {key: text for key, text in self._behind.items() if key[1] != node}
            case ev.PartitionApplied() if event.topic not in INTERNAL_TOPICS:
                self._on_state(event)
        if not self.result:
            self._say()

    def _on_state(self, event: ev.PartitionApplied) -> None:
        tp = _part(event)
        before = self._known.get(tp)
        if before is not None and _age(event) <= _age(before):
            return  # a broker that applies later what others did before
        self._known[tp] = event
        gone = [node for node in before.isr if node not in event.isr and node != before.leader] if before else []
        if gone and before and event.isr and self.attempt.count:
            self._say()
            self.tick(1, f"ISR {len(before.isr)} to {len(event.isr)}: {nodes(gone)} out")
            self.done("no kill")
        elif before and event.leader != before.leader:
            self._behind = {key: text for key, text in self._behind.items() if key[0] != tp}

    def _say(self) -> None:
        """The first step, as long as somebody is late."""
        if self._behind:
            self.tick(0, next(iter(self._behind.values())))
        else:
            self.reset()


class RefuseAcksAll(Mission):
    """A write with acks=all is refused, since too few replicas are in sync."""

    name, title, price, faults_max = "refuse-acks-all", "Have acks=all refused", "2 faults", 2
    watches = (ev.PartitionApplied, ev.ProduceRefused, ev.OperationRetried, ev.OperationFailed, ev.OperationUnknown)
    steps = ("too few replicas are in sync", "a write with acks=all is refused")

    def hint(self, picture: ClusterView) -> str:
        """The bound, with the number of the partition in view."""
        partitions = [item for tp, item in picture.partitions.items() if tp.topic not in INTERNAL_TOPICS]
        least = partitions[0].min_insync_replicas if partitions else 2
        return (
            f"min.insync.replicas is {least}: with fewer in sync, acks=all is refused and nothing is written. "
            "Put two followers out, as with {node.pause}. A third fault is one too many: {net.heal} heals all, and you "
            "begin anew."
        )

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """What a leader or a client says of it."""
        if isinstance(event, ev.PartitionApplied):
            is_short = 0 < len(event.isr) < event.min_insync_replicas and event.topic not in INTERNAL_TOPICS
            if is_short:
                self.tick(0, f"{len(event.isr)} in sync, {event.min_insync_replicas} needed")
        elif event.error in NOT_ENOUGH and self.attempt.count:
            self.tick(1, f"refused: {ErrorCode(event.error).name}")
            self.done()


class LoseRecord(Mission):
    """A record that a client was told is written is on no replica any more."""

    name, title, price, faults_max = "lose-record", "Lose an acknowledged record", "3 faults", 3
    watches = (ev.LoadStarted, ev.OperationInvoked, ev.FaultApplied, ev.BecameLeader, ev.ReplicaTruncated)
    steps = ("a producer does not wait for all", "something breaks while it writes", "no replica has its records")
    afterwards = "Can you do it with acks=all?"

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._acks = -1

    def hint(self, picture: ClusterView) -> str:  # noqa: ARG002
        """What is to be brought together."""
        return (
            "A leader that acknowledges alone can die alone. Type {cmd}load 2 acks=1. Part the leader of orders-0 from "
            "the other brokers: {net.partition}, then 1|2,3. Let it write for a second, then kill it with {node.kill}. "
            "Who leads next? And what does it do, once {cmd}heal and {node.restart} bring it back?"
        )

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """Acknowledged records against the logs of all."""
        match event:
            case ev.LoadStarted(acks=acks):
                self._note(acks)
            case ev.OperationInvoked(function="produce", acks=acks):
                self._note(acks)
            case ev.FaultApplied():
                if self.ticks:
                    self.tick(1, ", ".join(f"{_verb(item)} {item.arguments}" for item in self.attempt.faults.values()))
            case ev.BecameLeader() | ev.ReplicaTruncated():
                gone = picture.missing(_part(event))
                count, _ = gone.counts
                if count and _part(event) != METADATA:
                    first = gone.lost[0].base_offset
                    self.tick(2, f"{count} acknowledged record{'s' * (count != 1)} lost, from {first} on")
                    self.done()

    def _note(self, acks: int) -> None:
        if acks != -1:
            self.tick(0, f"a producer writes with acks={acks}")


class LyingDisk(Mission):
    """A disk loses what it had called written."""

    name, title, price, faults_max = "lying-disk", "Make a disk lie", "2 faults", 2
    watches = (ev.FaultApplied, ev.PowerLost)
    steps = ("a disk says written, and has not", "the power goes, and bytes with it")

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._liars: set[NodeId] = set()
        self._gone = ""
        """What a power loss took that a disk had called written; the fault itself is told after it."""

    def hint(self, picture: ClusterView) -> str:  # noqa: ARG002
        """Two keys."""
        return (
            "A disk that lies says that a flush is done, and keeps the bytes in its cache. Controllers flush what they "
            "write. Select one, press {disk.fsync} until its disk lies, and wait a moment. Then {node.powerloss} takes "
            "its power away."
        )

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """What power loss took from a disk that had lied."""
        if isinstance(event, ev.PowerLost):
            gone = sum(max(0, claimed - kept) for _, _, claimed, _, kept in event.files)
            if event.node_id in self._liars and gone:
                self._gone = f"{gone} bytes of {node_name(event.node_id)} are gone, and it had called them written"
        elif event.kind == "PowerLoss" and self._gone:
            self.tick(1, self._gone)
            self.done()
        elif event.kind in ("FsyncLie", "FsyncLieDir"):
            self._liars.update(event.nodes)
            self.tick(0, f"the disk of {nodes(event.nodes)} lies")


def _verb(event: ev.FaultApplied) -> str:
    from cluster.faults.grammar import VERB_OF

    return VERB_OF.get(event.kind, event.kind)
