from __future__ import annotations

from typing import Any

import pytest

from workbench.challenges.bugs.planted_bug import planted
from workbench.challenges.own_rule.kinds import KINDS, Kind, example, wrong_answer
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

    with planted(kind.bug(ask)):
        assert [finding for seed in range(1, 7) if (finding := broken(draw(seed, kind.name)))] == []
    assert asked and set(asked[0]) == set(kind.parameters)


def test_an_answer_of_another_kind_is_told() -> None:
    assert wrong_answer(KINDS["elect"], None) == wrong_answer(KINDS["elect"], 3) == ""
    assert wrong_answer(KINDS["cut"], None) == "it returned None; needed: an offset, 0 or more"
    assert wrong_answer(KINDS["cut"], -1) and wrong_answer(KINDS["cut"], 1.5) and wrong_answer(KINDS["cut"], True)
    assert wrong_answer(KINDS["acknowledge"], 1) == "it returned 1; needed: True or False"
    assert wrong_answer(KINDS["acknowledge"], False) == ""


def test_an_example_says_what_each_parameter_is() -> None:
    for kind in KINDS.values():
        assert all(f"        {name}: {what}." in example(kind) for name, what in kind.parameters.items())
