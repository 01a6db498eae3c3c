"""What the story says of the quorum."""

from __future__ import annotations

from pathlib import Path

from tests.support.traces.played import PLAYS, told
from tests.support.worlds.mission_world import played


def steps(name: str) -> list[str]:
    story, _ = told(PLAYS[name]().entries)
    return [line.said[-1].text for item in story.teller.incidents for line in item.steps if line.level == "story"]


def test_a_split_vote_is_called_one_once_nobody_can_win() -> None:
    world = PLAYS["split_vote"]()
    story, view = told(world.entries)
    splits = [moment for moment in story.teller.moments if moment.text.startswith("SPLIT VOTE")]
    assert [moment.text for moment in splits] == [
        "SPLIT VOTE in e2: n101 and n102 each voted for itself, 1 of 3, needs 2."
    ]
    rounds = [item for item in view.rounds if item.epoch == 2 and not item.pre_vote]
    assert len(rounds) == 2 and not any(item.won for item in rounds)


def test_two_candidates_are_no_split_vote_while_one_wins() -> None:
    story, view = told(PLAYS["no_majority"]().entries)
    rounds = [item for item in view.rounds if item.epoch == 2 and not item.pre_vote]
    assert len(rounds) == 2 and any(item.won for item in rounds)
    assert not any("SPLIT" in moment.text for moment in story.teller.moments)


def test_a_voter_that_asks_again_and_again_is_one_line() -> None:
    assert [text for text in steps("cut") if text.startswith("n102 asks around")] == ["n102 asks around"]


def test_without_a_majority_the_headline_says_how_many_are_needed() -> None:
    story, _ = told(PLAYS["no_majority"]().entries)
    assert story.teller.moments[-1].text.endswith("2 of 5 voters are there, 3 are needed.")


def test_who_is_cut_off_goes_on_asking_and_the_headline_says_how_many_it_reaches(tmp_path: Path) -> None:
    """`would you vote for me?` stood there for as long as the cut, though nobody could hear it."""
    _, recording = played(tmp_path, "isolate {a}", 4.0)
    assert recording.story.moments[-1].text.endswith(" goes on asking: it reaches 1 of 3 voters, 2 are needed.")
