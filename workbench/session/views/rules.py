"""How each kind of entry changes the view: one small function per event class."""

from __future__ import annotations

from typing import Any

from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import client, controller, lab, quorum, replica, storage
from cluster.model.identifiers import METADATA, NO_NODE, NodeId, TopicPartition
from workbench.session.describe.sentences import error_name, node_name
from workbench.session.views import fencing
from workbench.session.views.client_rules import forget_clients
from workbench.session.views.nodes import FaultView, NodeView, SequenceRow, VoteRound
from workbench.session.views.state import ViewState
from workbench.session.views.timers import timer_words
from workbench.support.safe_text import safe_text

ROUNDS_MAX = 16
ROWS_MAX = 80
CLIENTS_FROM = 1001
EPOCH_ERRORS = (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.UNKNOWN_LEADER_EPOCH)


def _tp(e: Any) -> TopicPartition:
    return TopicPartition(e.topic, e.partition)


def _process(view: ViewState, node_id: NodeId, process: str, t_ns: int) -> NodeView:
    node = view.node(node_id)
    node.process, node.since_ns = process, t_ns
    return node


def on_run_started(view: ViewState, _entry: Entry, e: lab.RunStarted) -> None:
    """The title of the run, and how fast its timers are."""
    view.title, view.timers = safe_text(e.title, 80), timer_words(e.config)


def on_process_started(view: ViewState, entry: Entry, e: lab.ProcessStarted) -> None:
    """A new incarnation forgets what the old one held in memory."""
    node = _process(view, e.node_id, "starting", entry.t_ns)
    node.roles, node.pid, node.power_lost = e.roles, e.pid, False
    node.role, node.broker_state, node.wanted_port = "", "", 0


def on_process_ready(view: ViewState, entry: Entry, e: lab.ProcessReady) -> None:
    """It listens."""
    _process(view, e.node_id, "up", entry.t_ns)


def on_port_taken(view: ViewState, _entry: Entry, e: lab.PortTaken) -> None:
    """It stays down until the port is free."""
    view.node(e.node_id).wanted_port = e.port


def on_process_exited(view: ViewState, entry: Entry, e: lab.ProcessExited) -> None:
    """Gone: a leader that is gone leads no more as far as the screen is concerned."""
    node = _process(view, e.node_id, "down", entry.t_ns)
    forget_clients(view, entry, e)
    node.exit_code, node.role = e.exit_code, ""
    _leads_no_more(view, e.node_id)
    if view.active_controller == e.node_id:
        view.active_controller = NO_NODE
    for pair in [pair for pair in view.held if e.node_id in pair]:
        del view.held[pair]


def _leads_no_more(view: ViewState, node_id: NodeId) -> None:
    """Others may still name it their leader; it never leads in this epoch again."""
    if view.leader_id == node_id:
        view.leader_id, view.ended_epoch = NO_NODE, view.epoch


def on_power_lost(view: ViewState, entry: Entry, e: lab.PowerLost) -> None:
    """The cells beyond durable are gone at once; where the disk kept some of them the next start tells which."""
    view.node(e.node_id).power_lost = True
    spared = {path.split("/")[0] for path, _, _, durable, kept in e.files if kept > durable}
    for node_id, tp in [key for key in view.lanes if key[0] == e.node_id]:
        if str(tp) in spared:
            continue
        lane = view.lanes[node_id, tp]
        _cut(view, node_id, tp, lane.durable_offset, lane.high_watermark, entry.t_ns)


def _cut(view: ViewState, node_id: NodeId, tp: TopicPartition, end: int, high_watermark: int, t_ns: int) -> None:
    """Cells become ghosts; committed ones that nobody else holds are lost."""
    lane = view.lane(node_id, tp)
    if end >= lane.log_end_offset:
        return
    lane.cut(end, high_watermark, t_ns)
    deleted = max(other.log_start_offset for (_, log), other in view.lanes.items() if log == tp)
    gone = sum(deleted <= at < high_watermark and not view.holders(tp, at, epoch) for at, epoch in lane.ghosts)
    if gone:
        topic = safe_text(tp.topic, 40)
        some = f"{gone} committed record{'s' * (gone > 1)}"
        view.lost.append(f"{some} of {topic}-{tp.partition}: {node_name(node_id)} had the last copy")


