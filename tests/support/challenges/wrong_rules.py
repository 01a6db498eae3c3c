"""Rules that a learner may hand in and that are wrong, of each of the six kinds; and what is no rule at all."""

from __future__ import annotations

from typing import NamedTuple

from workbench.challenges.own_rule.kinds import KINDS

COMMANDS_MAX = 12
"""The longest script that may be needed to refute one of them."""


class WrongRule(NamedTuple):
    """One of them."""

    kind: str
    """Name of the rule."""
    what: str
    """Its mistake."""
    body: str
    """What stands below its def."""

    @property
    def source(self) -> str:
        """The file that a learner hands in."""
        return f"def {self.kind}({', '.join(KINDS[self.kind].parameters)}):\n    {self.body}\n"


WRONG = (
    WrongRule(
        "grant_vote", "forgets whom it voted for", "return not knows_leader and candidate_log_end >= own_log_end"
    ),
    WrongRule("grant_vote", "compares no logs", "return not knows_leader and voted_for in (None, candidate)"),
    WrongRule("leave_isr", "puts out who is behind at all", "return log_end != leader_end"),
    WrongRule(
        "elect", "asks nobody what it holds", "return next((one for one in replicas if one in in_service), None)"
    ),
    WrongRule("cut", "cuts one record too many", "return max(0, min(log_end, leader_epoch_end) - 1)"),
    WrongRule("move_high_watermark", "takes the furthest", "return max(log_ends)"),
    WrongRule(
        "move_high_watermark", "takes a majority", "return max(high_watermark, sorted(log_ends)[len(log_ends) // 2])"
    ),
    WrongRule("acknowledge", "waits for the leader alone", "return records_end <= leader_end"),
)
NO_RULES = (
    WrongRule("acknowledge", "raises", "raise ValueError('so')"),
    WrongRule("acknowledge", "calls itself", "return acknowledge(**locals())"),
    WrongRule("acknowledge", "takes all memory", "return [0] * 10**10"),
    WrongRule("acknowledge", "returns a wrong type", "return 1"),
    WrongRule("acknowledge", "opens a file", "open('/etc/passwd')"),
    WrongRule("acknowledge", "forks", "return __import__('os').fork() > 0"),
    WrongRule("acknowledge", "loops", "while True: pass"),
    WrongRule("acknowledge", "loops in C", "return sum(range(10**12)) > 0"),
)
