"""One true sentence per event, and its tone. Names are made safe here."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from typing import Any

from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import CoordinatorLoaded, client, controller, lab, quorum, replica, storage
from cluster.model.events.load import CLIENT as LOAD_CLIENT
from cluster.model.exit_codes import aside
from cluster.model.identifiers import FIRST_CLIENT_ID, INTERNAL_TOPICS, SCRIPT_ID
from workbench.session.describe import clients as describe_clients
from workbench.session.describe.admin import ADMIN_SENTENCES
from workbench.session.describe.counted import counted
from workbench.session.describe.elsewhere import ELSEWHERE_SENTENCES
from workbench.session.describe.fault_words import fault_words
from workbench.session.describe.groups import GROUP_SENTENCES
from workbench.session.describe.load import LOAD_SENTENCES
from workbench.session.describe.majority import MAJORITY_SENTENCES
from workbench.session.describe.messages import NETWORK_SENTENCES
from workbench.session.describe.run_words import end_words, gap_words, lost_words
from workbench.session.describe.snapshots import SNAPSHOT_SENTENCES, record_kinds
from workbench.session.describe.tones import BAD, DIM, GOOD, INFO, WARN
from workbench.session.describe.voters import VOTER_SENTENCES
from workbench.session.describe.zookeeper import ZOOKEEPER_SENTENCES
from workbench.support.safe_text import safe_text

NODE_WORDS = re.compile(r"\b(?:node|broker|controller|leader) (\d{1,5})\b")


def node_name(node_id: int) -> str:
    """n3 for a node, lab for 0, client for client ids, nobody for -1."""
    if node_id == 0:
        return "lab"
    if node_id < 0:
        return "nobody"
    if node_id == SCRIPT_ID:
        return "lesson"
    return f"n{node_id}" if node_id < FIRST_CLIENT_ID else f"client {node_id}"


def with_node_names(text: str) -> str:
    """A sentence of a node, of the lab or of a rule, with nodes named as on the screen: n3 for broker 3."""
    return NODE_WORDS.sub(r"n\1", text)


def names(node_ids: tuple[int, ...]) -> str:
    """n1,n2 or none."""
    return ",".join(node_name(item) for item in node_ids) or "none"


def error_name(error: int) -> str:
    """The protocol's name of an error code."""
    if error == -1:
        return "no answer"
    try:
        return ErrorCode(error).name
    except ValueError:
        return f"error {error}"


BROKER_WORDS = {
    "starting": "is starting",
    "recovery": "has caught up with the metadata",
    "running": "is running",
    "pending_controlled_shutdown": "asks to leave",
    "shutting_down": "is shutting down",
}


def acks_word(acks: int) -> str:
    """all, as a producer's setting says it, for -1."""
    return "all" if acks == -1 else str(acks)


def exit_word(exit_code: int) -> str:
    """How a process ended: the signal's name, or its exit code."""
    if exit_code >= 0:
        return f"exit {exit_code}"
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"


def _tp(e: Any) -> str:
    return f"{safe_text(e.topic, 60)}-{e.partition}"


def _role(e: quorum.RoleChanged) -> str:
    """Who follows says whom: that a node told it does not make that node the leader."""
    why = with_node_names(safe_text(e.why, 100))
    if e.role in ("follower", "observer") and e.leader_id >= 0:
        return f"follows {node_name(e.leader_id)} in e{e.epoch}" + (f" ({why})" if why else "")
    return f"{e.role.upper()} in e{e.epoch}: {why}"


def _vote(e: quorum.VoteGranted | quorum.VoteRejected) -> str:
    return f"{'pre-vote' if e.pre_vote else 'vote'}"


def _logs(e: quorum.VoteGranted | quorum.VoteRejected) -> str:
    return f"its log {e.candidate_last_offset}@e{e.candidate_last_epoch}, mine {e.last_offset}@e{e.last_epoch}"


def _epochs(e: Any) -> str:
    return f"e{e.epochs[-1][0]}" if e.epochs else ""


