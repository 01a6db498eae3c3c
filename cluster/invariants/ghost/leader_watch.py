"""Follows the leaderships of data partitions: their ISR, their high watermark, what they know of their followers."""

from __future__ import annotations

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.ghost.parts import Leadership
from cluster.invariants.watcher import Watcher, fold
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NodeId

GIVEN_UP = (ErrorCode.INELIGIBLE_REPLICA,)
"""After these answers a leader goes back to its committed ISR; after others its proposal stays. Source: KIP-497."""


BROKER_IDS = "/brokers/ids/"


class LeaderWatch(Watcher):
    """Keeps PartitionGhost.leaderships. A second fold beside the ghost's own, called after it."""

    def __init__(self, ghost: Ghost) -> None:
        self._ghost = ghost
        self._states: dict[tuple[str, int, NodeId], ev.PartitionApplied] = {}

    def _leadership(self, entry: Entry) -> Leadership | None:
        return self._ghost.here.leaderships.get(entry.node)

    @fold
    def _registered(self, entry: Entry, event: ev.BrokerRegistered) -> None:
        """The request may name the start that sent it; else it is the newest one."""
        cause, broker_id = entry.cause, event.broker_id
        by_itself = cause is not None and cause.node == broker_id
        incarnation = cause.incarnation if by_itself and cause is not None else self._ghost.nodes[broker_id].incarnation
        self._ghost.registered[broker_id] = max(incarnation, self._ghost.registered.get(broker_id, 0))

    @fold
    def _written(self, _entry: Entry, event: ev.ZNodeWritten) -> None:
        """A broker's znode: its newest start has made it, since only that one has a session that lives."""
        name = event.path.removeprefix(BROKER_IDS)
        if event.kind == "created" and event.path.startswith(BROKER_IDS) and name.isdecimal() and len(name) < 4:
            self._ghost.registered[int(name)] = self._ghost.nodes[int(name)].incarnation

    @fold
    def _became_leader(self, entry: Entry, event: ev.BecameLeader) -> None:
        ghost = self._ghost.here
        begun = Leadership(
            entry.node, event.leader_epoch, event.epoch_start_offset, event.high_watermark, event.isr, entry.id
        )
        state = self._states.get((event.topic, event.partition, entry.node))
        if state is None:
            begun.min_insync = ghost.min_insync
        else:
            begun.partition_epoch, begun.min_insync = state.partition_epoch, state.min_insync_replicas
        ghost.leaderships[entry.node] = begun
        ghost.logs[entry.node].high_watermark = event.high_watermark
        newest = ghost.newest
        # In zookeeper mode a broker that restarts before anybody misses it leads again in the epoch that it had.
        is_again = newest is not None and (newest.leader_epoch, newest.node) == (begun.leader_epoch, entry.node)
        if newest is None or begun.leader_epoch > newest.leader_epoch or is_again:
            ghost.newest = begun

    @fold
    def _became_follower(self, entry: Entry, event: ev.BecameFollower) -> None:
        ghost = self._ghost.here
        ghost.leaderships.pop(entry.node, None)
        ghost.logs[entry.node].high_watermark = event.high_watermark

    @fold
    def _recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        self._ghost.here.leaderships.pop(entry.node, None)

    @fold
    def _applied(self, entry: Entry, event: ev.PartitionApplied) -> None:
        """Metadata newer than what the leader acts on settles what it proposed."""
        leadership = self._leadership(entry)
        if leadership is None or event.leader_epoch != leadership.leader_epoch:
            self._states[event.topic, event.partition, entry.node] = event
            return
        leadership.min_insync = event.min_insync_replicas
        if event.partition_epoch > leadership.partition_epoch:
            leadership.partition_epoch, leadership.joining = event.partition_epoch, ()

    @fold
    def _proposed(self, entry: Entry, event: ev.IsrProposed) -> None:
        """The answer that told it of the state it starts from may have changed no ISR, so that no event told of it."""
        leadership = self._leadership(entry)
        if leadership is None:
            return
        leadership.partition_epoch = max(leadership.partition_epoch, event.partition_epoch)
        if len(event.isr) > len(event.old_isr):
            leadership.joining = event.isr

    @fold
    def _refused(self, entry: Entry, event: ev.IsrRefused) -> None:
        leadership = self._leadership(entry)
        if leadership is not None and event.error in GIVEN_UP:
            leadership.joining = ()

    @fold
    def _committed(self, entry: Entry, event: ev.IsrCommitted) -> None:
        """The controller answers a leader only when the change is committed."""
        ghost = self._ghost.here
        ghost.note_isr(event.isr, event.partition_epoch, self._ghost.registered)
        leadership = self._leadership(entry)
        if leadership is not None:
            leadership.isr, leadership.joining = event.isr, ()
            leadership.partition_epoch = max(leadership.partition_epoch, event.partition_epoch)

    @fold
    def _high_watermark(self, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
        if event.role == "leader":
            leadership = self._leadership(entry)
            if leadership is not None:
                leadership.high_watermark = event.high_watermark

    @fold
    def _progress(self, entry: Entry, event: ev.FollowerProgress) -> None:
        leadership = self._leadership(entry)
        if leadership is not None:
            leadership.progress[event.replica_id] = entry