_DISK_WORDS = {
    "FsyncLie": "LIES",
    "FsyncLieDir": "LIES",
    "FsyncFail": "FAILS",
    "FsyncSlow": "slow",
    "DiskFull": "FULL",
    "Misread": "MISREADS",
}
_SHAPED = ("Partition", "Cut", "CutLinks", "Isolate", "Delay", "SlowLink")
"""Faults that last and that the screen draws on a link."""


def on_fault_applied(view: ViewState, entry: Entry, e: lab.FaultApplied) -> None:
    """Keep it in the list in force and mark the nodes and links it names."""
    links = tuple(way for way in e.links if min(way) > 0) if e.kind in _SHAPED else ()
    words = safe_text(e.kind, 40), safe_text(e.arguments, 80)
    view.faults[e.fault_id] = FaultView(e.fault_id, *words, entry.t_ns, e.nodes, links, e.parameters)
    _mark_nodes(view, entry, e)


def on_fault_reverted(view: ViewState, entry: Entry, e: lab.FaultReverted) -> None:
    """No longer in force."""
    view.faults.pop(e.fault_id, None)
    _mark_nodes(view, entry, e)


def _mark_nodes(view: ViewState, entry: Entry, e: lab.FaultApplied | lab.FaultReverted) -> None:
    """State of the processes and disks it names, from all faults that are in force now."""
    view.frozen = any(fault.kind == "Freeze" for fault in view.faults.values())
    for node in [view.nodes[number] for number in e.nodes if number in view.nodes]:
        own = {fault.kind: fault for fault in view.faults.values() if node.node_id in fault.nodes}
        if e.kind in ("Freeze", "Pause") and node.process in ("up", "paused"):
            process = "paused" if "Pause" in own or "Freeze" in own else "up"
            if process != node.process:
                _process(view, node.node_id, process, entry.t_ns)
        if e.kind == "Stutter":
            node.stops_percent = _stops_percent(own.get("Stutter"))
        if e.kind in _DISK_WORDS:
            node.disk = next((_DISK_WORDS[item] for item in reversed(own) if item in _DISK_WORDS), "ok")


def _stops_percent(stutter: FaultView | None) -> int:
    """Share of the time that it has a process stand still; 0 without one."""
    if stutter is None:
        return 0
    run_ms, stop_ms = stutter.number("run_ms"), stutter.number("stop_ms")
    return round(100 * stop_ms / max(1, run_ms + stop_ms))


def on_fsynced(view: ViewState, entry: Entry, e: storage.Fsynced) -> None:
    """Two offsets: what fsync claims and what is durable."""
    lane = view.lane(entry.node, _tp(e))
    lane.claimed_offset, lane.durable_offset = e.claimed_offset, e.durable_offset
    if e.lied:
        view.node(entry.node).disk = "LIES"


def on_recovered(view: ViewState, entry: Entry, e: storage.LogRecovered) -> None:
    """The log as found in its files; cells the screen knew beyond it become ghosts.

    A kill leaves bytes in the page cache: what was durable before is what is durable now.
    """
    lane = view.lane(entry.node, _tp(e))
    durable = min(lane.durable_offset, e.log_end_offset) if lane.log_end_offset else e.log_end_offset
    lane.begun = None
    _cut(view, entry.node, _tp(e), e.log_end_offset, lane.high_watermark, entry.t_ns)
    if e.batches:
        lane.runs = [run for run in lane.runs if run[0] < e.batches[0][0]]
        lane.append(e.batches[0][0], e.log_end_offset, tuple((epoch, base) for base, _, epoch, _ in e.batches))
    lane.log_end_offset = e.log_end_offset
    lane.high_watermark = e.high_watermark
    lane.durable_offset, lane.claimed_offset = durable, e.log_end_offset
    if e.log_start_offset:
        lane.delete(e.log_start_offset)


def on_booted(view: ViewState, entry: Entry, e: quorum.QuorumBooted) -> None:
    """Voter set and persisted epoch."""
    view.voters = e.voters or view.voters
    node = view.node(entry.node)
    node.epoch, node.voted_for, node.leader_id = e.epoch, e.voted_for, e.leader_id
    lane = view.lane(entry.node, METADATA)
    lane.log_end_offset = max(lane.log_end_offset, e.log_end_offset)


