"""The quorum: votes, its leader, its log, who votes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cluster.model.events import quorum
from cluster.model.identifiers import NO_NODE
from cluster.picture.cluster_state import ClusterState
from workbench.support.safe_text import safe_text
from workbench.telling import words
from workbench.telling.telling import (
    ACT,
    ANSWER,
    BAD,
    CUT,
    DIM,
    FOLLOW,
    GOOD,
    INFO,
    SCISSORS,
    WARN,
    Cell,
    Printed,
    Row,
    Telling,
)
from workbench.telling.template import fill

LOGS = "its log {candidate_last_offset}@e{candidate_last_epoch}, mine {last_offset}@e{last_epoch}"
VOTE = "candidate_id epoch pre_vote"
THEIRS = "the log of {candidate_id} ends at {candidate_last_offset} of e{candidate_last_epoch}"
OURS = "its own at {last_offset} of e{last_epoch}"
ENDS = "ends {diverging_end_offset}"
PARTS_AT = (
    "{replica_id} asked for {fetch_offset} after e{last_fetched_epoch}, "
    "and e{diverging_epoch} ends at {diverging_end_offset} here"
)
PARTS_FROM = "its log went to {old_end_offset}, and the leader's log parts from it at {end_offset}"
ROLES = {
    "prospective": "begins to ask around",
    "candidate": "asks for votes",
    "leader": "leads",
    "resigned": "gives up leading",
    "unattached": "has no leader",
    "follower": "has no leader",
    "observer": "has no leader",
}
"""What a node of the quorum does, by the role that it has taken."""
TIMERS = {
    "fetch": "waits for its leader",
    "check_quorum": "waits for a majority",
    "election": "waits to ask for votes",
}


def _role(e: quorum.RoleChanged) -> str:
    """Who follows says whom: that a node told it does not make that node the leader."""
    if e.role in ("follower", "observer") and e.leader_id >= 0:
        return fill("follows {leader_id} in e{epoch}{why: ({})/}", e)
    return fill("{role} in e{epoch}: {why}", e, {"role": ROLES.get(e.role, e.role)})


def _role_cell(e: quorum.RoleChanged, name: str, _view: ClusterState) -> str:
    """Who follows, and who gives up. Those who ask or win say that in an event of its own."""
    if e.role == "resigned":
        return f"{name} quits"
    follows = e.role in ("follower", "observer") and e.leader_id != NO_NODE
    return f"{name} \u25b8{e.leader_id}" if follows else ""


def _granted(e: quorum.VoteGranted, _numbers: Mapping[str, Any]) -> str:
    first = "" if e.pre_vote else "it had given its vote in e{epoch} to nobody else, and "
    return fill(f"{first}{THEIRS}, not before {OURS}", e)


def _refused(e: quorum.VoteRejected, _numbers: Mapping[str, Any]) -> str:
    is_behind = (e.candidate_last_epoch, e.candidate_last_offset) < (e.last_epoch, e.last_offset)
    return fill(f"{THEIRS}, before {OURS}" if is_behind else "it {why}", e)


def _counted(e: quorum.VoteReceived) -> str:
    so_far = "{granted_count:pre-vote}" if e.pre_vote else "{granted_count:vote}"
    return fill(f"{{voter_id}} says {{granted:yes/no}}: {so_far} in e{{epoch}}, needs {{needed}}", e)


def _appended(e: quorum.MetadataAppended) -> str:
    """The first kinds of records, and how many more."""
    kinds = ",".join(kind.removesuffix("Record") for kind in e.kinds[:3])
    more = {"records": kinds + f" +{len(e.kinds) - 3}" * (len(e.kinds) > 3), "in": e.epochs[-1][0] if e.epochs else ""}
    return fill("metadata [{base_offset},{end_offset}) e{in} {records} as {role}", e, more)


def _voters(e: quorum.VotersChanged) -> str:
    pairs = zip(e.voters, e.directories, strict=False)
    named = ", ".join(f"{words.node_name(node)}{words.disk_words(disk)}" for node, disk in pairs)
    return fill(
        "VOTERS {named:{}/nobody that it knows of} ({offset:as of offset {}/no record yet}): {why}", e, {"named": named}
    )


REFUSALS = (
    (re.compile(r"already voted for (\d+)"), "voted n{}"),
    (re.compile(r"has fetched from leader (\d+) in this epoch"), "follows n{}"),
    (re.compile(r"leader (\d+) is known in this epoch"), "n{} leads"),
    (re.compile(r"is (\w+) in this epoch"), "{} too"),
    (re.compile("its log is behind"), "log behind"),
)
"""Why a vote is refused, as traces of all versions have it, and how to say it in few letters."""


def _few(before: str, e: quorum.VoteRejected) -> str:
    """Empty for a reason that is none of these."""
    for reason, few in REFUSALS:
        if (why := reason.match(e.why)) is not None:
            return before + few.format(*why.groups()) + safe_text(e.why[why.end() :], 40)
    return ""


def _node_of_refusal(e: quorum.VoteRejected) -> str:
    """Who has the vote; empty where that is not the reason."""
    voted = REFUSALS[0][0].match(e.why)
    return f"\u2717 n{voted[1]}" if voted is not None else ""


TELLINGS: dict[type, Telling] = {
    quorum.QuorumBooted: Telling(
        INFO,
        "quorum state e{epoch}, log ends {log_end_offset}@e{last_epoch}, voted for {voted_for}",
        printed=lambda _, entry: entry.incarnation > 0,
    ),
    quorum.RoleChanged: Telling(
        INFO,
        _role,
        cell=Cell(FOLLOW, _role_cell, "epoch"),
        row=Row("{role} e{epoch}", tone=WARN, few=("{role}",)),
        reasons=(
            "{voters that fetched:size} of the {needed besides itself} voters that it needs had fetched from it "
            "in time",
            lambda e, _: "" if e.role == "prospective" else fill("{why}", e),
        ),
        printed=lambda e, _: e.role == "resigned",
    ),
    quorum.ElectionStarted: Printed(
        WARN,
        "\u25d4 asks for {pre_vote:pre-votes/votes} in e{epoch}, log ends {last_offset}@e{last_epoch}",
        cell=Cell(ACT, lambda e, name, _: f"\u25d4 {name}" if e.pre_vote else f"{name} e{e.epoch}?", "epoch"),
        row=Row(
            "\u25d4 {pre_vote:pre-vote/vote}? e{epoch}",
            few=("\u25d4 {pre_vote:pre/vote}? e{epoch}", "\u25d4 {pre_vote:pre/vote}?"),
        ),
        mark="{pre_vote:/V}",
        question="Why does {who} ask {pre_vote:around/for votes} in e{epoch}?",
    ),
    quorum.VoteGranted: Telling(
        GOOD,
        "{pre_vote:would vote/votes} for {candidate_id} in e{epoch} (" + LOGS + ")",
        cell=Cell(ANSWER, "{pre_vote:\u25d4/}{who} yes", VOTE),
        row=Row("{pre_vote:pre-yes/granted}", "candidate_id"),
        reasons=(_granted,),
    ),
    quorum.VoteRejected: Printed(
        BAD,
        "{pre_vote:pre-vote/vote} REFUSED to {candidate_id} in e{epoch}: {why}",
        cell=Cell(ANSWER, "{pre_vote:\u25d4/}{who} no", VOTE),
        row=Row(
            lambda e: f"no: {safe_text(e.why, 60).removeprefix('already ')}",
            "candidate_id",
            few=(lambda e: _few("no: ", e), lambda e: _few("\u2717", e), _node_of_refusal),
        ),
        question="Why does {who} refuse {candidate_id}?",
        reasons=(_refused,),
    ),
    quorum.VoteReceived: Telling(
        DIM,
        _counted,
        cell=Cell(ACT, "{granted_count} of {needed}", "epoch pre_vote voter_id granted"),
        reasons=("it has {granted_count} of the {needed} votes that it needs",),
    ),
    quorum.LeaderElected: Printed(
        GOOD,
        "\u2605 LEADER of e{epoch} from offset {epoch_start_offset}, votes {votes}",
        cell=Cell(ACT, "\u2605 {who}", "epoch"),
        row=Row("\u2605 leads e{epoch}", few=("\u2605 e{epoch}", "\u2605")),
        mark="E",
        question="Why does {who} lead the quorum in e{epoch}?",
        reasons=("{votes:and} voted for it in e{epoch}: {votes:vote}",),
    ),
    quorum.MetadataAppended: Telling(DIM, _appended),
    quorum.MetadataTruncated: Printed(
        BAD,
        "\u2702 metadata {old_end_offset}\u2192{end_offset}: {why}",
        cell=Cell(CUT, "\u2702 {who}"),
        row=Row("\u2702 {old_end_offset}\u2192{end_offset}"),
        mark=SCISSORS,
        question="Why does {who} cut its metadata log from {old_end_offset} to {end_offset}?",
        reasons=(PARTS_FROM,),
    ),
    quorum.MetadataDiverged: Printed(
        WARN,
        "metadata of {replica_id} diverges at {fetch_offset}@e{last_fetched_epoch}: "
        "e{diverging_epoch} ends {diverging_end_offset} here",
        cell=Cell(ANSWER, ENDS, "replica_id diverging_epoch"),
        row=Row("e{diverging_epoch} " + ENDS, "replica_id"),
        reasons=(PARTS_AT,),
    ),
    quorum.MetadataHighWatermarkAdvanced: Telling(DIM, "metadata committed below {high_watermark} ({role})"),
    quorum.VotersChanged: Telling(
        INFO, _voters, printed=lambda _, entry: entry.decision is not None or entry.incarnation > 0
    ),
    quorum.VoterChangeRefused: Printed(WARN, "does not {kind} voter {voter_id}{directory_id:disk}: {error}, {why}"),
    quorum.TimerSet: Telling(
        DIM, lambda e: fill("{what}, for {length_ms} ms", e, {"what": TIMERS.get(e.timer, e.timer)})
    ),
}