def _operation(e: Any) -> str:
    where = f" {safe_text(e.topic, 60) if e.function == 'create_topic' else _tp(e)}" if e.partition >= 0 else ""
    return f"{safe_text(e.client_id, 40)} #{e.operation_id} {safe_text(e.function, 20).replace('_', ' ')}{where}"


def _done(e: client.OperationSucceeded) -> str:
    """What came of it, in records and offsets."""
    if e.base_offset < 0 or e.function not in ("produce", "consume"):
        return f"the log begins at offset {e.base_offset}" if e.function == "delete_records" else "done"
    what = counted(e.count, "record")
    if e.function == "consume":
        return f"got {what} from offset {e.base_offset}"
    last = f" to {e.base_offset + e.count - 1}" if e.count > 1 else ""
    return f"{what} acknowledged, offset {e.base_offset}{last}"


def _answered(e: replica.ProduceAnswered) -> str:
    """What a broker tells a producer."""
    asked = f"{safe_text(e.client_id, 40)}, acks={acks_word(e.acks)}"
    if e.error:
        return f"{_tp(e)} answers {asked}: {error_name(e.error)}"
    last = f" to {e.base_offset + e.count - 1}" if e.count > 1 else ""
    return f"{_tp(e)} acknowledges {counted(e.count, 'record')} of {asked}, offset {e.base_offset}{last}"


def _recovered(e: storage.LogRecovered) -> str:
    dropped = f", {e.dropped_bytes} bytes dropped" if e.dropped_bytes else ""
    start = f"begins at {e.log_start_offset}, " if e.log_start_offset else ""
    return f"{_tp(e)} opened ({safe_text(e.why, 60)}): {start}LEO {e.log_end_offset} HW {e.high_watermark}{dropped}"


