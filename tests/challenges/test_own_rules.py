"""A wrong rule of each of the six kinds is refuted by a script of at most twelve commands, and the right ones hold."""

from __future__ import annotations

import pytest

from cluster.scenario.parse import parse_script
from workbench.challenges.own_rule.kinds import KINDS, Kind, example
from workbench.challenges.own_rule.refute import refute
from workbench.challenges.solution import count_commands

COMMANDS_MAX = 12
WRONG = (
    ("grant_vote", "forgets whom it voted for", "return not knows_leader and candidate_log_end >= own_log_end"),
    ("grant_vote", "compares no logs", "return not knows_leader and voted_for in (None, candidate)"),
    ("leave_isr", "puts out who is behind at all", "return log_end != leader_end"),
    ("elect", "asks nobody what it holds", "return next((one for one in replicas if one in in_service), None)"),
    ("cut", "cuts one record too many", "return max(0, min(log_end, leader_epoch_end) - 1)"),
    ("move_high_watermark", "takes the furthest", "return max(log_ends)"),
    ("move_high_watermark", "takes a majority", "return max(high_watermark, sorted(log_ends)[len(log_ends) // 2])"),
    ("acknowledge", "waits for the leader alone", "return records_end <= leader_end"),
)


def source_of(kind: str, body: str) -> str:
    return f"def {kind}({', '.join(KINDS[kind].parameters)}):\n    {body}\n"


@pytest.mark.parametrize(("kind", "what", "body"), WRONG, ids=lambda item: item.replace(" ", "-")[:40])
def test_a_wrong_rule_is_refuted_by_a_short_script(kind: str, what: str, body: str) -> None:
    verdict = refute(KINDS[kind], source_of(kind, body), range(1, 201), 1)
    assert verdict.word == "broken", f"{what}: {verdict}"
    assert count_commands(parse_script(verdict.script)) <= COMMANDS_MAX


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_the_right_rule_holds_for_200_seeds(kind: Kind) -> None:
    verdict = refute(kind, example(kind), range(1, 201), 2)
    assert (verdict.word, verdict.seeds) == ("held", 200), verdict
