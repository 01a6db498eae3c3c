"""Ways to tell a run falsely: each changes what one event claims, as a wrong implementation would have told it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition

Tampered = Callable[[list[Entry], int], list[Entry]]
"""(all entries, place of the one to change) -> all entries, one thing claimed falsely."""
ORDERS = TopicPartition("orders", 0)


def places(entries: list[Entry], kind: type, **wanted: Any) -> list[int]:
    """Where events of that kind about orders-0 with these fields are."""
    return [
        at
        for at, entry in enumerate(entries)
        if isinstance(entry.event, kind)
        and (getattr(entry.event, "topic", ""), getattr(entry.event, "partition", -1)) == ORDERS
        and all(getattr(entry.event, name) == value for name, value in wanted.items())
    ]


def changed(**changes: Callable[[Any], Any]) -> Tampered:
    """Fields told otherwise."""

    def tamper(entries: list[Entry], at: int) -> list[Entry]:
        event: Any = entries[at].event
        new = replace(event, **{name: change(event) for name, change in changes.items()})
        return [*entries[:at], replace(entries[at], event=new), *entries[at + 1 :]]

    return tamper


def removed(entries: list[Entry], at: int) -> list[Entry]:
    """Never told. What followed from it follows from what it followed from."""
    gone = entries[at]
    rest = [entry for entry in entries if entry.id != gone.id]
    return [replace(entry, cause=gone.cause) if entry.cause == gone.id else entry for entry in rest]


def doubled(entries: list[Entry], at: int) -> list[Entry]:
    """Told once more: the same records again, at the offsets behind."""
    event: Any = entries[at].event
    more = event.count
    batches = tuple((base + more, *rest) for base, *rest in event.batches)
    again = replace(
        event, base_offset=event.base_offset + more, end_offset=event.end_offset + more, count=2 * more,
        batches=(*event.batches, *batches),
    )  # fmt: skip
    return [*entries[:at], replace(entries[at], event=again), *entries[at + 1 :]]


def also_leads(entries: list[Entry], at: int) -> list[Entry]:
    """A follower of the epoch says that it leads, where it said that it follows."""
    event: Any = entries[at].event
    leads = ev.BecameLeader(
        topic=event.topic, partition=event.partition, leader_epoch=event.leader_epoch,
        epoch_start_offset=event.log_end_offset, high_watermark=event.high_watermark, isr=(entries[at].node,),
    )  # fmt: skip
    return [*entries[:at], replace(entries[at], event=leads), *entries[at + 1 :]]


def shrunk_early(entries: list[Entry], at: int) -> list[Entry]:
    """The leader has a member taken out of the ISR that is caught up: told with the partition's creation."""
    event: Any = entries[at].event
    gone = max(member for member in event.isr if member != event.leader)
    left = tuple(member for member in event.isr if member != gone)
    entry = entries[at]
    asked = (event.leader, 1, event.leader_epoch, event.partition_epoch)
    again = replace(event, isr=left, partition_epoch=event.partition_epoch + 1, asked_epochs=asked, why="shrink")
    later = next(
        (one for one in entries if one.node == event.leader and isinstance(one.event, ev.HighWatermarkAdvanced)), None
    )
    if later is None:
        return entries
    told = replace(entry, event=again, seq=max(one.seq for one in entries if one.node == entry.node) + 1,
                   t_ns=later.t_ns + 1, cause=later.id)  # fmt: skip
    return [*entries, told]


def told_early(entries: list[Entry], at: int) -> list[Entry]:
    """The leader says it right after its own last write, before a follower has asked from there."""
    moved = entries[at]
    own = sorted((one for one in entries if one.node == moved.node), key=lambda one: one.id)
    before = [one for one in own if one.id < moved.id]
    writes = [one for one in before if isinstance(one.event, ev.ReplicaAppended) and one.event.topic == ORDERS.topic]
    late = [one for one in before if writes and one.id > writes[-1].id]
    if not late or late[0].incarnation != moved.incarnation:
        return entries
    slots, new = [*late, moved], [replace(moved, cause=writes[-1].id), *late]
    names = {was.id: slot.id for was, slot in zip(new, slots, strict=True)}
    told = {
        was.id: replace(was, seq=slot.seq, t_ns=slot.t_ns, lamport=slot.lamport)
        for was, slot in zip(new, slots, strict=True)
    }
    changed = [told.get(one.id, one) for one in entries]
    return [one if one.cause not in names else replace(one, cause=names[one.cause]) for one in changed]


def _other_crc(event: Any) -> Any:
    return tuple((base, count, epoch, f"{int(crc, 16) ^ 1:08x}") for base, count, epoch, crc in event.batches)