SENTENCES: dict[type, tuple[str, Callable[[Any], str]]] = {
    **describe_clients.SENTENCES,
    lab.RunStarted: (INFO, lambda e: f"run started: {safe_text(e.title, 80)} ({safe_text(e.world, 20)})"),
    lab.RunEnded: (INFO, lambda e: f"run ended{end_words(e)}"),
    lab.RunResumed: (WARN, lambda e: f"run resumed{gap_words(e)}"),
    lab.ProcessStarted: (INFO, lambda e: f"starts ({'+'.join(e.roles)})" + (f" pid {e.pid}" if e.pid else "")),
    lab.PortTaken: (
        WARN,
        lambda e: (
            f"port {e.port} is taken{f' by {safe_text(e.holder, 80)}' if e.holder else ''}: waits for it for a while"
        ),
    ),
    lab.ProcessReady: (GOOD, lambda e: f"ready on port {e.port}" if e.port else "ready"),
    lab.ProcessExited: (
        BAD,
        lambda e: f"ended: {exit_word(e.exit_code)}{aside(e.exit_code)}{'' if e.expected else ', unasked'}",
    ),
    lab.FaultInjected: (WARN, lambda e: f"FAULT {safe_text(e.command, 120)}"),
    lab.FaultApplied: (WARN, lambda e: f"fault {e.fault_id} in force: {fault_words(e.kind, e.arguments)}"),
    lab.FaultReverted: (GOOD, lambda e: f"fault {e.fault_id} over: {fault_words(e.kind, e.arguments)}"),
    lab.CommandRejected: (DIM, lambda e: f"cannot {safe_text(e.command, 80)}: {safe_text(e.why, 120)}"),
    lab.PowerLost: (BAD, lambda e: f"lost power: {lost_words(e)}"),
    lab.FramesHeld: (DIM, lambda e: f"link n{e.source}>n{e.target} holds {safe_text(e.message, 40)}"),
    lab.FramesReleased: (DIM, lambda e: f"link n{e.source}>n{e.target} delivers {counted(e.count, 'held frame')}"),
    lab.LinkReset: (
        WARN,
        lambda e: f"link n{e.source}-n{e.target} reset, {counted(e.held_count, 'frame')} lost",
    ),
    lab.LinkConnected: (DIM, lambda e: f"connected n{e.source}>n{e.target}"),
    storage.Fsynced: (
        DIM,
        lambda e: f"fsync {_tp(e)} claims {e.claimed_offset}, durable {e.durable_offset}" + (" LIE" if e.lied else ""),
    ),
    storage.LogRecovered: (INFO, _recovered),
    storage.ElectionPersisted: (
        DIM,
        lambda e: f"quorum-state on disk: e{e.epoch}, vote {node_name(e.voted_for)}" + (" LIE" if e.lied else ""),
    ),
    storage.StorageError: (BAD, lambda e: f"disk refused (errno {e.errno}): {safe_text(e.what, 100)}"),
    quorum.QuorumBooted: (
        INFO,
        lambda e: (
            f"quorum state e{e.epoch}, log ends {e.log_end_offset}@e{e.last_epoch}, voted for {node_name(e.voted_for)}"
        ),
    ),
    quorum.RoleChanged: (INFO, _role),
    quorum.ElectionStarted: (
        WARN,
        lambda e: (
            f"\u25d4 asks for {'pre-votes' if e.pre_vote else 'votes'} in e{e.epoch}, "
            f"log ends {e.last_offset}@e{e.last_epoch}"
        ),
    ),
    quorum.VoteGranted: (
        GOOD,
        lambda e: f"{_vote(e)} granted to {node_name(e.candidate_id)} in e{e.epoch} ({_logs(e)})",
    ),
    quorum.VoteRejected: (
        BAD,
        lambda e: f"{_vote(e)} REFUSED to {node_name(e.candidate_id)} in e{e.epoch}: {safe_text(e.why, 100)}",
    ),
    quorum.VoteReceived: (
        DIM,
        lambda e: (
            f"{node_name(e.voter_id)} says {'yes' if e.granted else 'no'}: "
            f"{e.granted_count}/{e.needed} {'pre-votes' if e.pre_vote else 'votes'} in e{e.epoch}"
        ),
    ),
    quorum.LeaderElected: (
        GOOD,
        lambda e: f"\u2605 LEADER of e{e.epoch} from offset {e.epoch_start_offset}, votes {names(e.votes)}",
    ),
    quorum.MetadataAppended: (
        DIM,
        lambda e: f"metadata [{e.base_offset},{e.end_offset}) {_epochs(e)} {record_kinds(e)} as {e.role}",
    ),
    quorum.MetadataTruncated: (
        BAD,
        lambda e: f"\u2702 metadata {e.old_end_offset}\u2192{e.end_offset}: {safe_text(e.why, 100)}",
    ),
    quorum.MetadataDiverged: (
        WARN,
        lambda e: (
            f"metadata of {node_name(e.replica_id)} diverges at {e.fetch_offset}@e{e.last_fetched_epoch}: "
            f"e{e.diverging_epoch} ends {e.diverging_end_offset} here"
        ),
    ),
    quorum.MetadataHighWatermarkAdvanced: (DIM, lambda e: f"metadata committed below {e.high_watermark} ({e.role})"),
    controller.ControllerActivated: (GOOD, lambda e: f"active controller of e{e.epoch}"),
    controller.ControllerDeactivated: (
        WARN,
        lambda e: f"no longer active controller (e{e.epoch}){f': {safe_text(e.why, 60)}' if e.why else ''}",
    ),
    controller.BrokerRegistered: (
        INFO,
        lambda e: f"broker {node_name(e.broker_id)} registered, broker epoch {e.broker_epoch}",
    ),
    controller.RegistrationRefused: (
        BAD,
        lambda e: f"registration of {node_name(e.broker_id)} refused: {error_name(e.error)}",
    ),
    controller.BrokerFenced: (BAD, lambda e: f"broker {node_name(e.broker_id)} FENCED: {safe_text(e.why, 80)}"),
    controller.BrokerUnfenced: (
        GOOD,
        lambda e: f"broker {node_name(e.broker_id)} unfenced, broker epoch {e.broker_epoch}",
    ),
    controller.ControlledShutdownBegun: (INFO, lambda e: f"moving leaderships off {node_name(e.broker_id)}"),
    controller.PartitionDecided: (
        INFO,
        lambda e: (
            f"{_tp(e)} leader {node_name(e.leader)} e{e.leader_epoch} ISR {names(e.isr)}: "
            f"{safe_text(e.why, 80)}{' UNCLEAN' if e.unclean else ''}"
        ),
    ),
    controller.AlterPartitionRefused: (
        BAD,
        lambda e: f"ISR change of {_tp(e)} by {node_name(e.broker_id)} refused: {error_name(e.error)}",
    ),
    controller.PartitionApplied: (
        DIM,
        lambda e: f"{_tp(e)} applied: leader {node_name(e.leader)} e{e.leader_epoch} ISR {names(e.isr)}",
    ),
    controller.BrokerStateChanged: (
        INFO,
        lambda e: (
            f"broker {BROKER_WORDS.get(e.state, safe_text(e.state, 40))}"
            + (f" (broker epoch {e.broker_epoch})" if e.broker_epoch >= 0 else "")
        ),
    ),
    replica.BecameLeader: (
        GOOD,
        lambda e: f"\u2605 leads {_tp(e)} e{e.leader_epoch} from {e.epoch_start_offset}, HW {e.high_watermark}",
    ),
    replica.BecameFollower: (
        INFO,
        lambda e: f"follows {node_name(e.leader)} for {_tp(e)} e{e.leader_epoch}, LEO {e.log_end_offset}",
    ),
    replica.ReplicaAppended: (
        DIM,
        lambda e: f"{_tp(e)} [{e.base_offset},{e.end_offset}) e{e.leader_epoch} as {e.role}",
    ),
    replica.ReplicaTruncated: (
        BAD,
        lambda e: f"\u2702 {_tp(e)} {e.old_end_offset}\u2192{e.end_offset} ({e.mode}): {safe_text(e.why, 80)}",
    ),
    replica.CorruptBatchRefused: (
        BAD,
        lambda e: f"{_tp(e)} {'fails its CRC' if e.base_offset < 0 else 'overlaps'} at {e.offset}: not written",
    ),
    replica.ReplicaDiverged: (
        WARN,
        lambda e: (
            f"{_tp(e)} of {node_name(e.replica_id)} diverges at {e.fetch_offset}@e{e.last_fetched_epoch}: "
            f"e{e.diverging_epoch} ends {e.diverging_end_offset} here"
        ),
    ),
    replica.EpochEndAnswered: (
        INFO,
        lambda e: (
            f"{_tp(e)} told {node_name(e.replica_id)} where e{e.asked_epoch} ends: "
            + ("not known here" if e.end_offset < 0 else f"{e.end_offset}")
            + (f" (e{e.found_epoch})" if e.found_epoch >= 0 else "")
        ),
    ),
    replica.FetchRefused: (
        WARN,
        lambda e: (
            f"fetch of {_tp(e)} by {node_name(e.replica_id)} refused: {error_name(e.error)} "
            f"(its e{e.their_epoch}, mine e{e.our_epoch})"
        ),
    ),
    replica.FollowerProgress: (
        DIM,
        lambda e: f"{_tp(e)} {node_name(e.replica_id)} is at {e.log_end_offset} of {e.leader_log_end_offset}",
    ),
    replica.HighWatermarkAdvanced: (DIM, lambda e: f"{_tp(e)} committed below {e.high_watermark} ({e.role})"),
    replica.IsrProposed: (
        WARN,
        lambda e: f"{_tp(e)} asks ISR {names(e.old_isr)} \u2192 {names(e.isr)}: {safe_text(e.why, 80)}",
    ),
    replica.IsrCommitted: (INFO, lambda e: f"{_tp(e)} ISR is {names(e.isr)} (partition epoch {e.partition_epoch})"),
    replica.IsrRefused: (BAD, lambda e: f"{_tp(e)} ISR change refused: {error_name(e.error)}"),
    replica.ReplicaLagging: (
        WARN,
        lambda e: f"{_tp(e)} {node_name(e.replica_id)} {'falls behind' if e.lagging else 'caught up'}",
    ),
    replica.ProduceRefused: (
        BAD,
        lambda e: f"{_tp(e)} acks={acks_word(e.acks)} from {safe_text(e.client_id, 40)} refused: {error_name(e.error)}",
    ),
    replica.ProduceAnswered: (DIM, _answered),
    client.OperationInvoked: (
        INFO,
        lambda e: (
            f"{_operation(e)}{f' acks={acks_word(e.acks)}' if e.function == 'produce' else ''}"
            + ("" if e.value == e.topic else f" {safe_text(e.value, 60)}")
            + (f" key {safe_text(', '.join(dict.fromkeys(e.keys)), 60)}" if e.keys else "")
        ),
    ),
    client.OperationSucceeded: (GOOD, lambda e: f"{_operation(e)}: {_done(e)}"),
    client.OperationFailed: (BAD, lambda e: f"{_operation(e)} failed: {error_name(e.error)}"),
    client.OperationUnknown: (WARN, lambda e: f"{_operation(e)} outcome unknown: {error_name(e.error)}"),
    client.OperationRetried: (
        DIM, lambda e: (
            f"{safe_text(e.client_id, 40)} #{e.operation_id} tries {e.attempt}: asks {node_name(e.target)} "
            f"after {error_name(e.error)}"
        ),
    ),
    client.LessonStep: (INFO, lambda e: f"does: {safe_text(e.text, 120)}"),
    client.ExpectationChecked: (
        INFO,
        lambda e: (
            f"{'held' if e.held else 'NOT HELD'}: {safe_text(e.text, 80)}"
            + ("" if e.held else f" (saw {safe_text(e.seen, 60)})")
        ),
    ),
    client.PredictionAnswered: (
        INFO,
        lambda e: (
            f"answered {safe_text(e.question, 60)}: {safe_text(e.answer, 40) or 'nothing'}"
            + (f", right is {safe_text(e.right_answer, 40)}" if e.right_answer not in ("", "right", e.answer) else "")
        ),
    ),
    **ADMIN_SENTENCES, **SNAPSHOT_SENTENCES, **VOTER_SENTENCES, **MAJORITY_SENTENCES, **GROUP_SENTENCES,
    **NETWORK_SENTENCES, **LOAD_SENTENCES, **ZOOKEEPER_SENTENCES, **ELSEWHERE_SENTENCES,
}  # fmt: skip


