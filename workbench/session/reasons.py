"""Why an event happened, as one clause for people: no name of a rule, of a class or of a file in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from cluster.model.entry import Entry
from cluster.model.events import client, controller, lab, quorum, replica
from workbench.session.describe.fault_words import fault_words
from workbench.session.describe.sentences import acks_word, describe, exit_word, node_name, who
from workbench.session.story import words
from workbench.session.transaction_reasons import TRANSACTION_REASONS
from workbench.support.safe_text import safe_text

TIMERS = {
    "quorum.fetch": "it had heard nothing from the leader of the quorum for longer than it waits",
    "quorum.election": "it had waited long enough to ask for votes",
    "quorum.check": "too few voters had fetched from it in time",
    "controller.session_check": "the controller looks at the sessions of brokers now and then",
    "isr": "the leader looks at its followers now and then",
}
"""What has happened when a timer runs out, by the begin of its name."""
MEASURED_TIMERS = {
    "quorum.fetch": ("fetch", "it had heard nothing from the leader of the quorum for {} ms, longer than it waits"),
    "quorum.election": ("election", "it had waited {} ms, long enough to ask for votes"),
    "quorum.check": ("check_quorum", "too few voters had fetched from it within {} ms"),
}
"""The same by the timer that the trace tells the start of, where it is known how long it ran."""
NOTHING_HEARD = "it had heard nothing from the leader for longer than it waits"
CLAUSES = {
    "fewer replicas in sync than min.insync.replicas": "too few replicas are in sync",
    "won the pre-vote": "a majority would vote for it",
    "election timer ran out": "it had waited long enough to ask for votes",
    "session expired": "its session is over",
    "no successful fetch in time": NOTHING_HEARD,
}
"""Clauses of rules and events that a learner would have to look up, in other words."""
ROLES = {
    "prospective": "begins to ask around",
    "candidate": "asks for votes",
    "unattached": "has no leader",
    "resigned": "gives up leading",
    "leader": "leads",
}
"""What a voter does now, by the role that it has taken."""
IDENTIFIER = re.compile(r"\b[A-Za-z]+(?:_[A-Za-z]+)+\b|\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")
"""Names of code: with an underscore, or of several capitals."""


def plain(text: str) -> str:
    """A clause of a rule or an event without names of code; numbers of nodes as on the map."""
    text = CLAUSES.get(text, text)
    text = re.sub(r"\b(?:node|leader|broker|replica) (\d{1,5})\b", lambda match: f"n{match[1]}", text)
    text = IDENTIFIER.sub(_as_words, text)
    return safe_text(text.replace("@e", " of e"), 160)


def _as_words(match: re.Match[str]) -> str:
    name = match[0].replace("_", " ")
    return (name if name.isupper() else re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).lower()


def reason_of(entry: Entry) -> str:
    """Why it happened, as far as the event and its decision tell; empty when they tell nothing."""
    known = REASONS.get(type(entry.event))
    numbers: dict[str, Any] = dict(entry.decision.numbers) if entry.decision is not None else {}
    reason = known(entry.event, numbers) if known is not None else ""
    if not reason and entry.decision is not None:
        reason = plain(entry.decision.reason)
    return reason


def timer_of(trigger: str) -> str:
    """Which timer of those that the trace tells of ran out; empty for another."""
    name = trigger.partition(" ")[2]
    return next((timer for begin, (timer, _) in MEASURED_TIMERS.items() if name.startswith(begin)), "")


def timer_reason(trigger: str, waited_ms: int | None = None) -> str:
    """What it means that the timer of a trigger ran out, after so long where that is known."""
    name = trigger.partition(" ")[2]
    if waited_ms is not None:
        return next(text.format(waited_ms) for begin, (_, text) in MEASURED_TIMERS.items() if name.startswith(begin))
    return next((text for begin, text in TIMERS.items() if name.startswith(begin)), "it had waited as long as it waits")


def fact_of(entry: Entry) -> str:
    """What an event says, in plain words."""
    event = entry.event
    if isinstance(event, quorum.RoleChanged) and event.role in ROLES:
        return f"{who(entry)} {ROLES[event.role]} in e{event.epoch}: {plain(_as_node(event.why))}"
    return plain(f"{who(entry)} {describe(entry)}")


def _ms(numbers: dict[str, Any], *names: str) -> int | None:
    return next((value for name in names if isinstance(value := numbers.get(name), int) and value >= 0), None)


def _silence(numbers: dict[str, Any], node: int) -> str:
    silent, limit = _ms(numbers, "silence_ms"), _ms(numbers, "session_timeout_ms")
    if silent is None or limit is None:
        return ""
    return f"{node_name(node)} was silent for {silent} ms, longer than its session of {limit} ms"


def _fenced(e: controller.BrokerFenced, numbers: dict[str, Any]) -> str:
    return _silence(numbers, e.broker_id)


def _decided(e: controller.PartitionDecided, numbers: dict[str, Any]) -> str:
    if numbers.get("election") and isinstance(before := numbers.get("leader_before"), int) and before != e.leader:
        if e.leader < 0:
            return "no replica that may lead is alive"
        return f"{node_name(e.leader)} comes next in the list of those that were in sync, {words.nodes(e.isr)}"
    assigned = numbers.get("assignment")
    if e.why.startswith("reassigned") and isinstance(assigned, list):
        return f"its replicas move: until all that come are in sync, {words.nodes(assigned)} are its replicas"
    if isinstance(assigned, list) and e.leader > 0:  # of a new partition alone
        log, first = words.log_name((e.topic, e.partition)), node_name(e.leader)
        return f"{log} is new, and {first} is the first in service of its replicas {words.nodes(assigned)}"
    return plain(e.why)


def _asked_isr(e: replica.IsrProposed, numbers: dict[str, Any]) -> str:
    behind, limit = _ms(numbers, "not_caught_up_ms"), _ms(numbers, "replica.lag.time.max.ms")
    node = numbers.get("replica_id")
    name = node_name(node) if isinstance(node, int) else "it"
    if behind is not None and limit is not None:
        return f"{name} had not caught up for {behind} ms, and {limit} ms are allowed"
    end, committed = _ms(numbers, "log_end_offset"), _ms(numbers, "high_watermark")
    if end is not None and committed is not None:
        return f"{name} has the log to {end}, and committed is {committed}"
    return plain(e.why)


def _vote(e: quorum.VoteGranted | quorum.VoteRejected, _numbers: dict[str, Any]) -> str:
    candidate = node_name(e.candidate_id)
    theirs = f"the log of {candidate} ends at {e.candidate_last_offset} of e{e.candidate_last_epoch}"
    ours = f"its own at {e.last_offset} of e{e.last_epoch}"
    if isinstance(e, quorum.VoteGranted):
        first = "" if e.pre_vote else f"it had given no vote in e{e.epoch} yet, and "
        return f"{first}{theirs}, not before {ours}"
    behind = (e.candidate_last_epoch, e.candidate_last_offset) < (e.last_epoch, e.last_offset)
    return f"{theirs}, before {ours}" if behind else f"it {plain(_as_node(e.why))}"


def _as_node(why: str) -> str:
    """Already voted for 2: a number of a node."""
    return re.sub(r"\bfor (\d{1,5})\b", r"for n\1", why)


def _elected(e: quorum.LeaderElected, numbers: dict[str, Any]) -> str:
    needed = f", and {numbers['needed']} are needed" if isinstance(numbers.get("needed"), int) else ""
    return f"{words.nodes(e.votes)} voted for it in e{e.epoch}: {words.plural(len(e.votes), 'vote')}{needed}"


def _counted(e: quorum.VoteReceived, _numbers: dict[str, Any]) -> str:
    return f"it has {e.granted_count} of the {e.needed} votes that it needs"


def _cut(e: replica.ReplicaTruncated, numbers: dict[str, Any]) -> str:
    ends = _ms(numbers, "which_ends_at", "leader_answered", "high_watermark")
    own = e.old_end_offset
    return f"its log went to {own}, and the leader's log parts from it at {ends if ends is not None else e.end_offset}"


def _cut_metadata(e: quorum.MetadataTruncated, numbers: dict[str, Any]) -> str:
    ends = _ms(numbers, "which ends at")
    at = ends if ends is not None else e.end_offset
    return f"its log went to {e.old_end_offset}, and the leader's log parts from it at {at}"


def _parts(e: replica.ReplicaDiverged | quorum.MetadataDiverged, _numbers: dict[str, Any]) -> str:
    return (
        f"{node_name(e.replica_id)} asked for {e.fetch_offset} after e{e.last_fetched_epoch}, "
        f"and e{e.diverging_epoch} ends at {e.diverging_end_offset} here"
    )


def _refused(e: replica.ProduceRefused, numbers: dict[str, Any]) -> str:
    isr, least = numbers.get("isr"), numbers.get("min.insync.replicas")
    if not isinstance(isr, list) or not isinstance(least, int):
        return ""
    are = "is" if len(isr) == 1 else "are"
    return f"acks={acks_word(e.acks)} needs {least} in sync, and {len(isr)} {are}"


def _resigned(e: quorum.RoleChanged, numbers: dict[str, Any]) -> str:
    fetched, needed = numbers.get("voters that fetched"), numbers.get("needed besides itself")
    if isinstance(fetched, list) and isinstance(needed, int):
        return f"{len(fetched)} of the {needed} voters that it needs had fetched from it in time"
    return plain(_as_node(e.why))


REASONS: dict[type, Callable[[Any, dict[str, Any]], str]] = {
    controller.BrokerFenced: _fenced,
    controller.PartitionDecided: _decided,
    replica.IsrProposed: _asked_isr,
    quorum.VoteGranted: _vote,
    quorum.VoteRejected: _vote,
    quorum.VoteReceived: _counted,
    quorum.LeaderElected: _elected,
    quorum.RoleChanged: _resigned,
    quorum.MetadataTruncated: _cut_metadata,
    quorum.MetadataDiverged: _parts,
    replica.ReplicaTruncated: _cut,
    replica.ReplicaDiverged: _parts,
    replica.ProduceRefused: _refused,
    lab.FaultApplied: lambda e, _numbers: f"it was asked for: {plain(fault_words(e.kind, e.arguments))}",
    lab.FaultReverted: lambda e, _numbers: f"it was healed: {plain(fault_words(e.kind, e.arguments))}",
    lab.ProcessStarted: lambda e, _numbers: "its start was asked for" if e.incarnation_number else "the run begins",
    lab.ProcessExited: lambda e, _numbers: "its end was asked for" if e.expected else f"of {exit_word(e.exit_code)}",
    lab.CommandRejected: lambda e, _numbers: plain(e.why),
    lab.RunEnded: lambda e, _numbers: plain(e.why),
    **TRANSACTION_REASONS,
    client.ExpectationChecked: lambda e, _numbers: "" if e.held else plain(f"{e.seen} was seen"),
}
"""What is told of an event by its fields and by the numbers that its decision compared."""
