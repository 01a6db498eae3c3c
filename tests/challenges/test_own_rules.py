"""A wrong rule of each of the six kinds is refuted by a script of at most twelve commands, and the right ones hold.

How long that takes is measured by `python -m benchmarks own-rule`.
"""

from __future__ import annotations

import pytest

from cluster.scenario.parse import parse_script
from tests.support.challenges.wrong_rules import COMMANDS_MAX, WRONG, WrongRule
from workbench.challenges.own_rule.kinds import KINDS, Kind, example
from workbench.challenges.own_rule.refute import refute
from workbench.challenges.solution import count_commands


def test_a_wrong_rule_of_each_kind_is_tried() -> None:
    assert {rule.kind for rule in WRONG} == set(KINDS)


@pytest.mark.parametrize("rule", WRONG, ids=lambda rule: f"{rule.kind}-{rule.what.replace(' ', '-')}")
def test_a_wrong_rule_is_refuted_by_a_short_script(rule: WrongRule) -> None:
    verdict = refute(KINDS[rule.kind], rule.source, range(1, 201), 1)
    assert verdict.word == "broken", f"{rule.what}: {verdict}"
    assert count_commands(parse_script(verdict.script)) <= COMMANDS_MAX


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_the_right_rule_holds_for_200_seeds(kind: Kind) -> None:
    verdict = refute(kind, example(kind), range(1, 201), 2)
    assert (verdict.word, verdict.seeds) == ("held", 200), verdict
