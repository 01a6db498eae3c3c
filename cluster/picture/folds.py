"""How each event changes the folded cluster: one small function for each class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, NO_NODE, NodeId, TopicPartition
from cluster.picture.clients import CLIENT_FOLDS
from cluster.picture.facts import ClusterFacts
from cluster.picture.groups import GROUP_FOLDS
from cluster.picture.logs import Cell, LogCut
from cluster.picture.parts import STOPPING, Election, FaultState, PartitionFacts, VoteRound

ROUNDS_MAX = 64


def _tp(event: Any) -> TopicPartition:
    return TopicPartition(event.topic, event.partition)


def _run_started(state: ClusterFacts, _entry: Entry, event: ev.RunStarted) -> None:
    state.title, state.world = event.title, event.world


def _run_ended(state: ClusterFacts, _entry: Entry, _event: ev.RunEnded) -> None:
    state.run_ended = True


def _run_resumed(state: ClusterFacts, _entry: Entry, _event: ev.RunResumed) -> None:
    state.run_ended = False


def _process_started(state: ClusterFacts, _entry: Entry, event: ev.ProcessStarted) -> None:
    node = state.node(event.node_id)
    node.stage, node.roles = "starting", event.roles
    node.incarnation, node.pid = event.incarnation_number, event.pid
    node.broker_state = node.storage_error = ""


def _process_ready(state: ClusterFacts, _entry: Entry, event: ev.ProcessReady) -> None:
    node = state.node(event.node_id)
    node.stage = "running"


def _process_exited(state: ClusterFacts, _entry: Entry, event: ev.ProcessExited) -> None:
    node = state.node(event.node_id)
    node.stage, node.exit_code = "down", event.exit_code
    node.faults = {number: fault for number, fault in node.faults.items() if fault.kind not in STOPPING}
    node.quorum_role = node.broker_state = ""
    state.decisions.forget(event.node_id)
    if state.quorum_leader == event.node_id:
        state.quorum_leader = NO_NODE
    if state.active_controller == event.node_id:
        state.active_controller = NO_NODE


def _power_lost(state: ClusterFacts, _entry: Entry, event: ev.PowerLost) -> None:
    state.node(event.node_id).power_losses += 1


def _storage_error(state: ClusterFacts, entry: Entry, event: ev.StorageError) -> None:
    state.node(entry.node).storage_error = f"{event.errno} {event.what}"


def _fault_applied(state: ClusterFacts, entry: Entry, event: ev.FaultApplied) -> None:
    fault = FaultState(event.fault_id, event.kind, event.arguments, entry.t_ns)
    state.faults[event.fault_id] = fault
    for node in [state.nodes[number] for number in event.nodes if number in state.nodes]:
        node.faults[event.fault_id] = fault


def _fault_reverted(state: ClusterFacts, _entry: Entry, event: ev.FaultReverted) -> None:
    state.faults.pop(event.fault_id, None)
    for node in state.nodes.values():
        node.faults.pop(event.fault_id, None)


def _command_rejected(state: ClusterFacts, _entry: Entry, event: ev.CommandRejected) -> None:
    state.rejected_commands.append((event.command, event.why))


def _fsynced(state: ClusterFacts, entry: Entry, event: ev.Fsynced) -> None:
    log = state.log(entry.node, _tp(event))
    log.claimed_offset, log.durable_offset = event.claimed_offset, event.durable_offset


def _recovered(state: ClusterFacts, entry: Entry, event: ev.LogRecovered) -> None:
    log = state.log(entry.node, _tp(event))
    if event.log_end_offset < log.log_end_offset:
        where = (entry.node, _tp(event), log.log_end_offset, event.log_end_offset, log.high_watermark)
        log.cut(event.log_end_offset)
        state.cuts.append(LogCut(entry.t_ns, *where, "lost", event.why))
    cells = [Cell(base, base + count, epoch, "".join(digests)) for base, count, epoch, digests in event.batches]
    if _tp(event) == METADATA:
        cells = [cell._replace(digest="") for cell in cells]
    log.append(cells, event.log_end_offset)
    log.high_watermark = event.high_watermark
    log.delete(event.log_start_offset)


def _booted(state: ClusterFacts, entry: Entry, event: ev.QuorumBooted) -> None:
    node = state.node(entry.node)
    node.quorum_epoch, node.quorum_leader, node.voted_for = event.epoch, event.leader_id, event.voted_for
    state.voters = event.voters or state.voters


def _role_changed(state: ClusterFacts, entry: Entry, event: ev.RoleChanged) -> None:
    node = state.node(entry.node)
    node.quorum_role, node.quorum_epoch = event.role, event.epoch
    node.quorum_leader, node.voted_for = event.leader_id, event.voted_for
    if event.role != "leader" and state.quorum_leader == entry.node:
        state.quorum_leader = NO_NODE


def _election_started(state: ClusterFacts, entry: Entry, event: ev.ElectionStarted) -> None:
    state.voters = event.voters or state.voters
    own = {entry.node: True}
    state.rounds.append(VoteRound(entry.t_ns, event.epoch, entry.node, event.pre_vote, event.voters, own))
    del state.rounds[:-ROUNDS_MAX]


def _round(state: ClusterFacts, epoch: int, candidate: NodeId, *, pre_vote: bool) -> VoteRound | None:
    for item in reversed(state.rounds):
        if (item.epoch, item.candidate_id, item.pre_vote) == (epoch, candidate, pre_vote):
            return item
    return None


def _vote_granted(state: ClusterFacts, entry: Entry, event: ev.VoteGranted) -> None:
    found = _round(state, event.epoch, event.candidate_id, pre_vote=event.pre_vote)
    if found is not None:
        found.answers[entry.node] = True


def _vote_rejected(state: ClusterFacts, entry: Entry, event: ev.VoteRejected) -> None:
    found = _round(state, event.epoch, event.candidate_id, pre_vote=event.pre_vote)
    if found is not None:
        found.answers[entry.node] = False
        found.reasons[entry.node] = event.why


def _vote_received(state: ClusterFacts, entry: Entry, event: ev.VoteReceived) -> None:
    found = _round(state, event.epoch, entry.node, pre_vote=event.pre_vote)
    if found is not None:
        found.answers[event.voter_id] = event.granted


def _leader_elected(state: ClusterFacts, entry: Entry, event: ev.LeaderElected) -> None:
    state.elections.append(Election(entry.t_ns, METADATA, event.epoch, entry.node, unclean=False))
    if event.epoch >= state.quorum_epoch:
        state.quorum_epoch, state.quorum_leader = event.epoch, entry.node
    found = _round(state, event.epoch, entry.node, pre_vote=False)
    if found is not None:
        found.won = True


def _metadata_appended(state: ClusterFacts, entry: Entry, event: ev.MetadataAppended) -> None:
    starts = [start for _, start in event.epochs] or [event.base_offset]
    epochs = [epoch for epoch, _ in event.epochs] or [0]
    ends = [*starts[1:], event.end_offset]
    cells = [Cell(start, end, epoch, "") for start, end, epoch in zip(starts, ends, epochs, strict=True)]
    state.log(entry.node, METADATA).append(cells, event.end_offset)
    if event.role == "leader":
        state.decisions.appended(entry.node, event.end_offset)


def _metadata_truncated(state: ClusterFacts, entry: Entry, event: ev.MetadataTruncated) -> None:
    _cut(state, entry, METADATA, event)


def _replica_truncated(state: ClusterFacts, entry: Entry, event: ev.ReplicaTruncated) -> None:
    _cut(state, entry, _tp(event), event)


def _cut(state: ClusterFacts, entry: Entry, tp: TopicPartition, event: Any) -> None:
    where = (entry.node, tp, event.old_end_offset, event.end_offset, event.high_watermark)
    log = state.log(entry.node, tp)
    log.cut(event.end_offset)
    log.high_watermark = min(log.high_watermark, event.end_offset)
    state.cuts.append(LogCut(entry.t_ns, *where, "truncated", event.why))


def _metadata_high_watermark(state: ClusterFacts, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
    state.log(entry.node, METADATA).high_watermark = event.high_watermark
    for where, facts in state.decisions.committed(entry.node, event.high_watermark) if event.role == "leader" else ():
        if where in state.partitions:
            state.partitions[where].committed = facts


def _activated(state: ClusterFacts, entry: Entry, _event: ev.ControllerActivated) -> None:
    state.active_controller = entry.node


def _deactivated(state: ClusterFacts, entry: Entry, _event: ev.ControllerDeactivated) -> None:
    state.decisions.forget(entry.node)
    if state.active_controller == entry.node:
        state.active_controller = NO_NODE


def _registered(state: ClusterFacts, _entry: Entry, event: ev.BrokerRegistered) -> None:
    node = state.node(event.broker_id)
    node.broker_epoch, node.fenced = event.broker_epoch, True


def _fenced(state: ClusterFacts, _entry: Entry, event: ev.BrokerFenced) -> None:
    state.node(event.broker_id).fenced = True


def _unfenced(state: ClusterFacts, _entry: Entry, event: ev.BrokerUnfenced) -> None:
    state.node(event.broker_id).fenced = False


def _broker_state(state: ClusterFacts, entry: Entry, event: ev.BrokerStateChanged) -> None:
    node = state.node(entry.node)
    node.broker_state = event.state
    if event.state in ("pending_controlled_shutdown", "shutting_down") and node.process == "running":
        node.stage = "stopping"


def _topic_created(state: ClusterFacts, _entry: Entry, event: ev.TopicCreated) -> None:
    state.topics[event.topic] = event.partitions


def _topic_deleted(state: ClusterFacts, entry: Entry, event: ev.TopicDeleted) -> None:
    state.deleted[event.topic] = state.log(entry.node, METADATA).log_end_offset
    state.topics.pop(event.topic, None)
    for where in [each for each in state.partitions if each.topic == event.topic]:
        del state.partitions[where]


def _log_removed(state: ClusterFacts, entry: Entry, event: ev.LogRemoved) -> None:
    state.logs.pop((entry.node, _tp(event)), None)


def _facts(event: ev.PartitionDecided | ev.PartitionApplied, why: str) -> PartitionFacts:
    numbers = (event.leader, event.leader_epoch, event.partition_epoch)
    return PartitionFacts(*numbers, event.isr, event.elr, event.replicas, event.min_insync_replicas, why)


def _decided(state: ClusterFacts, entry: Entry, event: ev.PartitionDecided) -> None:
    view = state.partition(_tp(event))
    if event.leader_epoch != view.decided.leader_epoch:
        state.elections.append(Election(entry.t_ns, _tp(event), event.leader_epoch, event.leader, event.unclean))
    view.decided = _facts(event, event.why)
    state.decisions.note(entry.node, _tp(event), view.decided)


def _applied(state: ClusterFacts, _entry: Entry, event: ev.PartitionApplied) -> None:
    """A broker that was away may apply now what was over when the topic was deleted."""
    if 0 <= event.metadata_offset <= state.deleted.get(event.topic, -1):
        return
    view = state.partition(_tp(event))
    state.topics[event.topic] = max(state.topics.get(event.topic, 0), event.partition + 1)
    if event.partition_epoch > view.applied.partition_epoch:
        if event.leader != view.applied.leader:
            view.lagging.clear()
        view.applied = _facts(event, "")


def _isr_committed(state: ClusterFacts, _entry: Entry, event: ev.IsrCommitted) -> None:
    applied = state.partition(_tp(event)).applied
    if applied.partition_epoch >= 0 and event.partition_epoch > applied.partition_epoch:
        applied.isr = event.isr


def _lagging(state: ClusterFacts, entry: Entry, event: ev.ReplicaLagging) -> None:
    """Only the committed leader can say so; one that is no more sees wrongly."""
    view = state.partition(_tp(event))
    lagging = view.lagging
    if entry.node != view.applied.leader:
        return
    (lagging.add if event.lagging else lagging.discard)(event.replica_id)


def _replica_appended(state: ClusterFacts, entry: Entry, event: ev.ReplicaAppended) -> None:
    cells = [Cell(base, base + count, epoch, digest) for base, count, epoch, digest in event.batches]
    key: Any = (event.topic, event.partition)  # equal to the TopicPartition; cheaper to make
    state.log(entry.node, key).append(cells, event.end_offset)


def _high_watermark(state: ClusterFacts, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
    key: Any = (event.topic, event.partition)
    state.log(entry.node, key).high_watermark = event.high_watermark


def _log_start(state: ClusterFacts, entry: Entry, event: ev.LogStartAdvanced) -> None:
    state.log(entry.node, _tp(event)).delete(event.log_start_offset)


def _became(state: ClusterFacts, entry: Entry, event: ev.BecameLeader | ev.BecameFollower) -> None:
    log = state.log(entry.node, _tp(event))
    log.high_watermark = event.high_watermark
    if isinstance(event, ev.BecameLeader):
        state.partition(_tp(event)).lagging.clear()


Fold = Callable[["ClusterFacts", Entry, Any], None]
FOLDS: dict[type, Fold] = {
    ev.RunStarted: _run_started, ev.RunEnded: _run_ended, ev.RunResumed: _run_resumed,
    ev.ProcessStarted: _process_started,
    ev.ProcessReady: _process_ready, ev.ProcessExited: _process_exited, ev.FaultApplied: _fault_applied,
    ev.FaultReverted: _fault_reverted, ev.CommandRejected: _command_rejected, ev.PowerLost: _power_lost,
    ev.Fsynced: _fsynced, ev.LogRecovered: _recovered, ev.StorageError: _storage_error, ev.QuorumBooted: _booted,
    ev.RoleChanged: _role_changed, ev.ElectionStarted: _election_started, ev.VoteGranted: _vote_granted,
    ev.VoteRejected: _vote_rejected, ev.VoteReceived: _vote_received, ev.LeaderElected: _leader_elected,
    ev.MetadataAppended: _metadata_appended, ev.MetadataTruncated: _metadata_truncated,
    ev.MetadataHighWatermarkAdvanced: _metadata_high_watermark, ev.ControllerActivated: _activated,
    ev.ControllerDeactivated: _deactivated, ev.BrokerRegistered: _registered, ev.BrokerFenced: _fenced,
    ev.BrokerUnfenced: _unfenced, ev.TopicCreated: _topic_created,
    ev.TopicDeleted: _topic_deleted, ev.LogRemoved: _log_removed, ev.PartitionDecided: _decided,
    ev.PartitionApplied: _applied, ev.BrokerStateChanged: _broker_state, ev.BecameLeader: _became,
    ev.BecameFollower: _became, ev.ReplicaAppended: _replica_appended, ev.ReplicaTruncated: _replica_truncated,
    ev.LogStartAdvanced: _log_start,
    ev.HighWatermarkAdvanced: _high_watermark, ev.IsrCommitted: _isr_committed, ev.ReplicaLagging: _lagging,
    **CLIENT_FOLDS,
    **GROUP_FOLDS,
}  # fmt: skip
"""What tells of the state. The other events (proposals, refusals, held frames, ...) explain and change nothing here."""
