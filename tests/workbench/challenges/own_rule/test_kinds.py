from __future__ import annotations

from workbench.challenges.own_rule.kinds import KINDS, example, wrong_answer


def test_an_answer_of_another_kind_is_told() -> None:
    assert wrong_answer(KINDS["elect"], None) == wrong_answer(KINDS["elect"], 3) == ""
    assert wrong_answer(KINDS["cut"], None) == "it returned None; needed: an offset, 0 or more"
    assert wrong_answer(KINDS["cut"], -1) and wrong_answer(KINDS["cut"], 1.5) and wrong_answer(KINDS["cut"], True)
    assert wrong_answer(KINDS["acknowledge"], 1) == "it returned 1; needed: True or False"
    assert wrong_answer(KINDS["acknowledge"], False) == ""


def test_an_example_says_what_each_parameter_is() -> None:
    for kind in KINDS.values():
        assert all(f"        {name}: {what}." in example(kind) for name, what in kind.parameters.items())
