"""How each event changes the folded cluster: one small function for each class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, NO_NODE, UNKNOWN_OFFSET, NodeId, Offset, TopicPartition
from cluster.picture.clients import CLIENT_FOLDS, forget_connections
from cluster.picture.decisions import Fencing
from cluster.picture.facts import ClusterFacts
from cluster.picture.groups import GROUP_FOLDS
from cluster.picture.logs import LogCut
from cluster.picture.partitions import PARTITION_FOLDS, decide, settle, take_back
from cluster.picture.parts import LYING, STOPPING, CommittedLoss, Election, FaultState, NodeState
from cluster.picture.transactions import TRANSACTION_FOLDS
from cluster.picture.votes import VOTE_FOLDS, role_changed, won
from cluster.picture.zookeeper import ZOOKEEPER_FOLDS


def _tp(event: Any) -> TopicPartition:
    return TopicPartition(event.topic, event.partition)


def _run_started(state: ClusterFacts, _entry: Entry, event: ev.RunStarted) -> None:
    state.title, state.world = event.title, event.world
    state.timers.run_started(event.config)
    state.commit_rules.run_started(event.config)
    state.zookeeper.is_used = '"control": "zookeeper"' in event.config


def _run_ends(state: ClusterFacts, _entry: Entry, event: ev.RunEnded | ev.RunResumed) -> None:
    state.run_ended = isinstance(event, ev.RunEnded)


def _process_started(state: ClusterFacts, entry: Entry, event: ev.ProcessStarted) -> None:
    """A new incarnation forgets what the old one held in memory."""
    node = state.node(event.node_id)
    node.stage, node.since_ns = "starting", entry.t_ns
    node.roles, node.incarnation, node.pid = event.roles, event.incarnation_number, event.pid
    node.quorum_role = node.broker_state = node.storage_error = ""
    node.wanted_port, node.power_lost = 0, False


def _process_ready(state: ClusterFacts, entry: Entry, event: ev.ProcessReady) -> None:
    node = state.node(event.node_id)
    node.stage, node.since_ns = "running", entry.t_ns


def _port_taken(state: ClusterFacts, _entry: Entry, event: ev.PortTaken) -> None:
    """It stays down until the port is free."""
    state.node(event.node_id).wanted_port = event.port


def _process_exited(state: ClusterFacts, entry: Entry, event: ev.ProcessExited) -> None:
    node = state.node(event.node_id)
    node.stage, node.since_ns = "down", entry.t_ns
    node.faults = {number: fault for number, fault in node.faults.items() if fault.kind not in STOPPING}
    node.exit_code, node.quorum_role, node.broker_state = event.exit_code, "", ""
    state.decisions.office_lost(event.node_id)
    state.zookeeper.node_ended(event.node_id)
    state.flights.node_ended(event.node_id)
    state.timers.node_ended(event.node_id)
    forget_connections(state, event.node_id)
    if state.quorum_leader == event.node_id:
        state.quorum_leader = NO_NODE
    if state.active_controller == event.node_id:
        state.active_controller = NO_NODE
    state.held_frames = {pair: count for pair, count in state.held_frames.items() if event.node_id not in pair}


def _power_lost(state: ClusterFacts, entry: Entry, event: ev.PowerLost) -> None:
    """What was not durable is gone at once; where the disk kept some of it the next start tells which."""
    node = state.node(event.node_id)
    node.power_losses += 1
    node.power_lost = True
    spared = {path.split("/")[0] for path, _, _, durable, kept in event.files if kept > durable}
    for owner, tp in [key for key in state.logs if key[0] == event.node_id]:
        log = state.logs[owner, tp]
        if str(tp) not in spared and log.durable_offset < log.log_end_offset:
            _cut(state, owner, tp, log.durable_offset, "lost", "power lost", entry.t_ns)


def _storage_error(state: ClusterFacts, entry: Entry, event: ev.StorageError) -> None:
    state.node(entry.node).storage_error = f"{event.errno} {event.what}"


def _fault_applied(state: ClusterFacts, entry: Entry, e: ev.FaultApplied) -> None:
    fault = FaultState(e.fault_id, e.kind, e.arguments, entry.t_ns, e.nodes, e.links, e.parameters)
    state.faults[e.fault_id] = fault
    for node in [state.nodes[number] for number in e.nodes if number in state.nodes]:
        process = node.process
        node.faults[e.fault_id] = fault
        _note_change(node, process, entry.t_ns)


def _fault_reverted(state: ClusterFacts, entry: Entry, event: ev.FaultReverted) -> None:
    state.faults.pop(event.fault_id, None)
    for node in state.nodes.values():
        process = node.process
        fault = node.faults.pop(event.fault_id, None)
        node.has_lied = node.has_lied and (fault is None or fault.kind not in LYING)
        _note_change(node, process, entry.t_ns)


def _note_change(node: NodeState, before: str, t_ns: int) -> None:
    if node.process != before:
        node.since_ns = t_ns


def _command_rejected(state: ClusterFacts, _entry: Entry, event: ev.CommandRejected) -> None:
    state.rejected_commands.append((event.command, event.why))


def _fsynced(state: ClusterFacts, entry: Entry, event: ev.Fsynced) -> None:
    log = state.log(entry.node, _tp(event))
    log.claimed_offset, log.durable_offset = event.claimed_offset, event.durable_offset
    if event.lied:
        state.node(entry.node).has_lied = True


def _recovered(state: ClusterFacts, entry: Entry, event: ev.LogRecovered) -> None:
    """The log as found in its files. A kill leaves bytes in the page cache: what was durable before is durable now."""
    tp, end = _tp(event), event.log_end_offset
    log = state.log(entry.node, tp)
    durable = min(log.durable_offset, end) if log.log_end_offset else end
    if end < log.log_end_offset:
        _cut(state, entry.node, tp, end, "lost", event.why, entry.t_ns)
    batches = [
        (base, count, epoch, "" if tp == METADATA else "".join(digests))
        for base, count, epoch, digests in event.batches
    ]
    log.recover(end, batches)
    log.begun, log.high_watermark = None, event.high_watermark
    log.durable_offset = durable
    log.claimed_offset = end if event.claimed_offset == UNKNOWN_OFFSET else event.claimed_offset
    log.delete(event.log_start_offset)


def _booted(state: ClusterFacts, entry: Entry, event: ev.QuorumBooted) -> None:
    node = state.node(entry.node)
    node.quorum_epoch, node.quorum_leader, node.voted_for = event.epoch, event.leader_id, event.voted_for
    if not node.voters_told:
        state.voters = event.voters or state.voters
    log = state.log(entry.node, METADATA)
    log.log_end_offset = max(log.log_end_offset, event.log_end_offset)


def _role_changed(state: ClusterFacts, entry: Entry, event: ev.RoleChanged) -> None:
    node = state.node(entry.node)
    node.quorum_role, node.quorum_epoch = event.role, event.epoch
    node.quorum_leader, node.voted_for = event.leader_id, event.voted_for
    role_changed(state, entry)
    state.timers.role_changed(entry.node, event.role)
    state.newest_epoch = max(state.newest_epoch, event.epoch)
    if event.role != "leader" and state.quorum_leader == entry.node:
        state.quorum_leader = NO_NODE


def _leader_elected(state: ClusterFacts, entry: Entry, event: ev.LeaderElected) -> None:
    state.elections.append(Election(entry.t_ns, METADATA, event.epoch, entry.node, unclean=False))
    state.newest_epoch = max(state.newest_epoch, event.epoch)
    if event.epoch >= state.quorum_epoch:
        state.quorum_epoch, state.quorum_leader = event.epoch, entry.node
        _go_by(state, entry.node)
    won(state, entry, event)
    if state.decisions:
        lacking = state.decisions.succeeded(entry.node, event.epoch_start_offset, state.log(entry.node, METADATA))
        take_back(state, lacking)


def _voters_changed(state: ClusterFacts, entry: Entry, event: ev.VotersChanged) -> None:
    """A dynamic quorum is as the log of its newest leader has it; before there is one, as the disks were formatted."""
    node = state.node(entry.node)
    node.voters, node.voters_told = tuple(zip(event.voters, event.directories, strict=True)), True
    node.directory_id = event.directory_id
    if not state.quorum_epoch:
        state.voters = event.voters or state.voters
    elif entry.node == state.quorum_leader:
        _go_by(state, entry.node)


def _go_by(state: ClusterFacts, leader: NodeId) -> None:
    node = state.node(leader)
    if node.voters_told:
        state.voters = tuple(voter for voter, _ in node.voters)


def _metadata_appended(state: ClusterFacts, entry: Entry, event: ev.MetadataAppended) -> None:
    starts = [start for _, start in event.epochs] or [event.base_offset]
    epochs = [epoch for epoch, _ in event.epochs] or [0]
    ends = [*starts[1:], event.end_offset]
    batches = [(start, end - start, epoch, "") for start, end, epoch in zip(starts, ends, epochs, strict=True)]
    state.log(entry.node, METADATA).append(event.base_offset, event.end_offset, batches)
    if event.role == "leader" and state.decisions:
        state.decisions.appended(entry.node, event.base_offset, event.end_offset)


def _metadata_truncated(state: ClusterFacts, entry: Entry, event: ev.MetadataTruncated) -> None:
    _cut(state, entry.node, METADATA, event.end_offset, "truncated", event.why, entry.t_ns, event)


def _replica_truncated(state: ClusterFacts, entry: Entry, event: ev.ReplicaTruncated) -> None:
    _cut(state, entry.node, _tp(event), event.end_offset, "truncated", event.why, entry.t_ns, event)


def _cut(
    state: ClusterFacts, node: NodeId, tp: TopicPartition, end: Offset, kind: str, why: str, t_ns: int,
    told: ev.MetadataTruncated | ev.ReplicaTruncated | None = None,
) -> None:  # fmt: skip
    """A log is shorter. Committed records that nobody else holds are lost."""
    log = state.log(node, tp)
    before = (told or log).high_watermark
    old_end = log.log_end_offset if told is None else told.old_end_offset
    is_cut = end < log.log_end_offset
    cut = LogCut(t_ns, node, tp, old_end, end, before, kind, why)
    state.cuts.append(cut)
    log.cut(cut)
    if not is_cut:
        return
    gone = len(state.gone(tp).intersection(log.ghosts))
    if gone:
        state.losses.append(CommittedLoss(t_ns, tp, gone, node))


def _metadata_high_watermark(state: ClusterFacts, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
    state.log(entry.node, METADATA).high_watermark = event.high_watermark
    if event.role == "leader" and state.decisions:
        settle(state, entry, state.decisions.committed(entry.node, event.high_watermark))


def _activated(state: ClusterFacts, entry: Entry, _event: ev.ControllerActivated) -> None:
    state.active_controller = entry.node


def _deactivated(state: ClusterFacts, entry: Entry, _event: ev.ControllerDeactivated) -> None:
    state.decisions.office_lost(entry.node)
    state.zookeeper.acting.pop(entry.node, None)
    if state.active_controller == entry.node:
        state.active_controller = NO_NODE


def _registered(state: ClusterFacts, entry: Entry, event: Fencing) -> None:
    """A controller registers, fences or unfences a broker: true until a successor lacks it."""
    node = state.node(event.broker_id)
    decide(state, entry, event, was_fenced=node.fenced)
    if isinstance(event, ev.BrokerFenced):
        state.timers.broker_fenced(event.broker_id)
    node.fenced, node.broker_epoch = not isinstance(event, ev.BrokerUnfenced), event.broker_epoch


def _broker_state(state: ClusterFacts, entry: Entry, event: ev.BrokerStateChanged) -> None:
    node = state.node(entry.node)
    node.broker_state = event.state
    if event.state in ("pending_controlled_shutdown", "shutting_down") and node.stage == "running":
        node.stage = "stopping"


def _topic_created(state: ClusterFacts, _entry: Entry, event: ev.TopicCreated) -> None:
    state.topics[event.topic] = event.partitions


def _log_removed(state: ClusterFacts, entry: Entry, event: ev.LogRemoved) -> None:
    state.logs.pop((entry.node, _tp(event)), None)


def _replica_appended(state: ClusterFacts, entry: Entry, event: ev.ReplicaAppended) -> None:
    key: Any = (event.topic, event.partition)  # equal to the TopicPartition; cheaper to make
    state.log(entry.node, key).append(event.base_offset, event.end_offset, event.batches, event.transactional)
    if event.role == "leader":
        state.commit_rules.appended(key, entry, event)
        state.written.appended(entry, event)


def _high_watermark(state: ClusterFacts, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
    key: Any = (event.topic, event.partition)
    state.log(entry.node, key).high_watermark = event.high_watermark
    if event.role == "leader":
        state.commit_rules.advanced(key, entry, event)


def _log_start(state: ClusterFacts, entry: Entry, event: ev.LogStartAdvanced) -> None:
    state.log(entry.node, _tp(event)).delete(event.log_start_offset)


def _metadata_log_start(state: ClusterFacts, entry: Entry, event: ev.MetadataLogStartAdvanced) -> None:
    state.log(entry.node, METADATA).delete(event.log_start_offset)


def _snapshot_installed(state: ClusterFacts, entry: Entry, event: ev.SnapshotInstalled) -> None:
    """The log is empty now, and all that the snapshot stands for is committed; what it held beyond is cut."""
    log, end = state.log(entry.node, METADATA), event.end_offset
    if end < log.log_end_offset:
        _cut(state, entry.node, METADATA, end, "truncated", "a snapshot takes its place", entry.t_ns)
    log.delete(end)
    log.durable_offset = log.claimed_offset = end
    log.high_watermark = max(log.high_watermark, end)


def _became(state: ClusterFacts, entry: Entry, event: ev.BecameLeader | ev.BecameFollower) -> None:
    """Its own high watermark at the change; a leader enters its epoch in its cache before it writes."""
    log = state.log(entry.node, _tp(event))
    log.high_watermark = event.high_watermark
    log.begun = None
    if isinstance(event, ev.BecameLeader):
        log.begun = event.leader_epoch, event.epoch_start_offset
        state.commit_rules.became_leader(entry, event)


def _held(state: ClusterFacts, _entry: Entry, event: ev.FramesHeld) -> None:
    way = event.source, event.target
    state.held_frames[way] = state.held_frames.get(way, 0) + 1


def _link_free(state: ClusterFacts, _entry: Entry, event: ev.FramesReleased | ev.LinkReset) -> None:
    """Delivered or lost."""
    state.held_frames.pop((event.source, event.target), None)


def _message_seen(state: ClusterFacts, entry: Entry, event: ev.MessageSeen) -> None:
    state.flights.message_seen(entry, event)


def _traffic_seen(state: ClusterFacts, entry: Entry, event: ev.TrafficSeen) -> None:
    state.flights.traffic_seen(entry, event)
    if entry.node == state.active_controller:
        state.timers.heartbeats_heard(entry, event)


def _timer_set(state: ClusterFacts, entry: Entry, event: ev.TimerSet) -> None:
    state.timers.timer_set(entry, event)


Fold: TypeAlias = Callable[[Any, Entry, Any], None]
"""Changes a picture (or more than that) by an entry and its event."""
FOLDS: dict[type, Fold] = {
    ev.RunStarted: _run_started, ev.RunEnded: _run_ends, ev.RunResumed: _run_ends,
    ev.ProcessStarted: _process_started, ev.ProcessReady: _process_ready, ev.ProcessExited: _process_exited,
    ev.PortTaken: _port_taken, ev.FaultApplied: _fault_applied, ev.FaultReverted: _fault_reverted,
    ev.CommandRejected: _command_rejected, ev.PowerLost: _power_lost, ev.FramesHeld: _held,
    ev.MessageSeen: _message_seen, ev.TrafficSeen: _traffic_seen, ev.TimerSet: _timer_set,
    ev.FramesReleased: _link_free, ev.LinkReset: _link_free, ev.Fsynced: _fsynced, ev.LogRecovered: _recovered,
    ev.StorageError: _storage_error, ev.QuorumBooted: _booted, ev.RoleChanged: _role_changed,
    ev.LeaderElected: _leader_elected, ev.MetadataAppended: _metadata_appended,
    ev.VotersChanged: _voters_changed, ev.MetadataTruncated: _metadata_truncated,
    ev.MetadataHighWatermarkAdvanced: _metadata_high_watermark, ev.ControllerActivated: _activated,
    ev.ControllerDeactivated: _deactivated, ev.BrokerRegistered: _registered, ev.BrokerFenced: _registered,
    ev.BrokerUnfenced: _registered, ev.BrokerStateChanged: _broker_state, ev.TopicCreated: _topic_created,
    ev.LogRemoved: _log_removed, ev.BecameLeader: _became, ev.BecameFollower: _became,
    ev.ReplicaAppended: _replica_appended, ev.ReplicaTruncated: _replica_truncated, ev.LogStartAdvanced: _log_start,
    ev.HighWatermarkAdvanced: _high_watermark, ev.MetadataLogStartAdvanced: _metadata_log_start,
    ev.SnapshotInstalled: _snapshot_installed, **PARTITION_FOLDS, **CLIENT_FOLDS, **GROUP_FOLDS, **TRANSACTION_FOLDS,
    **VOTE_FOLDS, **ZOOKEEPER_FOLDS,
}  # fmt: skip
