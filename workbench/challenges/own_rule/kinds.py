"""The six rules that a learner may write: what each is given and answers, and a right one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kind:
    """One rule that a learner may write: its name, its facts and what it decides."""

    name: str
    """Of the function."""
    says: str
    """When it is asked, and what its answer means."""
    parameters: dict[str, str]
    """Name to what it is."""
    answers: str
    """yes or no, a broker, or an offset."""
    right: str
    """The source of a right one."""
    quiet: dict[str, Any]
    """What it is given at a quiet moment of a healthy cluster: it is asked this first, before any cluster is made."""


YES_NO, BROKER, OFFSET = "True or False", "a broker, or None for nobody", "an offset, 0 or more"
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "grant_vote",
            "A voter is asked for its vote in an epoch; True gives it.",
            {
                "candidate": "node that asks",
                "voted_for": "node that has the voter's vote of this epoch; None for nobody",
                "knows_leader": "whether the voter knows who leads this epoch, leads or asks for votes itself",
                "own_log_end": "(epoch of the last record, offset behind it) of the voter",
                "candidate_log_end": "the same of the candidate",
            },
            YES_NO,
            "    if knows_leader or voted_for not in (None, candidate):\n"
            "        return False\n"
            "    return candidate_log_end >= own_log_end\n",
            {
                "candidate": 102,
                "voted_for": None,
                "knows_leader": False,
                "own_log_end": (1, 4),
                "candidate_log_end": (1, 4),
            },
        ),
        Kind(
            "leave_isr",
            "A leader looks at a follower in the ISR now and then; True puts it out.",
            {
                "log_end": "offset behind the last record that it has fetched",
                "leader_end": "offset behind the leader's last record",
                "behind_ms": "how long ago it was last caught up",
                "lag_time_max_ms": "replica.lag.time.max.ms",
            },
            YES_NO,
            "    return log_end != leader_end and behind_ms > lag_time_max_ms\n",
            {"log_end": 4, "leader_end": 4, "behind_ms": 0, "lag_time_max_ms": 5_000},
        ),
        Kind(
            "elect",
            "The controller looks for a partition's leader.",
            {
                "replicas": "the brokers of its assignment, in order",
                "holders": "those in the ISR; where it is empty, those that are known to hold all that is committed",
                "in_service": "brokers that are neither fenced nor shutting down",
                "leader": "who leads now; None for nobody",
            },
            BROKER,
            "    able = [broker for broker in replicas if broker in holders and broker in in_service]\n"
            "    if leader in able:\n"
            "        return leader\n"
            "    return able[0] if able else None\n",
            {"replicas": (1, 2, 3), "holders": (1, 2, 3), "in_service": (1, 2, 3), "leader": 1},
        ),
        Kind(
            "cut",
            "A follower's log leaves the leader's; the answer is the offset that it cuts its log to.",
            {
                "own_epochs": "(epoch, its first offset) of the follower's log, oldest first",
                "log_end": "offset behind its last record",
                "leader_epoch": "newest epoch that the leader has and that is not newer than the follower's last one",
                "leader_epoch_end": "offset behind the last record of that epoch on the leader",
            },
            OFFSET,
            "    ends = [start for _, start in own_epochs[1:]] + [log_end]\n"
            "    shared = [end for (epoch, _), end in zip(own_epochs, ends) if epoch <= leader_epoch]\n"
            "    if not shared:\n"
            "        return min(leader_epoch_end, log_end)\n"
            "    if leader_epoch not in dict(own_epochs):\n"
            "        return shared[-1]\n"
            "    return min(shared[-1], leader_epoch_end)\n",
            {"own_epochs": ((0, 0), (1, 4)), "log_end": 6, "leader_epoch": 1, "leader_epoch_end": 5},
        ),
        Kind(
            "move_high_watermark",
            "A leader learns how far its followers are; the answer is its new high watermark.",
            {
                "high_watermark": "the present one",
                "log_ends": "log end offsets of the leader and of each follower that counts",
                "isr_size": "how many are in the ISR",
                "min_isr": "min.insync.replicas; 0 where the high watermark does not wait for it",
            },
            OFFSET,
            "    if isr_size < min_isr:\n"
            "        return high_watermark\n"
            "    return max(high_watermark, min(log_ends))\n",
            {"high_watermark": 3, "log_ends": (4, 4, 4), "isr_size": 3, "min_isr": 1},
        ),
        Kind(
            "acknowledge",
            "A producer with acks=all waits for its answer; True answers it.",
            {
                "records_end": "offset behind the last record that it has written",
                "high_watermark": "of the leader",
                "leader_end": "offset behind the leader's last record",
                "isr_size": "how many are in the ISR",
                "min_isr": "min.insync.replicas",
            },
            YES_NO,
            "    return records_end <= high_watermark\n",
            {"records_end": 4, "high_watermark": 4, "leader_end": 4, "isr_size": 3, "min_isr": 1},
        ),
    )
}
"""By the name of the function."""


def wrong_answer(kind: Kind, answer: object) -> str:
    """Why this is no answer of this kind; empty when it is one."""
    if kind.answers == YES_NO:
        is_right = isinstance(answer, bool)
    elif isinstance(answer, bool) or not isinstance(answer, int):
        is_right = kind.answers == BROKER and answer is None
    else:
        is_right = kind.answers == BROKER or 0 <= answer < 1 << 62
    return "" if is_right else f"it returned {ascii(answer)[:80]}; needed: {kind.answers}"


def example(kind: Kind) -> str:
    """A file with a right one, to start from."""
    arguments = "".join(f"        {name}: {what}.\n" for name, what in kind.parameters.items())
    head = f"def {kind.name}({', '.join(kind.parameters)}):\n"
    doc = f'    """{kind.says}\n\n    Args:\n{arguments}\n    Returns: {kind.answers}.\n    """\n'
    return head + doc + kind.right
