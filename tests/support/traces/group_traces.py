"""Writes short runs of one consumer group by hand. Node 1 coordinates; members a and b read topic orders."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.entry import EventId
from tests.support.traces.traces import CLIENT, Trace

Parts = dict[str, list[int]]


class GroupTrace(Trace):
    """A run in which everything is right, unless a call says otherwise."""

    def __init__(self, partitions: int = 2) -> None:
        super().__init__()
        self.log_end = 0
        self.run()
        for topic, count in (("__consumer_offsets", 1), ("orders", partitions)):
            created = ev.TopicCreated(topic=topic, topic_id=1, partitions=count, min_insync_replicas=1)
            self.add(101, created)
        self.load()

    def load(self, node: int = 1, epoch: int = 0, generation: int = 0, offsets: Parts | None = None) -> EventId:
        """A node becomes coordinator; offsets are those of orders, by partition."""
        groups = (("g", generation),) if generation else ()
        known = tuple(("g", "orders", index, offset) for index, (offset,) in enumerate((offsets or {}).values()))
        loaded = ev.CoordinatorLoaded(
            partition=0, leader_epoch=epoch, end_offset=self.log_end, groups=groups, offsets=known
        )
        return self.add(node, loaded)

    def join(self, *members: str, session_ms: int = 1_000, host: str = "built-in") -> None:
        """New members."""
        for member in members:
            joined = ev.GroupMemberJoined(
                group="g", member_id=f"{member}-1", instance_id="", client_id=member, client_host=host, generation=0,
                session_timeout_ms=session_ms, rebalance_timeout_ms=1_000,
            )  # fmt: skip
            self.add(1, joined)

    def leave(self, member: str, why: str = "left", silent_ms: int = 0) -> EventId:
        """A member is out."""
        left = ev.GroupMemberLeft(
            group="g", member_id=f"{member}-1", instance_id="", generation=1, why=why, silent_ms=silent_ms
        )
        return self.add(1, left)

    def assign(self, generation: int, parts: Parts, protocol: str = "range", node: int = 1) -> EventId:
        """A generation begins and its assignment is committed."""
        members = tuple(f"{member}-1" for member in parts)
        began = ev.GroupGenerationBegan(
            group="g", generation=generation, protocol=protocol, leader=members[0], members=members,
            subscriptions=tuple((member, "orders") for member in members),
        )  # fmt: skip
        self.add(node, began)
        told = tuple((f"{member}-1", "orders", index) for member, part in parts.items() for index in part)
        assigned = ev.GroupAssigned(
            group="g", generation=generation, protocol=protocol, offset=self._next(), assignments=told
        )
        return self.add(node, assigned)

    def own(self, member: str, *indexes: int, generation: int = 1) -> EventId:
        """A member takes partitions that are new to it."""
        added = tuple(("orders", index) for index in indexes)
        assigned = ev.ConsumerAssigned(
            client_id=member, group="g", member_id=f"{member}-1", generation=generation, added=added, owned=added
        )
        return self.add(CLIENT, assigned)

    def revoke(self, member: str, *indexes: int) -> None:
        """A member gives partitions up."""
        revoked = ev.ConsumerRevoked(
            client_id=member, group="g", member_id=f"{member}-1", generation=1,
            revoked=tuple(("orders", index) for index in indexes), is_lost=False,
        )  # fmt: skip
        self.add(CLIENT, revoked)

    def begin(self, member: str, index: int, offset: int, why: str = "committed") -> None:
        """A member knows where it begins."""
        positioned = ev.ConsumerPositioned(
            client_id=member, group="g", member_id=f"{member}-1", topic="orders", partition=index, offset=offset,
            why=why,
        )  # fmt: skip
        self.add(CLIENT, positioned)

    def poll(self, member: str, index: int, base_offset: int, count: int) -> None:
        """A member reads; all of it is committed on the brokers."""
        if count:
            self.write(index, base_offset + count)
        polled = ev.ConsumerPolled(
            client_id=member, group="g", member_id=f"{member}-1", generation=1, topic="orders", partition=index,
            base_offset=base_offset, count=count, values=(),
        )  # fmt: skip
        self.add(CLIENT, polled)

    def write(self, index: int, end: int) -> None:
        """The leader of a partition of orders has a high watermark."""
        applied = ev.PartitionApplied(
            topic="orders", partition=index, leader=1, leader_epoch=0, partition_epoch=0, isr=(1,), elr=(),
            replicas=(1,), min_insync_replicas=1, metadata_offset=1,
        )  # fmt: skip
        self.add(1, applied)
        advanced = ev.HighWatermarkAdvanced(
            topic="orders", partition=index, high_watermark=end, leader_epoch=0, role="leader",
            log_end_offsets=((1, end),),
        )  # fmt: skip
        self.add(1, advanced)

    def commit(self, member: str, index: int, offset: int, generation: int = 1, at: int | None = None) -> EventId:
        """The coordinator takes an offset; it stands at that place of the offsets log, or at its end."""
        committed = ev.OffsetsCommitted(
            group="g", member_id=f"{member}-1" if member else "", generation=generation,
            offset=self._next() if at is None else at, offsets=(("orders", index, offset),),
        )  # fmt: skip
        return self.add(1, committed)

    def found(self) -> dict[str, str]:
        """Invariants of groups that are broken, with what they say."""
        return {
            invariant: line.violations[0].sentence
            for invariant, line in self.verdicts().items()
            if invariant.startswith("GR") and line.violations
        }

    def _next(self) -> int:
        self.log_end += 1
        return self.log_end - 1


def healthy() -> GroupTrace:
    """Two members, each with one partition, have read three records each and committed them."""
    trace = GroupTrace()
    trace.join("a", "b")
    trace.assign(1, {"a": [0], "b": [1]})
    for index, member in enumerate("ab"):
        trace.own(member, index)
        trace.begin(member, index, 0, "reset")
        trace.poll(member, index, 0, 3)
        trace.commit(member, index, 3)
    return trace
