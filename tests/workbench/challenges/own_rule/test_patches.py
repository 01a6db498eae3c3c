from __future__ import annotations

from typing import Any

import pytest

from workbench.challenges.bugs.planted_bug import planted
from workbench.challenges.own_rule.kinds import KINDS, Kind, example, wrong_answer
from workbench.challenges.own_rule.patches import PATCHES, bug_of
from workbench.challenges.own_rule.small_world import broken, draw


def right(kind: Kind) -> Any:
    scope: dict[str, Any] = {}
    exec(example(kind), scope)
    return scope[kind.name]


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_the_example_of_a_rule_breaks_nothing_and_is_asked(kind: Kind) -> None:
    rule, asked = right(kind), []

    def ask(**facts: Any) -> Any:
        asked.append(facts)
        answer = rule(**facts)
        assert not wrong_answer(kind, answer)
        return answer

    with planted(bug_of(kind, ask)):
        assert [finding for seed in range(1, 7) if (finding := broken(draw(seed, kind.name)))] == []
    assert asked and set(asked[0]) == set(kind.parameters)


def test_each_rule_has_its_place() -> None:
    assert set(PATCHES) == set(KINDS)