def on_role_changed(view: ViewState, entry: Entry, e: quorum.RoleChanged) -> None:
    """One node's role; a higher epoch than the cluster's means its leader is not known yet."""
    node = view.node(entry.node)
    was = node.role
    node.role, node.epoch, node.leader_id, node.voted_for = safe_text(e.role, 20), e.epoch, e.leader_id, e.voted_for
    if e.epoch > view.epoch:
        view.epoch, view.leader_id = e.epoch, NO_NODE
    if e.epoch == view.epoch and e.epoch > view.ended_epoch and e.leader_id != NO_NODE:
        view.leader_id = e.leader_id
    if was == "leader" and e.role != "leader":
        _row(view, entry, entry.node, entry.node, f"{e.role} e{e.epoch}", "warn")
        _leads_no_more(view, entry.node)


def _row(view: ViewState, entry: Entry, source: NodeId, target: NodeId, text: str, tone: str) -> None:
    view.rows.append(SequenceRow(entry.t_ns, source, target, text, tone))
    del view.rows[:-ROWS_MAX]


def on_election_started(view: ViewState, entry: Entry, e: quorum.ElectionStarted) -> None:
    """A new round; the asker's own vote counts at once."""
    view.voters = e.voters or view.voters
    needed = len(e.voters) // 2 + 1
    view.rounds.append(VoteRound(e.epoch, entry.node, e.pre_vote, needed, e.voters, {entry.node: True}))
    del view.rounds[:-ROUNDS_MAX]
    what = "pre-vote?" if e.pre_vote else "vote?"
    _row(view, entry, entry.node, entry.node, f"\u25d4 {what} e{e.epoch}", "warn")


def _round(view: ViewState, epoch: int, candidate: NodeId, pre_vote: bool) -> VoteRound | None:
    for item in reversed(view.rounds):
        if (item.epoch, item.candidate_id, item.pre_vote) == (epoch, candidate, pre_vote):
            return item
    return None


def on_vote_granted(view: ViewState, entry: Entry, e: quorum.VoteGranted) -> None:
    """A yes on its way to the candidate."""
    found = _round(view, e.epoch, e.candidate_id, e.pre_vote)
    if found is not None:
        found.answers[entry.node] = True
    if not e.pre_vote:
        voter = view.node(entry.node)
        voter.voted_for, voter.epoch = e.candidate_id, max(voter.epoch, e.epoch)
    if entry.node != e.candidate_id:
        _row(view, entry, entry.node, e.candidate_id, "pre-yes" if e.pre_vote else "granted", "good")


def on_vote_rejected(view: ViewState, entry: Entry, e: quorum.VoteRejected) -> None:
    """A no, with its reason."""
    found = _round(view, e.epoch, e.candidate_id, e.pre_vote)
    if found is not None:
        found.answers[entry.node] = False
    _row(view, entry, entry.node, e.candidate_id, f"no: {safe_text(e.why, 60).removeprefix('already ')}", "bad")


def on_vote_received(view: ViewState, entry: Entry, e: quorum.VoteReceived) -> None:
    """The candidate has counted it."""
    found = _round(view, e.epoch, entry.node, e.pre_vote)
    if found is not None:
        found.answers[e.voter_id] = e.granted
        found.needed = e.needed


def on_leader_elected(view: ViewState, entry: Entry, e: quorum.LeaderElected) -> None:
    """A round is won."""
    fencing.succeeded(view, entry, e)
    if e.epoch >= view.epoch and e.epoch > view.ended_epoch:
        view.epoch, view.leader_id = e.epoch, entry.node
    found = _round(view, e.epoch, entry.node, False)
    if found is not None:
        found.won = True
        found.answers.update(dict.fromkeys(e.votes, True))
    _row(view, entry, entry.node, entry.node, f"\u2605 leads e{e.epoch}", "good")


def on_metadata_appended(view: ViewState, entry: Entry, e: quorum.MetadataAppended) -> None:
    """Cells of the metadata lane."""
    view.lane(entry.node, METADATA).append(e.base_offset, e.end_offset, e.epochs)
    if view.fencing:
        fencing.written(view, entry, e)


def on_metadata_truncated(view: ViewState, entry: Entry, e: quorum.MetadataTruncated) -> None:
    """Cells become ghosts."""
    _cut(view, entry.node, METADATA, e.end_offset, e.high_watermark, entry.t_ns)
    _row(view, entry, entry.node, entry.node, f"\u2702 {e.old_end_offset}\u2192{e.end_offset}", "bad")


