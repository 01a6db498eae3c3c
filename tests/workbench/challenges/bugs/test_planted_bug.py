from __future__ import annotations

import pytest

from cluster.model.ruling import Ruling, rule, yes_or_no
from workbench.challenges.bugs.planted_bug import PlantedBug, answering, planted


class Place:
    word = "sound"


BUG = PlantedBug("so", "quorum", "it is wrong", frozenset({"R1"}), ((Place, "word", lambda word: f"not {word}"),))


def test_a_bug_is_in_force_within_its_block_only_also_when_that_fails() -> None:
    with pytest.raises(ValueError, match="so"), planted(BUG):
        assert Place.word == "not sound"
        raise ValueError("so")
    assert Place.word == "sound" and BUG.id == "quorum/so"


@rule(source="a source")
def may_do(count: int) -> Ruling[bool]:
    """More than one may."""
    return yes_or_no(count > 1, "it is counted", {"count": count})


def test_a_false_answer_has_the_evidence_of_the_right_one() -> None:
    ruling = answering(may_do, value=True, granted=True)(1)
    assert (ruling.value, ruling.granted) == (True, True)
    assert (ruling.decision.rule, ruling.decision.reason) == ("may_do", "it is counted")
