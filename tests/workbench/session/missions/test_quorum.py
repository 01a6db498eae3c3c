"""Missions about the quorum: done, and almost done."""

from __future__ import annotations

from pathlib import Path

from tests.support.traces import story
from tests.support.worlds.mission_world import after, played, steps, ticks
from workbench.session.missions.mission import Attempt
from workbench.session.missions.quorum import CutLeaderOff, KillLeader, SplitVote
from workbench.session.recording import Recording


def test_the_leader_of_the_quorum_is_killed_and_another_is_elected(tmp_path: Path) -> None:
    board = after(tmp_path, "kill {led}", 3.0)
    assert board.results["kill-leader"].endswith(" s")
    told = [step.text for step in steps(board, "kill-leader")]
    assert "is dead" in told[0] and "notice, after" in told[1] and "wins, 2 of 3 votes" in told[2]


def test_a_dead_follower_is_no_dead_leader(tmp_path: Path) -> None:
    board = after(tmp_path, "kill {a}", 3.0)
    assert "kill-leader" not in board.results
    assert ticks(board, "kill-leader") == [False, False, False]


def test_a_leader_without_a_successor_is_not_enough(tmp_path: Path) -> None:
    board = after(tmp_path, "kill {a}", "kill {led}", 3.0)
    assert "kill-leader" not in board.results
    assert ticks(board, "kill-leader")[0]


def test_a_slow_link_between_two_followers_splits_the_vote(tmp_path: Path) -> None:
    board = after(tmp_path, "delay {a}-{b} 50ms", 1.0, "kill {led}", 6.0)
    assert board.results["split-vote"].startswith("e")


def test_an_election_that_one_asks_for_splits_no_vote(tmp_path: Path) -> None:
    board = after(tmp_path, "kill {a}", "kill {led}", "start {a}", 5.0)
    assert "split-vote" not in board.results


def test_a_leader_that_nobody_hears_is_followed_by_another(tmp_path: Path) -> None:
    board = after(tmp_path, "isolate {led}", 4.0)
    assert board.results["cut-leader"] == "1 fault"


def test_a_leader_that_one_follower_does_not_hear_leads_on(tmp_path: Path) -> None:
    board = after(tmp_path, "cut {led}-{a}", 4.0)
    assert "cut-leader" not in board.results
    assert ticks(board, "cut-leader") == [False, False], "two of three hear it"


def test_a_broker_that_is_cut_off_is_no_leader_that_is(tmp_path: Path) -> None:
    board = after(tmp_path, "isolate 3", 1.0)
    assert ticks(board, "cut-leader") == [False, False]


def test_who_has_killed_a_voter_is_told_to_start_it_before_the_next_one_goes(tmp_path: Path) -> None:
    recording = Recording()
    recording.extend(story.full_story())
    picture = recording.live
    assert len(picture.voters) == 5
    hints = [kind(Attempt()).hint for kind in (KillLeader, SplitVote, CutLeaderOff)]
    for node in picture.voters:
        picture.nodes[node].stage = "up"
    assert picture.quorum_leader == 3
    assert not any("First start" in hint(picture) for hint in hints)
    picture.nodes[4].stage = "down"
    assert not any("First start" in hint(picture) for hint in hints), "three of five elect a leader"
    picture.nodes[5].stage = "down"
    assert all(hint(picture).startswith("First start n4 and n5: select each") for hint in hints)


def test_whoever_has_just_killed_the_leader_is_told_to_watch_and_not_to_start_it(tmp_path: Path) -> None:
    board, recording = played(tmp_path, "kill {led}", 0.15)
    mission = board.current
    assert mission is not None and mission.name == "kill-leader"
    assert mission.hint(recording.live).startswith("Watch the others: they miss its answers")
    board, recording = played(tmp_path / "two", "kill {a}", "kill {led}", 3.0)
    mission = next(mission for mission in board.missions if mission.name == "kill-leader")
    assert mission.hint(recording.live).startswith("First start "), "one of three elects nobody"


def test_a_slow_link_is_asked_for_between_two_that_are_up(tmp_path: Path) -> None:
    _, recording = played(tmp_path, "kill {led}", 0.15)
    up = [node for node in recording.live.voters if recording.live.nodes[node].process != "down"]
    hint = SplitVote(Attempt()).hint(recording.live)
    assert f"select n{up[0]}, {{net.mark}}, select n{up[1]}, {{net.delay}}" in hint
