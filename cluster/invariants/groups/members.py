"""What built-in members of groups own, read and commit. GR3, GR6, GR7, GR8, GR9."""

from __future__ import annotations

from cluster.invariants.fault_kinds import UNKIND
from cluster.invariants.ghost.group_book import Commit, Key, Owner
from cluster.invariants.group import LOSS, Group, after, invariant, shown
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import Offset, TopicPartition


class MemberInvariants(Group):
    """Follows members; the coordinator's side is the book's."""

    GR3 = invariant("no two current members own a partition", "Kafka ConsumerCoordinator", *LOSS)
    GR6 = invariant("within a generation a built-in member commits no lower offset", "Kafka ConsumerCoordinator", *LOSS)
    GR7 = invariant("nothing is committed that was not read", "Kafka ConsumerCoordinator", *LOSS)
    GR8 = invariant("a member begins at the committed offset", "Kafka ConsumerCoordinator", *LOSS)
    GR9 = invariant("what is committed was delivered", "at least once", *LOSS, "A7")

    def begin(self) -> None:
        self._is_unkind = False
        """Messages were doubled or overtook each other, as none on a connection does: an old commit may come late."""

    @after
    def _fault_applied(self, _entry: Entry, event: ev.FaultApplied) -> None:
        self._is_unkind = self._is_unkind or event.kind in UNKIND

    @after
    def _on_assigned(self, entry: Entry, event: ev.ConsumerAssigned) -> None:
        """GR3: whoever else still holds it must be out of the group, unless the one that takes it is: it was expelled
        while the answer that gave it the partition was on its way.
        """
        self.ghost.groups.ours.add(event.member_id)
        group = self.ghost.groups.group(event.group)
        held = self.ghost.groups.held.setdefault(event.group, {})
        is_member = event.member_id in group.members
        for key in event.added:
            owners = held.setdefault(key, {})
            self.GR3.checks += 1
            for client, owner in owners.items() if is_member else ():
                if client != event.client_id and owner.member_id in group.members:
                    sentence = f"two members of group {shown(event.group)} own {key[0]}-{key[1]} at the same time"
                    scope, excuses = (
                        self.ghost.groups.home(event.group),
                        (*LOSS, "A9") if group.is_led_by_stranger else LOSS,
                    )
                    events = (entry.id, owner.event)
                    self.GR3.violated(sentence, *events, scope=scope, assumptions=excuses)
            owners[event.client_id] = Owner(event.member_id, entry.id, len(group.history.get(key, ())))

    @after
    def _on_revoked(self, _entry: Entry, event: ev.ConsumerRevoked) -> None:
        """It holds these no more."""
        held = self.ghost.groups.held.get(event.group, {})
        for key in event.revoked:
            held.get(key, {}).pop(event.client_id, None)

    @after
    def _on_ended(self, _entry: Entry, event: ev.ConsumerEnded) -> None:
        """It holds nothing more."""
        for owners in self.ghost.groups.held.get(event.group, {}).values():
            owners.pop(event.client_id, None)

    @after
    def _on_positioned(self, entry: Entry, event: ev.ConsumerPositioned) -> None:
        """GR8. A commit that came while it asked may have been seen or not."""
        key = (event.topic, event.partition)
        owner = self.ghost.groups.held.get(event.group, {}).get(key, {}).get(event.client_id)
        if owner is None:
            return
        came_for, owner.position = max(0, owner.position), event.offset
        if event.why == "out_of_range":
            if came_for < event.offset <= self.ghost.groups.deleted_to.get(key, 0):
                self.ghost.groups.gone.setdefault((event.group, key), []).append((came_for, event.offset))
            return
        if event.why == "reset":
            self.ghost.groups.first_read.setdefault((event.group, key), event.offset)
        self.GR8.checks += 1
        history = self.ghost.groups.group(event.group).history.get(key, [])
        before, since = history[: owner.commits_then], history[owner.commits_then :]
        allowed = {*before[-1:], *since} or {-1}
        if not before:
            allowed.add(-1)
        offset = event.offset if event.why == "committed" else -1
        if offset not in allowed:
            where = "at the beginning" if offset < 0 else f"at offset {offset}"
            self.GR8.violated(
                f"a member begins {key[0]}-{key[1]} {where}; committed was {max(allowed)}",
                entry,
                owner.event,
                scope=self.ghost.groups.home(event.group),
            )

    @after
    def _on_polled(self, _entry: Entry, event: ev.ConsumerPolled) -> None:
        """Takes note of what was delivered."""
        key = (event.topic, event.partition)
        end = max(event.base_offset + event.count, event.end_offset)
        owner = self.ghost.groups.held.get(event.group, {}).get(key, {}).get(event.client_id)
        if owner is not None:
            owner.position = end
        ranges = self.ghost.groups.delivered.setdefault((event.group, key), [])
        if ranges and ranges[-1][0] <= event.base_offset <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((event.base_offset, end))

    @after
    def _on_committed(self, entry: Entry, event: ev.OffsetsCommitted) -> None:
        """Of a built-in member, while the book still has the commits before."""
        if event.member_id in self.ghost.groups.ours and not self.ghost.groups.is_old(event.group, event.offset):
            commits = self.ghost.groups.group(event.group).commits
            for topic, partition, offset in event.offsets:
                self._check_commit(entry, event, (topic, partition), offset, commits.get((topic, partition)))

    def _check_commit(
        self, entry: Entry, event: ev.OffsetsCommitted, key: Key, offset: Offset, before: Commit | None
    ) -> None:
        """GR6 and GR7 of one committed offset."""
        home = self.ghost.groups.home(event.group)
        self.GR6.checks += 0 if self._is_unkind else 1
        if (
            not self._is_unkind
            and before is not None
            and offset < before.offset
            and before.generation == event.generation
        ):
            self.GR6.violated(
                f"the committed offset of {key[0]}-{key[1]} goes back from {before.offset} to {offset}",
                entry,
                before.event,
                scope=home,
            )
        self.GR7.checks += 1
        where = TopicPartition(*key)
        limit = self.ghost.partition(*key).true_high_watermark
        read = [
            *self.ghost.groups.delivered.get((event.group, key), ()),
            *self.ghost.groups.gone.get((event.group, key), ()),
        ]
        read_to = max((end for _, end in read), default=0)
        if offset > read_to:
            self.GR7.violated(
                f"offset {offset} of {where} is committed; the group has read up to {read_to}",
                entry,
                at=f"offset {offset}",
                scope=where,
            )
        elif offset > limit:
            self.GR7.violated(
                f"offset {offset} of {where} is committed; no high watermark passed {limit}",
                entry,
                at=f"offset {offset}",
                scope=where,
            )

    def finish(self) -> None:
        """GR9: below the last committed offset everything was delivered to somebody in the group, or was deleted."""
        for name, group in sorted(self.ghost.groups.groups.items()):
            if group.has_strangers:
                continue
            for key, commit in sorted(group.commits.items()):
                if not commit.is_ours:
                    continue
                self.GR9.checks += 1
                reached = self.ghost.groups.first_read.get((name, key), 0)
                passed = [
                    *self.ghost.groups.delivered.get((name, key), ()),
                    *self.ghost.groups.gone.get((name, key), ()),
                ]
                for start, end in sorted(passed):
                    if start <= reached:
                        reached = max(reached, end)
                if reached < commit.offset:
                    where = TopicPartition(*key)
                    self.GR9.violated(
                        f"offset {commit.offset} of {where} is committed, but {reached} was delivered to nobody",
                        commit.event,
                        record=f"{where} offset {reached}",
                        scope=where,
                    )