def _later_epoch(event: Any) -> Any:
    return tuple((base, count, epoch + 1, crc) for base, count, epoch, crc in event.batches)


KINDS: dict[str, tuple[type, dict[str, Any], Tampered]] = {
    "leader's high watermark one higher": (
        ev.HighWatermarkAdvanced, {"role": "leader"}, changed(high_watermark=lambda e: e.high_watermark + 1)),
    "leader's high watermark one lower": (
        ev.HighWatermarkAdvanced, {"role": "leader"}, changed(high_watermark=lambda e: e.high_watermark - 1)),
    "leader's high watermark before a follower asked": (ev.HighWatermarkAdvanced, {"role": "leader"}, told_early),
    "follower's high watermark one higher": (
        ev.HighWatermarkAdvanced, {"role": "follower"}, changed(high_watermark=lambda e: e.high_watermark + 1)),
    "follower's append never told": (ev.ReplicaAppended, {"role": "follower"}, removed),
    "follower's append told twice": (ev.ReplicaAppended, {"role": "follower"}, doubled),
    "copy of other bytes": (ev.ReplicaAppended, {"role": "follower"}, changed(batches=_other_crc)),
    "copy of a later epoch": (ev.ReplicaAppended, {"role": "follower"}, changed(batches=_later_epoch)),
    "leader's write never told": (ev.ReplicaAppended, {"role": "leader"}, removed),
    "leader's write told twice": (ev.ReplicaAppended, {"role": "leader"}, doubled),
    "leader's write of a later epoch": (ev.ReplicaAppended, {"role": "leader"}, changed(batches=_later_epoch)),
    "leader of a later epoch": (ev.BecameLeader, {}, changed(leader_epoch=lambda e: e.leader_epoch + 1)),
    "leader whose ISR lacks a member": (ev.BecameLeader, {}, changed(isr=lambda e: e.isr[1:] or (9,))),
    "second leader of an epoch": (ev.BecameFollower, {}, also_leads),
    "follower of a later epoch": (ev.BecameFollower, {}, changed(leader_epoch=lambda e: e.leader_epoch + 1)),
    "decided with a later epoch": (ev.PartitionDecided, {}, changed(leader_epoch=lambda e: e.leader_epoch + 1)),
    "clean election told as unclean": (ev.PartitionDecided, {"unclean": False}, changed(
        unclean=lambda e: True, leader_epoch=lambda e: e.leader_epoch + 1, isr=lambda e: (e.leader,))),
    "unclean election told as clean": (ev.PartitionDecided, {"unclean": True}, changed(unclean=lambda e: False)),
    "leader that is not in the ISR of its election": (
        ev.PartitionDecided, {"asked_epochs": ()}, changed(isr=lambda e: tuple(n for n in e.isr if n != e.leader))),
    "election that keeps a member who is gone": (
        ev.PartitionDecided, {"asked_epochs": (), "unclean": True}, changed(isr=lambda e: e.replicas)),
    "follower shrunk though it is caught up": (ev.PartitionDecided, {"partition_epoch": 0}, shrunk_early),
    "cut one lower": (ev.ReplicaTruncated, {}, changed(end_offset=lambda e: e.end_offset - 1)),
    "cut one higher": (ev.ReplicaTruncated, {}, changed(end_offset=lambda e: e.end_offset + 1)),
    "cut never told": (ev.ReplicaTruncated, {}, removed),
    "restart with a higher high watermark": (
        ev.LogRecovered, {}, changed(high_watermark=lambda e: e.log_end_offset + 1)),
    "restart with a longer log": (ev.LogRecovered, {}, changed(log_end_offset=lambda e: e.log_end_offset + 1)),
}  # fmt: skip
"""What is told falsely, of which events."""
UNMODELLED: dict[str, tuple[type, dict[str, Any], Tampered]] = {
    "an acknowledgement": (ev.ProduceAnswered, {"error": 0}, changed(error=lambda e: 7)),
    "a partition epoch": (
        ev.PartitionDecided, {"asked_epochs": ()}, changed(partition_epoch=lambda e: e.partition_epoch + 7)),
    "a flush": (ev.Fsynced, {}, changed(durable_offset=lambda e: 0)),
}  # fmt: skip
"""What the specifications have no variable for."""


def tamperings(entries: list[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """Each kind at each place where it says something else."""
    for name, (kind, wanted, tamper) in KINDS.items():
        for at in places(entries, kind, **wanted):
            told = tamper(entries, at)
            if (kind is not ev.LogRecovered or entries[at].incarnation > 0) and told != entries:
                yield name, told
