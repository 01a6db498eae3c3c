"""Consumer groups: what coordinators promise, and what built-in members see of it. Contract 2.5."""

from __future__ import annotations

from cluster.invariants.ghost.calm import Turn
from cluster.invariants.ghost.group_book import Commit, GroupGhost, Key
from cluster.invariants.group import LOSS, Group, Tally, after, invariant, shown
from cluster.invariants.groups.epochs import (
    NEVER_GOES_BACK,
    NOTHING_LEFT_OUT,
    NS_PER_MS,
    ONE_OWNER,
    SLACK_MS,
    why_no_commit,
)
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.events.group import LOADED_TOLD_MAX
from cluster.model.identifiers import OFFSETS_TOPIC, TopicPartition

COOPERATIVE = "cooperative-sticky"
"""Its generations may leave out what another member has yet to give up."""
BUILT_IN = "built-in"
"""Where built-in members say that they connect from."""
STRANGER = ("A9",)
"""What only a leader that is a built-in member promises. Kafka checks no assignment: KIP-429, ConsumerCoordinator."""
NO_GENERATION = -1


class GroupInvariants(Group):
    """GR1 to GR12."""

    GR1 = ONE_OWNER
    GR2 = NOTHING_LEFT_OUT
    GR4 = NEVER_GOES_BACK
    GR5 = invariant("only members of the generation commit, while there are members", "Kafka GroupCoordinator", *LOSS)
    GR10 = invariant("one coordinator, and it knows what was told", "Kafka GroupMetadataManager", *LOSS)
    GR12 = invariant("a silent member is out after its session, and not before", "KIP-62", *LOSS)

    def begin(self) -> None:
        self._killed: dict[str, tuple[str, Entry]] = {}
        self._begun_ns: dict[str, int] = {}
        self._joining: set[str] = set()

    @after
    def _turn(self, entry: Entry, _event: Turn) -> None:
        """A run that ends in order ends its nodes first."""
        if self.ghost.calm.is_over:
            self._check_silence(entry.t_ns)
            self._check_withheld(entry)

    @after
    def _records_deleted(self, _entry: Entry, event: ev.LogStartAdvanced | ev.SegmentsExpired) -> None:
        if isinstance(event, ev.SegmentsExpired) or event.role == "leader":
            start = event.segments[-1][1] if isinstance(event, ev.SegmentsExpired) else event.log_start_offset
            self.ghost.groups.delete((event.topic, event.partition), start)

    @after
    def _topic_created(self, entry: Entry, event: ev.TopicCreated) -> None:
        self.ghost.groups.made_ns[event.topic] = entry.t_ns
        self.ghost.groups.partition_counts[event.topic] = event.partitions

    @after
    def _loaded(self, entry: Entry, event: ev.CoordinatorLoaded) -> None:
        """GR10: one node per epoch, the leader; it knows the generations and offsets that were told."""
        self.ghost.groups.note_home(self.ghost.settings.get("offsets_topic_partitions", 0))
        where = TopicPartition(OFFSETS_TOPIC, event.partition)
        self.GR10.checks += 1
        first = self.ghost.groups.coordinators.setdefault((event.partition, event.leader_epoch), (entry.node, entry.id))
        if first[0] != entry.node:
            self.GR10.violated(
                f"nodes {first[0]} and {entry.node} both coordinate the groups of {where} in one leader epoch",
                entry,
                first[1],
                scope=where,
            )
        made = self.ghost.partition(*where).leaders.get(event.leader_epoch)
        if made is not None and made.node != entry.node:
            self.GR10.violated(
                f"node {entry.node} coordinates the groups of {where}, and node {made.node} leads it",
                entry,
                made.event,
                scope=where,
            )
        if self.ghost.groups.is_newest_load(event.partition, event.leader_epoch, event.end_offset):
            self._take_loaded(entry, event, where)
            self.ghost.groups.loaded_ns[event.partition] = entry.t_ns

    def _take_loaded(self, entry: Entry, event: ev.CoordinatorLoaded, where: TopicPartition) -> None:
        self.ghost.groups.loaded_to[event.partition] = event.end_offset
        self.ghost.groups.loaded_by[event.partition] = entry.node
        if max(len(event.groups), len(event.offsets)) >= LOADED_TOLD_MAX:
            return  # what is missing there proves nothing
        generations = dict(event.groups)
        offsets: dict[str, dict[Key, int]] = {}
        for owner, topic, partition, offset in event.offsets:
            offsets.setdefault(owner, {})[topic, partition] = offset
        for name, group in self.ghost.groups.groups.items():
            if self.ghost.groups.home(name) == where:
                generation = generations.get(name, 0)
                members = group.began_members.get(generation, set())
                # Who joined the coordinator before, which wrote no assignment since, has never heard of this one.
                for member_id in () if group.is_consumer else [item for item in group.members if item not in members]:
                    self._killed.pop(member_id, None)
                    if not generation or members:
                        del group.members[member_id]
                self._compare(entry, where, name, group, generation, offsets.get(name, {}))

    def _compare(
        self,
        entry: Entry,
        where: TopicPartition,
        name: str,
        group: GroupGhost,
        generation: int,
        offsets: dict[Key, int],
    ) -> None:
        if group.is_dying and not generation and not offsets:
            group.generation, group.is_dying = 0, False
            group.commits.clear()
            return
        self.GR4.checks += 1
        if generation < group.generation:
            self.GR4.violated(
                f"group {shown(name)} is in generation {generation} again; {group.generation} was committed",
                entry,
                group.assigned,
                scope=where,
            )
        if generation > group.generation:
            group.owners = {}  # the coordinator before committed this assignment and had no time to tell it
        group.generation = generation
        for key, commit in list(group.commits.items()):
            self.GR10.checks += 1
            loaded_offset = offsets.get(key)
            if loaded_offset is None or (commit.is_ours and loaded_offset < commit.offset):
                what = "nothing" if loaded_offset is None else f"offset {loaded_offset}"
                self.GR10.violated(
                    f"a new coordinator knows {what} of {key[0]}-{key[1]}, {commit.offset} was committed",
                    entry,
                    commit.event,
                    scope=where,
                )
        for key, offset in offsets.items():
            before = group.commits.get(key)
            if before is None or before.offset != offset:
                is_ours = before is not None and before.is_ours
                group.commits[key] = Commit(offset, entry.id, is_ours, generation)
                group.history.setdefault(key, []).append(offset)

    @after
    def _joined(self, entry: Entry, event: ev.GroupMemberJoined) -> None:
        if event.client_host != BUILT_IN:
            self.ghost.groups.strangers[event.member_id] = event.client_id, entry.id
        self.ghost.groups.group(event.group).members[event.member_id] = event.session_timeout_ms

    @after
    def _left(self, entry: Entry, event: ev.GroupMemberLeft) -> None:
        """GR12: who is expelled for silence was silent for its session, and not for much longer."""
        group = self.ghost.groups.group(event.group)
        killed = self._killed.pop(event.member_id, None)
        if killed is not None and event.why == "session_expired" and self.ghost.calm.is_calm:
            self._judge_silence(event.member_id, *killed, entry.t_ns, "is expelled only")
        session_ms = group.members.pop(event.member_id, None)
        if event.why != "session_expired" or session_ms is None:
            return
        self.GR12.checks += 1
        if event.silent_ms < session_ms:
            self.GR12.violated(
                f"a member is expelled after {event.silent_ms} ms of silence; its session lasts {session_ms} ms",
                entry,
                scope=self.ghost.groups.home(event.group),
            )

    @after
    def _state_changed(self, _entry: Entry, event: ev.GroupStateChanged) -> None:
        group = self.ghost.groups.group(event.group)
        if event.state == "PreparingRebalance":
            self._joining.add(event.group)
            group.left = event.generation
        else:
            self._joining.discard(event.group)
        if event.state == "Dead":
            group.is_dying = True
            group.forget()
        elif event.state == "Empty":
            group.owners, group.withheld = {}, ()
        group.is_dying = group.is_dying and event.state == "Dead"

    @after
    def _began(self, entry: Entry, event: ev.GroupGenerationBegan) -> None:
        """Every session begins anew with the answer to JoinGroup, and with the one to SyncGroup."""
        group = self.ghost.groups.group(event.group)
        self._begun_ns[event.group] = entry.t_ns
        group.begun_by[entry.node, event.generation] = set(event.members)
        if group.assigned is not None and event.generation <= group.generation:
            return  # by a coordinator that is none any more: it can commit nothing
        group.began, group.subscriptions = event.generation, event.subscriptions
        group.leaders[event.generation] = event.leader
        group.began_members[event.generation] = set(event.members)
        for member_id in event.members:
            group.members.setdefault(member_id, 0)

    @after
    def _assigned(self, entry: Entry, event: ev.GroupAssigned) -> None:
        if self.ghost.groups.is_old(event.group, event.offset):
            return
        self._begun_ns[event.group] = entry.t_ns
        group, home = self.ghost.groups.group(event.group), self.ghost.groups.home(event.group)
        self.GR4.checks += 1
        if event.generation < group.generation:
            self.GR4.violated(
                f"group {shown(event.group)} goes back from generation {group.generation} to {event.generation}",
                entry,
                group.assigned,
                scope=home,
            )
        self._note_stranger(event, group, home)
        owners: dict[Key, str] = {}
        for member_id, topic, partition in event.assignments:
            if owners.setdefault((topic, partition), member_id) != member_id:
                sentence = f"two members of generation {event.generation} are given {topic}-{partition}"
                self._divided(entry, self.GR1, sentence, group, home)
        self.GR1.checks += 0 if group.is_led_by_stranger else len(event.assignments)
        group.withheld = ()
        if event.generation == group.began:
            self._check_complete(entry, event, group, owners)
        members = group.begun_by.get((entry.node, event.generation), group.began_members.get(event.generation, set()))
        group.began_members[event.generation] = members | {member_id for member_id, _, _ in event.assignments}
        group.generation, group.assigned, group.owners = event.generation, entry.id, owners

    def _note_stranger(self, event: ev.GroupAssigned, group: GroupGhost, home: TopicPartition | None) -> None:
        """Kafka leaves it to the leader of a generation to divide; only built-in assignors promise anything."""
        stranger = self.ghost.groups.strangers.get(group.leaders.get(event.generation, ""))
        group.is_led_by_stranger = stranger is not None
        if stranger is not None:
            why = f"the Kafka client {shown(stranger[0])} divides the partitions of group {shown(event.group)}"
            self.ledger.breaks("A9", stranger[1], f"{why} by an assignor of its own", home)

    def _divided(
        self, entry: Entry, promise: Tally, sentence: str, group: GroupGhost, home: TopicPartition | None
    ) -> None:
        """What is wrong with how a leader divided."""
        excuses = STRANGER if group.is_led_by_stranger else ()
        promise.violated(sentence, entry, scope=home if excuses else None, assumptions=excuses)

    def _check_complete(self, entry: Entry, event: ev.GroupAssigned, group: GroupGhost, owners: dict[Key, str]) -> None:
        """GR2. A cooperative generation withholds what a member still holds; a later one hands it out.

        A member that missed a generation holds what it was to give up there: its own word counts, too. Who was in the
        generation when it began may be out when its assignment is committed at last.
        """
        members = {*group.members, *group.began_members.get(event.generation, ())}
        held = self.ghost.groups.held.get(event.group, {})
        wanted = {topic for _, topic in group.subscriptions}
        for topic in sorted(wanted & set(self.ghost.groups.partition_counts)):
            for partition in range(self.ghost.groups.partition_counts[topic]):
                key = (topic, partition)
                holders = {group.owners.get(key), *(owner.member_id for owner in held.get(key, {}).values())}
                is_withheld = event.protocol == COOPERATIVE and not holders.isdisjoint(members)
                self.GR2.checks += 0 if group.is_led_by_stranger else 1
                if key not in owners and is_withheld:
                    group.withheld += () if group.is_led_by_stranger else (key,)
                elif key not in owners:
                    sentence = f"nobody in generation {event.generation} is given {topic}-{partition}"
                    self._divided(entry, self.GR2, sentence, group, self.ghost.groups.home(event.group))

    @after
    def _committed(self, entry: Entry, event: ev.OffsetsCommitted) -> None:
        if self.ghost.groups.is_old(event.group, event.offset):
            return
        group, home = self.ghost.groups.group(event.group), self.ghost.groups.home(event.group)
        is_ours = event.member_id in self.ghost.groups.ours
        group.has_strangers = group.has_strangers or not is_ours
        if event.producer_id < 0:  # of a marker it does not matter who is a member when it comes
            self._check_committer(entry, event, group, home)
        for topic, partition, offset in event.offsets:
            key = (topic, partition)
            if is_ours:
                self._check_owner(entry, event, group, key, home)
            group.commits[key] = Commit(offset, entry.id, is_ours, event.generation)
            group.history.setdefault(key, []).append(offset)

    def _check_committer(
        self, entry: Entry, event: ev.OffsetsCommitted, group: GroupGhost, home: TopicPartition | None
    ) -> None:
        """GR5: in the log's order a commit belongs to the generation whose assignment stands before it."""
        self.GR5.checks += 1
        why, events = "", tuple[EventId, ...]()
        if group.is_consumer:
            why, events = why_no_commit(group, event)
        elif event.generation == NO_GENERATION:
            why = "without a generation while the group has members" if group.owners and group.members else ""
        elif event.generation != group.generation and not event.generation == group.left > group.generation:
            why = f"in generation {event.generation}, which is not {group.generation}"
        elif event.member_id not in group.began_members.get(event.generation, {event.member_id}):
            why = "by somebody who is not in that generation"
        if why:
            evidence = events or (() if group.assigned is None else (group.assigned,))
            self.GR5.violated(f"group {shown(event.group)} takes a commit {why}", entry, *evidence, scope=home)

    def _check_owner(
        self, entry: Entry, event: ev.OffsetsCommitted, group: GroupGhost, key: Key, home: TopicPartition | None
    ) -> None:
        owner = group.owners.get(key)
        if owner is not None and owner != event.member_id and event.generation == group.generation:
            self.GR5.violated(
                f"a member commits {key[0]}-{key[1]}, which belongs to another one in this generation",
                entry,
                group.assigned,
                scope=home,
            )

    @after
    def _forgotten(self, _entry: Entry, event: ev.OffsetsForgotten) -> None:
        group = self.ghost.groups.group(event.group)
        for topic, partition in event.partitions:
            group.commits.pop((topic, partition), None)
            group.history.setdefault((topic, partition), []).append(-1)

    @after
    def _ended(self, entry: Entry, event: ev.ConsumerEnded) -> None:
        if event.how == "killed" and event.member_id in self.ghost.groups.group(event.group).members:
            self._killed[event.member_id] = (event.group, entry)

    def _check_silence(self, end_ns: int) -> None:
        """GR12: who was killed is out after its session, when nothing disturbs its coordinator.

        A group that waits for its members to join again expels nobody until it has waited long enough.
        """
        for member_id, (name, killed) in sorted(self._killed.items()):
            if name not in self._joining:
                self._judge_silence(member_id, name, killed, end_ns, "is still in its group")

    def _check_withheld(self, entry: Entry) -> None:
        """GR2: who was to give something up joins again at once, or is out after its session: then it is handed out."""
        for name, group in sorted(self.ghost.groups.groups.items()):
            home = self.ghost.groups.home(name)
            if home is None or not (group.withheld and group.members) or name in self._joining:
                continue
            assigned_ns = max(self._begun_ns.get(name, 0), self.ghost.groups.loaded_ns.get(home.partition, 0))
            waited_ms = (entry.t_ns - max(assigned_ns, self.ghost.calm.began_ns)) // NS_PER_MS
            if waited_ms > max(group.members.values(), default=0) + SLACK_MS:
                topic, partition = group.withheld[0]
                sentence = f"{topic}-{partition} was withheld in generation {group.generation} and handed out to nobody"
                self.GR2.violated(f"{sentence} in {waited_ms} ms of calm", entry, group.assigned, scope=home)

    def _judge_silence(self, member_id: str, name: str, killed: Entry, now_ns: int, what: str) -> None:
        home = self.ghost.groups.home(name)
        session_ms = self.ghost.groups.group(name).members.get(member_id, 0)
        if home is None or not session_ms:
            return
        heard_ns = max(killed.t_ns, self._begun_ns.get(name, 0))
        since_ns = max(heard_ns, self.ghost.calm.began_ns, self.ghost.groups.loaded_ns.get(home.partition, 0))
        self.GR12.checks += 1
        if now_ns - since_ns > (session_ms + SLACK_MS) * NS_PER_MS:
            self.GR12.violated(
                f"a killed member {what} {(now_ns - since_ns) // NS_PER_MS} ms later", killed.id, scope=home
            )
