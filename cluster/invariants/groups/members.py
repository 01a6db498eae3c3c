"""What built-in members of groups own, read and commit. GR3, GR6, GR7, GR8, GR9."""

from __future__ import annotations

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.groups.book import Commit, GroupBook, Key, Owner
from cluster.invariants.replication.committed import LOSS
from cluster.invariants.verdicts.report import Report, shown
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import Offset, TopicPartition


class MemberChecks:
    """Follows members; the coordinator's side is the book's."""

    __slots__ = ("_book", "_ghost", "_report", "is_unkind")

    def __init__(self, ghost: Ghost, report: Report, book: GroupBook) -> None:
        self._ghost, self._report, self._book = ghost, report, book
        self.is_unkind = False
        """Messages were doubled or overtook each other, as none on a connection does: an old commit may come late."""

    def on_assigned(self, entry: Entry, event: ev.ConsumerAssigned) -> None:
        """GR3: whoever else still holds it must be out of the group, unless the one that takes it is: it was expelled
        while the answer that gave it the partition was on its way.
        """
        self._book.ours.add(event.member_id)
        group = self._book.group(event.group)
        held = self._book.held.setdefault(event.group, {})
        is_member = event.member_id in group.members
        for key in event.added:
            owners = held.setdefault(key, {})
            self._report.checked("GR3")
            for client, owner in owners.items() if is_member else ():
                if client != event.client_id and owner.member_id in group.members:
                    sentence = f"two members of group {shown(event.group)} own {key[0]}-{key[1]} at the same time"
                    scope, excuses = self._book.home(event.group), (*LOSS, "A9") if group.is_led_by_stranger else LOSS
                    events = (entry.id, owner.event)
                    self._report.violated("GR3", sentence, events, scope=scope, assumptions=excuses)
            owners[event.client_id] = Owner(event.member_id, entry.id, len(group.history.get(key, ())))

    def on_revoked(self, _entry: Entry, event: ev.ConsumerRevoked) -> None:
        """It holds these no more."""
        held = self._book.held.get(event.group, {})
        for key in event.revoked:
            held.get(key, {}).pop(event.client_id, None)

    def on_ended(self, _entry: Entry, event: ev.ConsumerEnded) -> None:
        """It holds nothing more."""
        for owners in self._book.held.get(event.group, {}).values():
            owners.pop(event.client_id, None)

    def on_positioned(self, entry: Entry, event: ev.ConsumerPositioned) -> None:
        """GR8. A commit that came while it asked may have been seen or not."""
        key = (event.topic, event.partition)
        owner = self._book.held.get(event.group, {}).get(key, {}).get(event.client_id)
        if owner is None:
            return
        came_for, owner.position = max(0, owner.position), event.offset
        if event.why == "out_of_range":
            if came_for < event.offset <= self._book.deleted_to.get(key, 0):
                self._book.gone.setdefault((event.group, key), []).append((came_for, event.offset))
            return
        if event.why == "reset":
            self._book.first_read.setdefault((event.group, key), event.offset)
        self._report.checked("GR8")
        history = self._book.group(event.group).history.get(key, [])
        before, since = history[: owner.commits_then], history[owner.commits_then :]
        allowed = {*before[-1:], *since} or {-1}
        if not before:
            allowed.add(-1)
        told = event.offset if event.why == "committed" else -1
        if told not in allowed:
            where = "at the beginning" if told < 0 else f"at offset {told}"
            sentence = f"a member begins {key[0]}-{key[1]} {where}; committed was {max(allowed)}"
            self._report.violated("GR8", sentence, (entry.id, owner.event), scope=self._book.home(event.group))

    def on_polled(self, entry: Entry, event: ev.ConsumerPolled) -> None:
        """Takes note of what was delivered."""
        key = (event.topic, event.partition)
        end = max(event.base_offset + event.count, event.end_offset)
        owner = self._book.held.get(event.group, {}).get(key, {}).get(event.client_id)
        if owner is not None:
            owner.position = end
        ranges = self._book.delivered.setdefault((event.group, key), [])
        if ranges and ranges[-1][0] <= event.base_offset <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((event.base_offset, end))

    def check_commit(
        self, entry: Entry, event: ev.OffsetsCommitted, key: Key, offset: Offset, before: Commit | None
    ) -> None:
        """GR6 and GR7 of one committed offset of a built-in member."""
        home = self._book.home(event.group)
        self._report.checked("GR6", 0 if self.is_unkind else 1)
        if (
            not self.is_unkind
            and before is not None
            and offset < before.offset
            and before.generation == event.generation
        ):
            sentence = f"the committed offset of {key[0]}-{key[1]} goes back from {before.offset} to {offset}"
            self._report.violated("GR6", sentence, (entry.id, before.event), scope=home)
        self._report.checked("GR7")
        where = TopicPartition(*key)
        limit = self._ghost.partition(*key).true_high_watermark
        read = [*self._book.delivered.get((event.group, key), ()), *self._book.gone.get((event.group, key), ())]
        read_to = max((end for _, end in read), default=0)
        if offset > read_to:
            sentence = f"offset {offset} of {where} is committed; the group has read up to {read_to}"
            self._report.violated("GR7", sentence, (entry.id,), record=f"{where} offset {offset}", scope=where)
        elif offset > limit:
            sentence = f"offset {offset} of {where} is committed; no high watermark passed {limit}"
            self._report.violated("GR7", sentence, (entry.id,), record=f"{where} offset {offset}", scope=where)

    def finish(self) -> None:
        """GR9: below the last committed offset everything was delivered to somebody in the group, or was deleted."""
        for name, group in sorted(self._book.groups.items()):
            if group.has_strangers:
                continue
            for key, commit in sorted(group.commits.items()):
                if not commit.is_ours:
                    continue
                self._report.checked("GR9")
                reached = self._book.first_read.get((name, key), 0)
                passed = [*self._book.delivered.get((name, key), ()), *self._book.gone.get((name, key), ())]
                for start, end in sorted(passed):
                    if start <= reached:
                        reached = max(reached, end)
                if reached < commit.offset:
                    where = TopicPartition(*key)
                    sentence = f"offset {commit.offset} of {where} is committed, but {reached} was delivered to nobody"
                    record = f"{where} offset {reached}"
                    self._report.violated("GR9", sentence, (commit.event,), record=record, scope=where)
