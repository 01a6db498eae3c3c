"""A verdict in words: what was held against what, which step no behaviour allows, and what was added."""

from __future__ import annotations

from collections.abc import Sequence

from cluster.model.entry import Entry
from judges.specification.judge import ACCEPTED, NOT_JUDGED, Judged
from judges.specification.quorum_state import QuorumState, Voter
from judges.specification.replication_states import Replica, State
from workbench.support.safe_text import safe_text
from workbench.telling.tell import describe
from workbench.telling.words import node_name

ACTIONS = {
    "elect": "the controller elects a leader",
    "ctl-shrink": "the controller takes the leader away",
    "lead": "a broker begins to lead",
    "write": "a leader writes a record",
    "follow": "a broker follows a leader and cuts its log",
    "fetch": "a follower copies a record",
    "hw": "a leader advances its high watermark",
    "expand": "a leader takes a follower into the ISR",
    "shrink": "a leader takes a follower out of the ISR",
    "kraft-elect": "the controller shrinks the ISR and elects",
    "kraft-isr": "the controller takes a follower out of the ISR",
    "unclean": "the controller elects from outside the ISR",
    "restart": "a broker starts anew",
    "lost-tail": "a broker starts anew with a shorter log",
    "learn": "a follower learns a high watermark",
    "hw-early": "a leader advances its high watermark past where a member of its ISR asked last",
    "shrink-unheard": "a leader takes a follower out of the ISR that has everything, but was not heard",
    "kept-hw": "a follower keeps its higher high watermark",
    "out-of-range": "a follower cuts to where its leader's log ends",
    "expand-early": "a leader takes a follower into the ISR early",
    "timeout": "a voter's timer runs out and it asks for pre-votes",
    "vote-request": "a voter answers a request for its vote",
    "vote-response": "a voter counts an answer",
    "conclude": "a round of pre-votes is over",
    "become-leader": "a candidate begins to lead",
    "begin-quorum": "a voter hears who leads",
    "client": "the leader writes a record",
    "send-fetch": "a voter asks for records",
    "accept-fetch": "the leader answers a fetch",
    "handle-fetch": "a voter takes what was fetched",
    "diverging": "the leader says where the logs part",
    "check-quorum": "a leader resigns",
    "resigned-timeout": "who has resigned takes part again",
    "boot-role": "a voter takes up a role as it starts",
    "batch-tail": "a voter takes the rest of a batch",
    "give-up": "a round of pre-votes is given up",
    "again": "a message comes again",
    "late-fetch": "a voter that follows no more hears of a newer epoch",
    "begin-answer": "a leader hears of a newer epoch as it announces itself",
    "learn-leader": "a voter learns of a leader from an answer",
}
CHAIN_MAX = 8
OURS = ("kept-hw",)
"""Labels at which our reading of the trace may be what does not fit."""


def lines_of(judged: Judged, subject: str, reasons: dict[str, str]) -> list[str]:
    """The verdict, then what explains it. subject: as "orders-0 of RUN"; reasons: of the actions that were added."""
    head = f"{subject} against {judged.specification}: {judged.verdict.upper()}"
    if judged.verdict == NOT_JUDGED:
        return [f"{head}, because {safe_text(judged.why, 300)}"]
    lines = [f"{head}, {judged.steps} steps, {judged.seconds:.1f} s"]
    if judged.verdict == ACCEPTED:
        lines.append("Some behaviour of the specification shows what this run shows. That is no proof.")
    else:
        lines += _rejection(judged)
    for label, count in judged.added.items():
        lines.append(f"added {count} times: {label}, since {reasons[label]}" if count > 1 else
                     f"added once: {label}, since {reasons[label]}")  # fmt: skip
    return lines


def _rejection(judged: Judged) -> list[str]:
    state, before = judged.state, judged.before
    assert state is not None and before is not None
    said = f" ({state.said})" if state.said else ""
    lines = [f"Step {judged.at} fits no behaviour: {node_name(state.node) if state.node else 'the controller'}, "
             f"{ACTIONS.get(state.label, state.label)}{said}."]  # fmt: skip
    if state.entry is not None:
        lines.append(f"  told by {told_by(state)}: {describe(state.entry)}")
    lines.append(
        "  The specification allows this action there, but with another result."
        if judged.is_possible else "  The specification forbids this action there."
    )  # fmt: skip
    if judged.allowed:
        lines.append(f"  It allows: {'; '.join(ACTIONS.get(name, name) for name in judged.allowed)}.")
    lines += [f"  before: {row}" for row in picture(before)]
    lines += [f"  after:  {row}" for row in picture(state) if row not in picture(before)]
    if state.label in OURS:
        lines.append("  It may be our reading of the trace that does not fit here.")
    return lines


def chain_of(entries: Sequence[Entry], last: Entry) -> list[str]:
    """What led to an event, the newest first: each event that caused the one before."""
    by_id, found, seen = {entry.id: entry for entry in entries}, list[str](), {last.id}
    cause = last.cause
    while cause is not None and cause not in seen and len(found) < CHAIN_MAX:
        entry = by_id.get(cause)
        if entry is None:
            break
        seen.add(cause)
        found.append(f"  because {node_name(entry.node)}-{entry.incarnation}#{entry.seq}: {describe(entry)}")
        cause = entry.cause
    return found


def told_by(state: State | QuorumState) -> str:
    """The event that claims a step."""
    entry = state.entry
    assert entry is not None
    return f"{node_name(entry.node)}-{entry.incarnation}#{entry.seq}"


def picture(state: State | QuorumState) -> list[str]:
    """A row for the controller, and one for each replica that is seen; or one for each voter."""
    if isinstance(state, QuorumState):
        pairs = zip(state.nodes, state.voters, strict=True)
        return [f"{node_name(node)}: {_voter(voter)}" for node, voter in pairs]
    isr = ",".join(map(str, state.decision.isr)) or "none"
    leader = node_name(state.decision.leader) if state.decision.leader else "nobody"
    rows = [f"controller: leader {leader} e{state.decision.epoch} ISR {isr}"]
    seen = zip(state.nodes, state.replicas, strict=True)
    return rows + [f"{node_name(node)}: {_row(replica)}" for node, replica in seen]


def _voter(voter: Voter) -> str:
    leader = node_name(voter.leader) if voter.leader else "nobody"
    voted = node_name(voter.voted) if voter.voted else "nobody"
    last = f"@e{voter.log[-1]}" if voter.log else ""
    return f"{voter.role} e{voter.epoch}, leader {leader}, voted for {voted}, log ends {len(voter.log)}{last}"


def _row(replica: Replica) -> str:
    log = " ".join(f"e{epoch}:{number}" for epoch, number in replica.log[-8:])
    more = "... " if len(replica.log) > 8 else ""
    follows = f"follows {node_name(replica.leader)} in e{replica.epoch}" if replica.leader else "follows nobody"
    return f"LEO {len(replica.log)} HW {replica.high_watermark}, {follows}, records {more}{log or 'none'}"
