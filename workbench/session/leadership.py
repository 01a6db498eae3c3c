"""Who led what along time, and how many records were acknowledged: what the timeline draws besides the ISR."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.events import client, controller, lab, quorum, replica, zookeeper
from cluster.model.identifiers import INTERNAL_TOPICS, METADATA, NO_NODE, Epoch, NodeId, TopicPartition
from cluster.picture.zookeeper import CONTROLLER, CONTROLLER_EPOCH
from workbench.session.steps.leaderless import is_cut_off
from workbench.session.views.cluster import ClusterView

SECOND_NS = 1_000_000_000
SECONDS_MAX = 100_000
WATCHED = frozenset(
    (
        quorum.LeaderElected,
        quorum.RoleChanged,
        lab.ProcessExited,
        lab.FaultApplied,
        lab.FaultReverted,
        controller.PartitionApplied,
        quorum.MetadataHighWatermarkAdvanced,
        client.OperationSucceeded,
        replica.ProduceAnswered,
        zookeeper.ZNodeWritten,
    )
)
"""Kinds of events that may change who leads, or that acknowledge records."""


class Stretch(NamedTuple):
    """Who leads from here on."""

    t_ns: int
    leader: NodeId
    """-1 while nobody does."""
    epoch: Epoch


class Leadership:
    """Leaders of the quorum and of all partitions, and acknowledged records by second. Only grows.

    In zookeeper mode the controller stands in the place of the quorum's leader, with its controller epoch.
    """

    def __init__(self) -> None:
        self.stretches: dict[TopicPartition, list[Stretch]] = {}
        self.acked: list[int] = []
        """Records acknowledged in each second of the run."""

    def look(self, entry: Entry, picture: ClusterView, start_ns: int) -> None:
        """Take in an entry of a watched kind. picture: the cluster with it."""
        event = entry.event
        match event:
            case client.OperationSucceeded():
                if event.function == "produce" and event.base_offset >= 0:
                    self._count(entry.t_ns - start_ns, event.count)
            case replica.ProduceAnswered():
                if event.kafka_client and not event.error:
                    self._count(entry.t_ns - start_ns, event.count)
            case quorum.LeaderElected() | quorum.RoleChanged():
                self._note(entry.t_ns, METADATA, picture)
            case zookeeper.ZNodeWritten(path=path, kind=kind):  # the epoch is the last that a new controller writes
                if path == CONTROLLER_EPOCH or path == CONTROLLER and kind == "deleted":
                    self._note(entry.t_ns, METADATA, picture)
            case controller.PartitionApplied():
                self._note(entry.t_ns, TopicPartition(event.topic, event.partition), picture)
            case _:
                for tp in (METADATA, *picture.partitions):
                    self._note(entry.t_ns, tp, picture)

    def _count(self, since_ns: int, records: int) -> None:
        second = max(0, since_ns // SECOND_NS)
        if second < SECONDS_MAX:
            self.acked.extend([0] * (second + 1 - len(self.acked)))
            self.acked[second] += records

    def _note(self, t_ns: int, tp: TopicPartition, picture: ClusterView) -> None:
        if tp.topic in INTERNAL_TOPICS:
            return
        if tp == METADATA and picture.zookeeper.is_used:
            leader, epoch = picture.zookeeper.controller, picture.zookeeper.controller_epoch
        elif tp == METADATA:
            leader, epoch = picture.leader_of_newest_epoch, picture.newest_epoch
        else:
            item = picture.partitions.get(tp)
            leader, epoch = (item.leader, item.leader_epoch) if item is not None else (NO_NODE, -1)
        node = picture.nodes.get(leader)
        is_gone = node is not None and node.process == "down"
        is_elected = tp == METADATA and not picture.zookeeper.is_used
        if is_gone or is_elected and picture.faults and is_cut_off(picture, leader):
            leader = NO_NODE
        stretches = self.stretches.setdefault(tp, [])
        before = stretches[-1] if stretches else None
        if before is None or (before.leader, before.epoch) != (leader, epoch):
            stretches.append(Stretch(t_ns, leader, epoch))

    def along(self, tp: TopicPartition, times: Sequence[int]) -> list[Stretch | None]:
        """Who led at each of the times, which ascend; None before anything was known.

        Where nobody led for a moment since the time before, after somebody had, it is that: the worst is to be seen.
        """
        stretches = self.stretches.get(tp, [])
        at = [stretch.t_ns for stretch in stretches]
        led_from = next((place for place, stretch in enumerate(stretches) if stretch.leader != NO_NODE), len(stretches))
        stretches_along: list[Stretch | None] = []
        before = 0
        for t_ns in times:
            place = bisect_right(at, t_ns)
            since = stretches[max(before, led_from) : place] if stretches_along else []
            now = stretches[place - 1] if place else None
            stretches_along.append(next((stretch for stretch in since if stretch.leader == NO_NODE), now))
            before = place
        return stretches_along
