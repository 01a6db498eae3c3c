"""Groups of the newer protocol (KIP-848): member epochs, and one owner of a partition at a time. GR11, GR1, GR2, GR4.

A coordinator tells of each step once its records are committed, in the order of the offsets topic's log. What a member
may have, and what it has yet to give up, is all its own: nobody else may have it. One that was replaced may tell late.
"""

from __future__ import annotations

from cluster.invariants.ghost.calm import Turn
from cluster.invariants.ghost.group_book import Aim, GroupGhost, Key
from cluster.invariants.group import LOSS, Group, after, invariant, shown
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import TopicPartition

SLACK_MS = 2_000
"""Between the end of a session, after which a silent member is out, and what follows from that."""
NS_PER_MS = 1_000_000
AWAY = -2
"""Member epoch of a static member that is away for a while."""

ONE_OWNER = invariant("one owner per generation", "Kafka ConsumerPartitionAssignor")
NOTHING_LEFT_OUT = invariant("no subscribed partition is left out", "Kafka ConsumerPartitionAssignor, KIP-429")
NEVER_GOES_BACK = invariant("the generation never goes back", "Kafka GroupMetadata", *LOSS)


class EpochInvariants(Group):
    """Follows groups of the newer protocol; what is known of all groups is the book's."""

    GR1 = ONE_OWNER
    GR2 = NOTHING_LEFT_OUT
    GR4 = NEVER_GOES_BACK
    GR11 = invariant("member epochs never go back; one owner at a time", "KIP-848", *LOSS)

    @after
    def _on_loaded(self, entry: Entry, event: ev.ConsumerGroupLoaded) -> None:
        """GR11: a new coordinator knows no member in an epoch before the one that was committed.

        Who is in the group is what the log says. The coordinator before may have appended that a member is out, or in,
        and have lost its leadership before that was committed: then nobody tells of it but the one that reads it.
        """
        home = self.ghost.groups.home(event.group)
        if home is not None and not self.ghost.groups.is_of_newest_load(home.partition, entry.node, event.end_offset):
            return
        group = self.ghost.groups.group(event.group)
        for member_id, _client, epoch in event.members:
            self._check_epoch(entry, event.group, group, member_id, epoch)
        group.is_consumer, group.epochs, group.holds = True, {}, {}
        group.members = {member_id: group.members.get(member_id, 0) for member_id, _, _ in event.members}
        for member_id, _client, epoch in event.members:
            group.epochs[member_id] = (epoch, entry.id)
        for member_id, topic, partition in event.held:
            group.holds.setdefault(member_id, set())
            self._check_owner(entry, event.group, group, member_id, (topic, partition))
            group.holds[member_id].add((topic, partition))

    @after
    def _on_targeted(self, entry: Entry, event: ev.ConsumerGroupTargeted) -> None:
        """GR1, GR2 and GR4 of a target assignment: each partition once, none left out, group epochs in order."""
        if self.ghost.groups.is_old(event.group, event.offset):
            return
        group, home = self.ghost.groups.group(event.group), self.ghost.groups.home(event.group)
        self.GR4.checks += 1
        if event.group_epoch < group.generation:
            self.GR4.violated(
                f"group {shown(event.group)} goes back from group epoch {group.generation} to {event.group_epoch}",
                entry,
                group.assigned,
                scope=home,
            )
        owners: dict[Key, str] = {}
        for member_id, topic, partition in event.assignments:
            self.GR1.checks += 1
            if owners.setdefault((topic, partition), member_id) != member_id:
                self.GR1.violated(
                    f"the target of group epoch {event.group_epoch} gives {shown(topic)}-{partition} to two members",
                    entry,
                )
        for topic in sorted({topic for topic, _ in owners}):
            indexes = {partition for name, partition in owners if name == topic}
            made = 0 if self.ghost.is_zookeeper else self.ghost.groups.partition_counts.get(topic, 0)
            count = max(len(indexes), made)  # in zookeeper mode a partition without a live replica is told to nobody
            self.GR2.checks += 1
            if indexes != set(range(count)) and topic not in self.ledger.deleted:
                self.GR2.violated(
                    f"the target of group epoch {event.group_epoch} leaves out a partition of {shown(topic)}", entry
                )
        self._check_topics(entry, event, group, frozenset(topic for topic, _ in owners))
        group.is_consumer, group.generation, group.assigned = True, event.group_epoch, entry.id

    def _check_topics(
        self, entry: Entry, event: ev.ConsumerGroupTargeted, group: GroupGhost, topics: frozenset[str]
    ) -> None:
        """GR2 of whole topics: a process that has divided one knows it from then on. The rest is judged in calm."""
        before = group.aimed
        aim = group.aimed = Aim(entry.id, event.group_epoch, event.subscriptions, topics, {})
        is_same = before is not None and before.event[:2] == entry.id[:2]
        for topic in aim.left_out(event.members):
            aim.left_out_ns[topic] = entry.t_ns
            if before is None or not is_same:
                continue
            aim.left_out_ns[topic] = before.left_out_ns.get(topic, entry.t_ns)
            if topic in before.topics and topic not in self.ledger.deleted:
                self.GR2.violated(
                    f"the target of group epoch {event.group_epoch} leaves out {shown(topic)}, which it knows",
                    entry,
                    before.event,
                )

    @after
    def _check_rest(self, entry: Entry, _event: Turn) -> None:
        """GR2 where all has long been calm: the coordinator knows every topic, and members have asked since."""
        if not self.ghost.calm.is_over:
            return
        for name, group in sorted(self.ghost.groups.groups.items()):
            home, aim = self.ghost.groups.home(name), group.aimed
            if home is None or aim is None or not self._is_served(home):
                continue
            allowed_ms = max(group.members.values(), default=0) + SLACK_MS
            for topic in aim.left_out(group.members):
                begun_ns = max(
                    aim.left_out_ns[topic],
                    self.ghost.calm.began_ns,
                    self.ghost.groups.loaded_ns.get(home.partition, 0),
                    self.ghost.groups.made_ns.get(topic, 0),
                )
                waited_ms = (entry.t_ns - begun_ns) // NS_PER_MS
                self.GR2.checks += 1
                if waited_ms > allowed_ms and self.ghost.partition(topic, 0).partition_epoch >= 0:
                    what = (
                        f"{shown(topic)} is subscribed, and the target of group epoch {aim.group_epoch} leaves it out"
                    )
                    self.GR2.violated(
                        f"{what} after {waited_ms} ms of calm",
                        entry,
                        aim.event,
                        scope=TopicPartition(topic, 0),
                        assumptions=LOSS,
                    )

    def _is_served(self, home: TopicPartition) -> bool:
        """Whether the partition's leader has read it, and can write."""
        ghost = self.ghost.partition(*home)
        leads = ghost.newest is None or ghost.newest.node == self.ghost.groups.loaded_by.get(home.partition)
        return leads and (not ghost.isr or len(ghost.isr) >= ghost.min_insync)

    @after
    def _on_reconciled(self, entry: Entry, event: ev.ConsumerMemberReconciled) -> None:
        """GR11: its epoch does not go back, nor beyond its target; nobody else has what it may have now."""
        if self.ghost.groups.is_old(event.group, event.offset):
            return
        group = self.ghost.groups.group(event.group)
        group.is_consumer = True
        self._check_epoch(entry, event.group, group, event.member_id, event.member_epoch)
        if event.member_epoch > event.target_epoch:
            self.GR11.violated(
                f"a member is in epoch {event.member_epoch}, its target is of {event.target_epoch}",
                entry,
                scope=self.ghost.groups.home(event.group),
            )
        for key in event.assigned:
            self._check_owner(entry, event.group, group, event.member_id, key)
        group.epochs[event.member_id] = (event.member_epoch, entry.id)
        group.holds[event.member_id] = {*event.assigned, *event.revoking}

    def _check_epoch(self, entry: Entry, name: str, group: GroupGhost, member_id: str, epoch: int) -> None:
        before = group.epochs.get(member_id)
        self.GR11.checks += 1
        if before is None or AWAY in (epoch, before[0]) or epoch >= before[0]:
            return
        self.GR11.violated(
            f"a member of group {shown(name)} goes back from epoch {before[0]} to {epoch}",
            entry,
            before[1],
            scope=self.ghost.groups.home(name),
        )

    def _check_owner(self, entry: Entry, name: str, group: GroupGhost, member_id: str, key: Key) -> None:
        self.GR11.checks += 1
        for other, held in group.holds.items():
            if other != member_id and key in held:
                events = (entry.id, group.epochs[other][1]) if other in group.epochs else (entry.id,)
                self.GR11.violated(
                    f"two members of group {shown(name)} may have {shown(key[0])}-{key[1]} at the same time",
                    *events,
                    scope=self.ghost.groups.home(name),
                )

    @after
    def _on_left(self, entry: Entry, event: ev.GroupMemberLeft) -> None:
        """What it had is free. GR11: another takes the place of a static member only when that one has left it."""
        group = self.ghost.groups.group(event.group)
        epoch_and_event = group.epochs.get(event.member_id)
        if event.why == "replaced" and epoch_and_event is not None and epoch_and_event[0] != AWAY:
            self.GR11.violated(
                f"a member of group {shown(event.group)} is replaced in epoch {epoch_and_event[0]}, and has not left",
                entry,
                epoch_and_event[1],
                scope=self.ghost.groups.home(event.group),
            )
        group.epochs.pop(event.member_id, None)
        group.holds.pop(event.member_id, None)


def why_no_commit(group: GroupGhost, event: ev.OffsetsCommitted) -> tuple[str, tuple[EventId, ...]]:
    """GR5: why a group of the newer protocol should not have taken a commit; empty when it should."""
    epoch_and_event = group.epochs.get(event.member_id)
    if event.generation < 0:
        return ("without an epoch while the group has members" if group.epochs else ""), ()
    if epoch_and_event is None:
        return "by somebody who is not in the group", ()
    epoch, event_of_epoch = epoch_and_event
    return ("" if epoch == event.generation else f"in epoch {event.generation}, not in {epoch}"), (event_of_epoch,)
