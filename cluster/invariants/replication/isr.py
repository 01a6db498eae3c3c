"""What the controller and the leaders do to an ISR. Contract 2.3; Kafka PartitionChangeBuilder, KIP-497, KIP-966."""

from __future__ import annotations

from cluster.invariants.group import Group, Replica, after, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, NO_NODE, NodeId, TopicPartition

State = ev.PartitionDecided | ev.PartitionApplied
UNTOLD = -1


class IsrInvariants(Group):
    """P10, P11, P12 and P23."""

    P10 = invariant(
        "the ISR is sane: leader in it, replicas only, nobody fenced", "KIP-966 TLA+ ValidControllerState", "A1"
    )
    P11 = invariant("partition states change one at a time, by the controller only", "KIP-497", "A1")
    P12 = invariant("only who has caught up in this epoch joins the ISR", "Partition.isFollowerInSync", "A1")
    P23 = invariant("who came back with less is out until it caught up", "KIP-966, KIP-841", "A1", "A2")

    def begin(self) -> None:
        self._caught_up: set[tuple[EventId, EventId]] = set()
        """(decision, loss): what let a replica in that had come back with less."""
        self._heard: set[TopicPartition] = set()
        self._decided: dict[tuple[str, int, int], list[Entry]] = {}
        self._first_applied: dict[tuple[str, int, int], Entry] = {}
        self._applied: dict[Replica, Entry] = {}
        self._proposed: dict[tuple[str, int, int], list[Entry]] = {}

    @after
    def _on_registered(self, entry: Entry, event: ev.BrokerRegistered) -> None:
        """P23: a new process gets a higher broker epoch; what it lost it owes from now on."""
        broker = self.ghost.controllers.of(entry.node).brokers.get(event.broker_id)
        if broker is not None and broker.broker_epoch >= 0:
            self.P23.checks += 1
            again = broker.incarnation_id == event.incarnation_id
            if event.broker_epoch != broker.broker_epoch if again else event.broker_epoch <= broker.broker_epoch:
                self.P23.violated(
                    f"broker {event.broker_id} gets broker epoch {event.broker_epoch} after {broker.broker_epoch}, "
                    f"for {'the same' if again else 'another'} process",
                    entry,
                    broker.event,
                )
        start = -1 if self.ghost.controllers.untold else self.ghost.controllers.incarnation_of(entry)
        for where, ghost in self.ghost.partitions.items():
            lost = ghost.lossy.get(event.broker_id)
            held = self.ghost.controllers.of(entry.node).partitions.get(where)
            if where != METADATA and lost is not None and held is not None and lost.incarnation <= start:
                assert isinstance(held.event, ev.PartitionDecided)
                is_last = held.event.isr == (event.broker_id,)
                joined = self.ghost.controllers.of(entry.node).joined.get((where, event.broker_id))
                has_caught_up = joined is not None and (joined, lost) in self._caught_up
                self._judge_lossy(entry, held.event, where, lost, may_stay=is_last or has_caught_up)

    def _has_registered(self, entry: Entry, lost: EventId) -> bool:
        """Whether this controller knows the process that came back with less, or a later one."""
        broker = self.ghost.controllers.of(entry.node).brokers.get(lost.node)
        return broker is not None and broker.incarnation >= lost.incarnation and not self.ghost.controllers.untold

    @after
    def _on_decided(self, entry: Entry, event: ev.PartitionDecided) -> None:
        where = TopicPartition(event.topic, event.partition)
        self._judge_state(entry, event)
        if self.ghost.is_zookeeper:  # leaders write ISRs, too, and Z6 and Z7 look at what is written
            return
        before = self.ghost.controllers.of(entry.node).partitions.get(where)
        self._judge_members(entry, event, where)
        self._judge_step(entry, event, before)
        old = None if before is None else before.event
        if isinstance(old, ev.PartitionDecided) and set(event.isr) - set(old.isr):
            self._judge_growth(entry, event, where, old)
        if isinstance(old, ev.PartitionDecided):
            self._judge_entry(entry, event, where, old)
        self._heard.add(where)
        self._decided.setdefault((*where, event.partition_epoch), []).append(entry)

    def _judge_state(self, entry: Entry, event: State) -> None:
        """P10 of the state alone."""
        self.P10.checks += 1
        isr, what = set(event.isr), ""
        if event.leader != NO_NODE and event.leader not in isr:
            what = f"leader {event.leader} is not in the ISR {list(event.isr)}"
        elif not isr <= set(event.replicas) or len(isr) != len(event.isr):
            what = f"the ISR {list(event.isr)} is no set of the replicas {list(event.replicas)}"
        elif not isr and not self.ghost.settings.get("elr", True):
            what = "the ISR is empty without eligible leader replicas"
        elif event.min_insync_replicas > len(event.replicas):
            what = f"{event.min_insync_replicas} replicas have to be in sync of {list(event.replicas)}"
        elif isr & set(event.elr):
            what = f"ISR {list(event.isr)} and ELR {list(event.elr)} overlap"
        if what:
            self.P10.violated(what, entry, at="")

    def _judge_members(self, entry: Entry, event: ev.PartitionDecided, where: TopicPartition) -> None:
        """P10: nobody who is fenced stays in an ISR with others; by majority the ISR is all replicas."""
        if len(event.isr) < 2 or self.ghost.partition(*where).by_majority:
            return
        for node in event.isr:
            broker = self.ghost.controllers.of(entry.node).brokers.get(node)
            if broker is not None and broker.fenced and not self.ghost.controllers.untold:
                self.P10.violated(
                    f"broker {node} is fenced and in the ISR {list(event.isr)}", entry, broker.event, at=""
                )

    def _judge_step(self, entry: Entry, event: ev.PartitionDecided, before: Entry | None) -> None:
        """P11: partition epoch +1 each time; leader epoch +1 when and only when the leader changes or replicas leave.

        As in Kafka 3.6 and newer; replicas leave when a reassignment ends.
        """
        if before is None or not isinstance(before.event, ev.PartitionDecided) or self.ghost.controllers.untold:
            return
        old = before.event
        self.P11.checks += 1
        due = old.leader_epoch + (event.leader != old.leader or not set(old.replicas) <= set(event.replicas))
        if event.partition_epoch != old.partition_epoch + 1:
            what = f"partition epoch {event.partition_epoch} follows {old.partition_epoch}"
        elif event.leader_epoch != due:
            what = f"leader {old.leader} becomes {event.leader}, leader epoch {old.leader_epoch} {event.leader_epoch}"
        else:
            return
        self.P11.violated(what, entry, before.id, at="")

    def _judge_growth(
        self, entry: Entry, event: ev.PartitionDecided, where: TopicPartition, old: ev.PartitionDecided
    ) -> None:
        """P12: who joins under a leader that stays was proposed by it, is in service and is the process that fetched.

        An election may make a replica outside an empty ISR the only member: from the ELR, or uncleanly. A move that is
        called off while only those that it added are in sync makes the first that stays the only one, in service or
        not. Where the proposal completes a reassignment, who leaves is out of the ISR in the same change, the leader
        too.
        """
        self.P12.checks += 1
        gone = set(old.replicas) - set(event.replicas)
        proposals = self._proposed.get((*where, old.partition_epoch), [])
        asked = [
            item
            for item in proposals
            if set(item.event.isr) - gone == set(event.isr)  # type: ignore[union-attr]
            and item.node == old.leader
        ]
        if event.leader != old.leader and not (gone and asked) or event.leader == NO_NODE:
            is_taken_back = event.unclean and bool(gone) and event.isr == event.replicas[:1]
            if event.isr != (event.leader,) and not is_taken_back:
                self.P12.violated(f"an election makes the ISR {list(event.isr)} of {list(old.isr)}", entry, at="")
            return
        if not asked:
            self.P12.violated(
                f"the ISR grows from {list(old.isr)} to {list(event.isr)} and leader {event.leader} never asked for it",
                entry,
                at="",
            )
        for node in sorted(set(event.isr) - set(old.isr)):
            broker = self.ghost.controllers.of(entry.node).brokers.get(node)
            if broker is None or self.ghost.controllers.untold:
                continue
            what = "fenced" if broker.fenced else "shutting down" if broker.leaving else ""
            fetched = {_start_of(item.cause, node) for item in asked}
            registered = broker.incarnation
            if not what and fetched and registered >= 0 and not fetched & {registered, UNTOLD}:
                what = f"known by a fetch of start {max(fetched)}, and start {registered} registered"
            if what:
                self.P12.violated(f"broker {node} joins the ISR while it is {what}", entry, broker.event, at="")

    def _judge_entry(
        self, entry: Entry, event: ev.PartitionDecided, where: TopicPartition, old: ev.PartitionDecided
    ) -> None:
        """P23: who came back with less enters an ISR as P12 has it, or uncleanly as the last resort.

        Where it completes a reassignment it may lead at once.
        """
        for node, lost in self.ghost.partition(*where).lossy.items():
            enters = node in {*event.isr, *event.elr} - {*old.isr, *old.elr}
            if enters and self._has_registered(entry, lost):
                completes = bool(set(old.replicas) - set(event.replicas))
                stays = event.leader == old.leader and event.leader != node
                joins = node in event.isr and event.leader != NO_NODE and (stays or completes)
                last_resort = event.isr == (node,) and event.unclean
                if joins or last_resort:
                    self._caught_up.add((entry.id, lost))
                self._judge_lossy(entry, event, where, lost, may_stay=joins or last_resort)

    def _judge_lossy(
        self, entry: Entry, state: ev.PartitionDecided, where: TopicPartition, lost: EventId, *, may_stay: bool
    ) -> None:
        if self.ghost.partition(*where).by_majority:
            return
        self.P23.checks += 1
        if not may_stay and (lost.node in state.isr or lost.node in state.elr):
            self.P23.violated(
                f"broker {lost.node} came back with a shorter log and is in the ISR {list(state.isr)} "
                f"or the ELR {list(state.elr)}",
                entry,
                lost,
                at="",
                scope=where,
            )

    @after
    def _on_proposed(self, entry: Entry, event: ev.IsrProposed) -> None:
        """P12 at the leader: it heard a fetch in this epoch from its start and its high watermark on."""
        where = TopicPartition(event.topic, event.partition)
        self._proposed.setdefault((*where, event.partition_epoch), []).append(entry)
        leadership = self.ghost.here.leaderships.get(entry.node)
        joining = sorted(set(event.isr) - set(event.old_isr))
        if leadership is None:
            return
        needed = max(leadership.high_watermark, leadership.start_offset)
        for node in joining:
            self.P12.checks += 1
            heard = leadership.progress.get(node)
            reached = -1 if heard is None else heard.event.log_end_offset  # type: ignore[union-attr]
            if reached < needed:
                self.P12.violated(
                    f"leader {entry.node} proposes replica {node}, which it heard fetch at {reached}; "
                    f"{needed} is needed, epoch start {leadership.start_offset} and "
                    f"high watermark {leadership.high_watermark}",
                    entry,
                    leadership.event if heard is None else heard.id,
                    at="",
                )

    @after
    def _on_applied(self, entry: Entry, event: ev.PartitionApplied) -> None:
        """P11: what a broker uses was decided, is the same on all, and never goes back.

        In zookeeper mode it does when it starts anew: a controller sends what it has cached, and may not know yet of an
        ISR that the leader wrote. The leader's next write fails for its version then (KAFKA-2729).
        """
        where = TopicPartition(event.topic, event.partition)
        self._judge_state(entry, event)
        self.P11.checks += 1
        key = (*where, event.partition_epoch)
        first = self._first_applied.setdefault(key, entry)
        if not _same(first.event, event):
            self.P11.violated(
                f"two brokers apply different states of partition epoch {event.partition_epoch}", entry, first.id, at=""
            )
        decided = self._decided.get(key, [])
        is_heard = where in self._heard and not self.ghost.controllers.untold
        if is_heard and not any(_same(item.event, event) for item in decided):
            what = f"broker {entry.node} applies a state of partition epoch {event.partition_epoch} nobody decided"
            others = tuple(item.id for item in decided[-1:])
            self.P11.violated(what, entry, *others, at="")
        older = self._applied.get((*where, entry.node))
        self._applied[*where, entry.node] = entry
        if older is None or (self.ghost.is_zookeeper and older.id.incarnation != entry.id.incarnation):
            return
        if event.partition_epoch < older.event.partition_epoch:  # type: ignore[union-attr]
            self.P11.violated(
                f"broker {entry.node} goes back to partition epoch {event.partition_epoch}", entry, older.id, at=""
            )

    @after
    def _on_committed(self, entry: Entry, event: ev.IsrCommitted) -> None:
        """P11: an ISR that a leader was told of was decided."""
        where = TopicPartition(event.topic, event.partition)
        self.P11.checks += 1
        decided = self._decided.get((*where, event.partition_epoch), [])
        if not any(set(item.event.isr) == set(event.isr) for item in decided):  # type: ignore[union-attr]
            if self.ghost.controllers.untold or where not in self._heard:
                return
            what = f"leader {entry.node} uses the ISR {list(event.isr)} of partition epoch {event.partition_epoch}"
            self.P11.violated(f"{what}, which nobody decided", entry, at="")


def _start_of(cause: EventId | None, node: NodeId) -> int:
    """The start of a replica whose fetch led to a proposal, when the cause of that fetch was its own."""
    return UNTOLD if cause is None or cause.node != node else cause.incarnation


def _same(one: object, other: ev.PartitionApplied) -> bool:
    """Whether two states are equal in all that is told of both."""
    assert isinstance(one, State)
    mine = (one.leader, one.leader_epoch, set(one.isr), set(one.elr), one.replicas)
    return mine == (other.leader, other.leader_epoch, set(other.isr), set(other.elr), other.replicas)