def on_metadata_high_watermark(view: ViewState, entry: Entry, e: quorum.MetadataHighWatermarkAdvanced) -> None:
    """The bar of the metadata lane."""
    view.lane(entry.node, METADATA).high_watermark = e.high_watermark
    if view.fencing:
        fencing.committed(view, entry, e)


def on_activated(view: ViewState, entry: Entry, _e: controller.ControllerActivated) -> None:
    """It answers brokers now."""
    view.active_controller = entry.node


def on_deactivated(view: ViewState, entry: Entry, _e: controller.ControllerDeactivated) -> None:
    """It answers NOT_CONTROLLER now."""
    if view.active_controller == entry.node:
        view.active_controller = NO_NODE


def on_broker_state(view: ViewState, entry: Entry, e: controller.BrokerStateChanged) -> None:
    """The broker's own life cycle."""
    view.node(entry.node).broker_state = safe_text(e.state, 30)


def on_replica_appended(view: ViewState, entry: Entry, e: replica.ReplicaAppended) -> None:
    """Cells of a data lane."""
    epochs = [(epoch, base) for base, _, epoch, _ in e.batches]
    view.lane(entry.node, _tp(e)).append(e.base_offset, e.end_offset, epochs)


def on_replica_truncated(view: ViewState, entry: Entry, e: replica.ReplicaTruncated) -> None:
    """Cells become ghosts."""
    _cut(view, entry.node, _tp(e), e.end_offset, e.high_watermark, entry.t_ns)
    _row(view, entry, entry.node, entry.node, f"\u2702 {e.old_end_offset}\u2192{e.end_offset}", "bad")


def on_diverged(view: ViewState, entry: Entry, e: replica.ReplicaDiverged | quorum.MetadataDiverged) -> None:
    """The two messages that make a follower cut: what it asked with, and the leader's answer."""
    _row(view, entry, e.replica_id, entry.node, f"fetch {e.fetch_offset}@e{e.last_fetched_epoch}", "info")
    _row(view, entry, entry.node, e.replica_id, f"e{e.diverging_epoch} ends {e.diverging_end_offset}", "warn")


def on_fetch_refused(view: ViewState, entry: Entry, e: replica.FetchRefused) -> None:
    """A replica in another leader epoch; a row says it once, however often it asks."""
    if e.error in EPOCH_ERRORS and e.replica_id > 0:
        told = entry.node, e.replica_id, error_name(e.error)
        if all(row[1:4] != told for row in view.rows[-len(view.nodes) :]):
            _row(view, entry, *told, "bad")


def on_log_start(view: ViewState, entry: Entry, e: replica.LogStartAdvanced) -> None:
    """Records were deleted from the front of a data lane."""
    view.lane(entry.node, _tp(e)).delete(e.log_start_offset)


def on_high_watermark(view: ViewState, entry: Entry, e: replica.HighWatermarkAdvanced) -> None:
    """The bar of a data lane."""
    view.lane(entry.node, _tp(e)).high_watermark = e.high_watermark


def on_became(view: ViewState, entry: Entry, e: replica.BecameLeader | replica.BecameFollower) -> None:
    """Its own high watermark at the change; a leader enters its epoch in its cache before it writes."""
    lane = view.lane(entry.node, _tp(e))
    lane.high_watermark = e.high_watermark
    lane.begun = (e.leader_epoch, e.epoch_start_offset) if isinstance(e, replica.BecameLeader) else None


def on_held(view: ViewState, _entry: Entry, e: lab.FramesHeld) -> None:
    """A link with frames waiting."""
    view.held[e.source, e.target] = view.held.get((e.source, e.target), 0) + 1


def on_link_free(view: ViewState, _entry: Entry, e: Any) -> None:
    """Delivered or lost."""
    view.held.pop((e.source, e.target), None)


def on_operation(view: ViewState, entry: Entry, _e: Any) -> None:
    """The last answer to a client."""
    view.last_operation = entry


def on_checked(view: ViewState, _entry: Entry, e: client.ExpectationChecked) -> None:
    """A verdict line."""
    view.verdicts.append(("\u2713 " if e.held else "\u2717 ") + safe_text(e.text, 80))
    del view.verdicts[:-8]