def describe(entry: Entry) -> str:
    """The sentence of one entry, without its node and time."""
    known = SENTENCES.get(type(entry.event))
    text = known[1](entry.event) if known else str(getattr(entry.event, "name", "unknown event"))
    return with_node_names(safe_text(text))


def tone(entry: Entry) -> str:
    """good, bad, warn, info or dim: dim events are the steady background."""
    known = SENTENCES.get(type(entry.event))
    if known is None or getattr(entry.event, "topic", "") in INTERNAL_TOPICS and known[0] in (INFO, GOOD):
        return DIM  # fifty partitions that nobody asked for would drown what somebody did
    if known[0] in (INFO, GOOD) and str(getattr(entry.event, "client_id", "")).startswith(LOAD_CLIENT):
        return DIM  # two records a second are the background; what fails is not
    is_idle = isinstance(entry.event, CoordinatorLoaded) and not (entry.event.groups or entry.event.offsets)
    return DIM if is_idle else known[0]


def subject(entry: Entry) -> int:
    """The node an entry is about: the named node for lab events, else the writer."""
    return getattr(entry.event, "node_id", entry.node) if entry.node == 0 else entry.node


def who(entry: Entry) -> str:
    """Whose doing an entry tells; a client's sentence names it already."""
    node_id = subject(entry)
    return "client" if node_id >= FIRST_CLIENT_ID and node_id != SCRIPT_ID else node_name(node_id)
