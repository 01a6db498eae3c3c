"""What the specifications make of the numbers of a decision of the quorum. Source: Raft paper 5, KIP-595, KIP-996."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cluster.invariants.ghost.ghost import Ghost
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import METADATA, NO_NODE, Epoch, NodeId, Offset

BUSY = ("leader", "candidate", "resigned")
"""Roles that give no vote in their own epoch. Source: KIP-595."""
FOLLOWS = ("follower", "observer")


def _log_end(text: str) -> tuple[Epoch, Offset]:
    offset, _, epoch = text.partition("@e")
    return int(epoch), int(offset)


def _is_behind(numbers: Mapping[str, Any]) -> bool:
    """Whether a candidate's log is behind: its last epoch counts first, then its length. Source: Raft paper 5.4.1."""
    return _log_end(numbers["their log end"]) < _log_end(numbers["own log end"])


def _hears_a_leader(role: str, numbers: Mapping[str, Any]) -> bool:
    """Who leads does, and who follows once it has fetched. Source: KIP-996."""
    return role == "leader" or (role in FOLLOWS and bool(numbers.get("has fetched from a leader", True)))


def _granted(ghost: Ghost, entry: Entry, event: ev.VoteGranted, numbers: Mapping[str, Any]) -> str:
    role = ghost.node(entry.node).role
    if event.pre_vote and "has fetched from a leader" in numbers and _hears_a_leader(role, numbers):
        return f"gives {event.candidate_id} a pre-vote in epoch {event.epoch} as {role}, and hears from a leader"
    if _is_behind(numbers) or _log_end(numbers["own log end"]) != (event.last_epoch, event.last_offset):
        return f"gives {event.candidate_id} its vote in epoch {event.epoch}, whose log is behind its own"
    return _of_an_answer(entry, granted=True)


def _rejected(ghost: Ghost, entry: Entry, event: ev.VoteRejected, numbers: Mapping[str, Any]) -> str:
    node = ghost.node(entry.node)
    if event.pre_vote:
        has_cause = _hears_a_leader(node.role, numbers)
    else:
        has_cause = node.role in BUSY or node.leader_id != NO_NODE or node.voted_for != NO_NODE
    if not has_cause and not _is_behind(numbers):
        what = "pre-vote" if event.pre_vote else "vote"
        return f"refuses {event.candidate_id} a {what} in epoch {event.epoch} as {node.role}, and has no cause to"
    return _of_an_answer(entry, granted=False)


def _of_an_answer(entry: Entry, *, granted: bool) -> str:
    assert entry.decision is not None
    return "" if entry.decision.granted is granted else "tells of another answer than its rule gave"


def _counted(ghost: Ghost, entry: Entry, event: ev.VoteReceived, numbers: Mapping[str, Any]) -> str:
    assert entry.decision is not None
    voters = len(ghost.voting.electorate(entry.node).nodes)
    needed = voters // 2 + 1
    if voters and numbers["needed"] != needed:
        return f"takes {numbers['needed']} of {voters} voters for a majority in epoch {event.epoch}"
    if entry.decision.granted is not (numbers["granted"] >= numbers["needed"]):
        return f"counts {numbers['granted']} votes of {numbers['needed']} wrongly in epoch {event.epoch}"
    return ""


def _role(_ghost: Ghost, _entry: Entry, event: ev.RoleChanged, numbers: Mapping[str, Any]) -> str:
    """A leader resigns when no majority of the voters fetches, itself counted where it votes. Source: KIP-595."""
    heard, needed, voters = len(numbers["voters that fetched"]), numbers["needed besides itself"], numbers["voters"]
    if event.role != "resigned" or heard < needed <= voters // 2 + 1 and needed >= voters // 2:
        return ""
    return f"resigns in epoch {event.epoch} though {heard} of {voters} voters have fetched from it"


def _watermark(ghost: Ghost, entry: Entry, event: ev.MetadataHighWatermarkAdvanced, numbers: Mapping[str, Any]) -> str:
    own_end = ghost.partition(*METADATA).logs[entry.node].end_offset
    due = min(numbers["leader's high watermark"], own_end)
    if event.high_watermark == due > numbers["high watermark"]:
        return ""
    return f"a follower's high watermark rises to {event.high_watermark}; its log and its leader's word make it {due}"


def _leader_watermark(
    ghost: Ghost, entry: Entry, event: ev.MetadataHighWatermarkAdvanced, numbers: Mapping[str, Any]
) -> str:
    ends = sorted((end for _, end in event.log_end_offsets), reverse=True)
    due = ends[len(ends) // 2]
    voters = len(ghost.voting.electorate(entry.node).nodes)
    if voters and len(ends) != voters:
        return f"counts {len(ends)} voters for its high watermark"
    if event.high_watermark == due > max(numbers["high watermark"], numbers["epoch start"]):
        return ""
    return f"a leader's high watermark rises to {event.high_watermark}; a majority has {due}"


def _cut(_ghost: Ghost, _entry: Entry, event: ev.MetadataTruncated, numbers: Mapping[str, Any]) -> str:
    named, end = numbers["leader's epoch"], numbers["which ends at"]
    own, own_end, log_end = numbers["own epoch"], numbers["own epoch ends at"], numbers["own log end"]
    if own < 0 or named == 0:
        due = min(end, log_end)
    elif own == named:
        due = min(own_end, end)
    else:
        due = own_end
    if event.end_offset == due and event.old_end_offset == log_end:
        return ""
    return f"cuts its log to {event.end_offset}; where both last agreed it ends at {due}"


def _diverged(ghost: Ghost, entry: Entry, event: ev.MetadataDiverged, numbers: Mapping[str, Any]) -> str:
    """It is so where the leader's log has not that epoch, or less of it, than the fetcher. Source: KIP-595."""
    asked = (event.last_fetched_epoch, event.fetch_offset)
    end = ghost.quorum.log(entry.node).end_of_epoch(event.last_fetched_epoch)
    if end not in (-1, event.diverging_end_offset):
        return f"tells {event.replica_id} that epoch {asked[0]} ends at {event.diverging_end_offset}; it ends at {end}"
    if asked == (numbers["last fetched epoch"], numbers["fetch offset"]):
        found = (numbers["leader has epoch"], numbers["which ends at"])
        if found[0] != asked[0] or found[1] < asked[1]:
            return ""
    return f"tells {event.replica_id} that its log parts from the leader's, and it does not"


def _written(_ghost: Ghost, _entry: Entry, _event: ev.SnapshotWritten, numbers: Mapping[str, Any]) -> str:
    applied, age_ms = numbers["bytes applied since"], numbers["age_ms"]
    is_due = applied >= numbers["bytes between snapshots"] or age_ms >= numbers["interval_ms"]
    if is_due or numbers.get("none is left"):
        return ""
    return f"writes a snapshot after {applied} bytes and {age_ms} ms"


def _offered(_ghost: Ghost, _entry: Entry, event: ev.SnapshotOffered, numbers: Mapping[str, Any]) -> str:
    """Who has nothing, wants what is gone, or comes from an epoch that the log does not tell of. Source: KIP-630."""
    newest, oldest = _log_end(numbers["newest snapshot"]), _log_end(numbers["oldest snapshot"])
    asked, epoch, start = numbers["fetch offset"], numbers["last fetched epoch"], numbers["log start"]
    if newest == (event.epoch, event.end_offset) and (
        asked == 0 or asked < start or epoch < oldest[0] or (asked == start == oldest[1] and epoch != oldest[0])
    ):
        return ""
    return f"offers {event.replica_id} snapshot {newest}, which wants offset {asked} of a log from {start} on"


def _deletes(_ghost: Ghost, _entry: Entry, event: ev.MetadataLogStartAdvanced, numbers: Mapping[str, Any]) -> str:
    is_large = numbers["log and snapshots, bytes"] > numbers["retention, bytes"]
    if is_large or numbers["age of the oldest, ms"] > numbers["retention_ms"]:
        return ""
    return f"deletes its log up to {event.log_start_offset}, and it is neither too large nor too old"


def _voters(text: str) -> list[tuple[NodeId, str]]:
    named = [one.partition(":") for one in text.split(", ") if one]
    return [(int(number), directory) for number, _, directory in named]


def _joined(ghost: Ghost, entry: Entry, event: ev.VotersChanged, numbers: Mapping[str, Any]) -> str:
    voters, (new,) = _voters(numbers["voters"]), _voters(numbers["new voter"])
    log = ghost.quorum.log(new[0])
    newest, due = log.epoch_at(log.end_offset - 1), ghost.node(entry.node).epoch
    is_told = log.damaged is None and log.power_lost is None and (newest >= 0 or not log.end_offset)
    if is_told and newest < due:  # of a newer one it has heard since, and this leader has not
        return f"voter {new[0]} joins, and it has no record of this leader's epoch"
    if numbers["is caught up"] and new[0] not in dict(voters) and set(event.voters) == {*dict(voters), new[0]}:
        return ""
    return f"voter {new[0]} joins {sorted(dict(voters))}, which makes {list(event.voters)}"


def _left(_ghost: Ghost, _entry: Entry, event: ev.VotersChanged, numbers: Mapping[str, Any]) -> str:
    voters, (old,) = _voters(numbers["voters"]), _voters(numbers["to remove"])
    if old in voters and event.voters and set(event.voters) == {*dict(voters)} - {old[0]}:
        return ""
    return f"voter {old[0]} leaves {sorted(dict(voters))}, which makes {list(event.voters)}"


def _not_changed(_ghost: Ghost, entry: Entry, event: ev.VoterChangeRefused, numbers: Mapping[str, Any]) -> str:
    """One change at a time, after a record of the leader's own epoch. Source: Raft thesis 4.1, KIP-853."""
    assert entry.decision is not None
    match entry.decision.rule:
        case "may_add_voter":
            ((number, _),) = _voters(numbers["new voter"])
            is_there = number in dict(_voters(numbers["voters"]))
            fits = is_there if event.error == ErrorCode.DUPLICATE_VOTER else not numbers["is caught up"]
        case "may_remove_voter":
            voters, (old,) = _voters(numbers["voters"]), _voters(numbers["to remove"])
            fits = old not in voters or len(voters) == 1
        case _:
            is_waiting = numbers["high watermark"] <= numbers["voters stand at"]
            fits = is_waiting or event.error != ErrorCode.REQUEST_TIMED_OUT
    return "" if fits else f"refuses to {event.kind} voter {event.voter_id} with error {event.error}, without a cause"


def _leaves_office(_ghost: Ghost, _entry: Entry, event: ev.RoleChanged, numbers: Mapping[str, Any]) -> str:
    if event.role == "resigned" and numbers["high watermark"] > numbers["change at"]:
        return ""
    return f"becomes {event.role} before its removal is committed"


JUDGES: dict[tuple[type, str], Callable[..., str]] = {
    (ev.VoteGranted, "grant_vote"): _granted,
    (ev.VoteGranted, "grant_pre_vote"): _granted,
    (ev.VoteRejected, "grant_vote"): _rejected,
    (ev.VoteRejected, "grant_pre_vote"): _rejected,
    (ev.VoteReceived, "count_votes"): _counted,
    (ev.RoleChanged, "check_quorum"): _role,
    (ev.MetadataHighWatermarkAdvanced, "follower_high_watermark"): _watermark,
    (ev.MetadataHighWatermarkAdvanced, "advance_high_watermark"): _leader_watermark,
    (ev.MetadataTruncated, "truncation_point"): _cut,
    (ev.MetadataDiverged, "diverging_epoch"): _diverged,
    (ev.SnapshotWritten, "snapshot_due"): _written,
    (ev.SnapshotOffered, "snapshot_to_send"): _offered,
    (ev.MetadataLogStartAdvanced, "may_delete_oldest"): _deletes,
    (ev.VotersChanged, "may_add_voter"): _joined,
    (ev.VotersChanged, "may_remove_voter"): _left,
    (ev.VoterChangeRefused, "may_add_voter"): _not_changed,
    (ev.VoterChangeRefused, "may_remove_voter"): _not_changed,
    (ev.VoterChangeRefused, "may_change_voters"): _not_changed,
    (ev.RoleChanged, "must_leave_office"): _leaves_office,
}
"""By class of event and name of the rule."""
NO = {
    (ev.VoteRejected, "grant_vote"), (ev.VoteRejected, "grant_pre_vote"), (ev.RoleChanged, "check_quorum"),
    (ev.VoterChangeRefused, "may_add_voter"), (ev.VoterChangeRefused, "may_remove_voter"),
    (ev.VoterChangeRefused, "may_change_voters"),
}  # fmt: skip
"""What is told when a rule has said no; all others tell of a yes."""
EITHER = {(ev.VoteReceived, "count_votes")}
"""What may be told either way."""
