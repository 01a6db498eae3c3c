"""A direction is begun, played, stopped, walked and left by keys; the cluster gets its commands at once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry
from tests.support.screens.bare_host import Bench
from tests.support.traces.watched import Watched
from workbench.session.director import STEP_MS
from workbench.session.score import parts_of

FRAME_MS = 1000 / 30


@cache
def killed() -> tuple[list[Entry], int]:
    """A run, and when the leader of its quorum was killed."""
    world = Watched(seed=3, controllers=3, brokers=3)
    world.until(lambda: world.cluster().quorum_leader > 0)
    world.run_until(lambda: False, 2.0)
    killed_ns = world.entries[-1].t_ns
    world.do("kill controller")
    world.run_until(lambda: False, 20.0)
    return world.entries, killed_ns


class Stage:
    """A bench over a simulated cluster whose quorum leader is killed; time of screen and cluster go together."""

    def __init__(self, folder: Path, *, live: bool = True) -> None:
        self.entries, self.killed_ns = killed()
        self.bench = Bench(folder, live=live)
        self.recording, self.ui = self.bench.ui.recording, self.bench.ui
        self.director = self.ui.director
        self.recording.reset()
        self.wall_ms, self._place = 0.0, 0
        if not live:
            self.recording.extend(self.entries)

    def go_on(self, seconds: float) -> None:
        """So much time of the wall clock, frame by frame."""
        end_ms = self.wall_ms + seconds * 1000
        while self.wall_ms < end_ms:
            if not self.ui.replay:
                self.ui.now_ns = self.killed_ns + int(self.wall_ms * 1e6)
                end = self._place
                while end < len(self.entries) and self.entries[end].t_ns <= self.ui.now_ns:
                    end += 1
                self.recording.extend(self.entries[self._place : end])
                self._place = end
            self.bench.commands.direction.direct(self.wall_ms)
            self.wall_ms += FRAME_MS


def test_a_lesson_is_not_directed_by_itself(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.ui.lesson = True
    stage.go_on(3)
    assert not stage.director.is_on and stage.recording.follows


def test_a_lost_leader_is_directed_by_itself_and_the_view_comes_back_to_the_present(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.go_on(3)
    assert stage.director.is_playing and not stage.recording.follows
    assert "moment 3 of" in stage.bench.said and "would vote for" in stage.bench.said
    assert stage.ui.shown_ns == stage.director.t_ns < stage.ui.present_ns
    stage.go_on(20)
    assert not stage.director.is_on and stage.recording.follows and not stage.bench.said


def test_the_setting_turns_it_off_and_the_key_still_shows_it(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.ui.directs = False
    stage.go_on(3)
    assert not stage.director.is_on and stage.recording.follows
    stage.bench.press("O")
    stage.go_on(0.2)
    assert stage.director.is_playing and "moment 1 of" in stage.bench.said


def test_a_command_reaches_the_cluster_at_once_and_ends_the_direction(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.go_on(2)
    stage.ui.node = 2
    stage.bench.press("k")
    stage.bench.host.finish()
    assert stage.bench.lab.commands == ["kill 2"]
    assert not stage.director.is_on and stage.recording.follows


def test_space_stops_and_plays_and_the_step_keys_go_by_moments(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.go_on(2.5)
    stage.bench.press("space")
    here = stage.director.step
    stage.go_on(3)
    assert stage.director.step == here and not stage.recording.follows and "space play" in stage.bench.said
    stage.bench.press("full_stop", "full_stop", "comma")
    stage.go_on(0.1)
    assert stage.director.step == here + 1 and stage.recording.cursor == stage.director.cursor
    stage.bench.press("space")
    stage.go_on(3 * STEP_MS / 1000)
    assert stage.director.step > here + 1


def test_whoever_moves_the_view_ends_the_direction_where_he_goes(tmp_path: Path) -> None:
    for key, follows in (("left_square_bracket", False), ("home", False), ("end", True)):
        stage = Stage(tmp_path)
        stage.go_on(2)
        stage.bench.press(key)
        stage.go_on(0.1)
        assert not stage.director.is_on and stage.recording.follows is follows, key


def test_arrows_select_nodes_while_directed(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.go_on(2)
    stage.bench.press("right")
    stage.go_on(0.1)
    assert stage.ui.node and stage.director.is_on


def test_a_held_view_a_break_and_old_news_are_left_alone(tmp_path: Path) -> None:
    held = Stage(tmp_path)
    held.recording.pause()
    held.go_on(2)
    waits = Stage(tmp_path)
    waits.bench.commands.submit("break on epoch")
    waits.go_on(0.2)
    late = Stage(tmp_path)
    late.wall_ms = 10_000
    late.go_on(1)
    assert not held.director.is_on and not waits.director.is_on and not late.director.is_on


def test_a_replay_plays_from_the_event_in_view_stops_at_the_end_and_begins_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path, live=False)
    elected = next(i for i, entry in enumerate(stage.entries) if isinstance(entry.event, ev.LeaderElected))
    stage.recording.seek(elected)
    stage.go_on(1)
    assert stage.recording.cursor == elected, "it waits"
    stage.bench.press("space")
    stage.go_on(1)
    assert stage.director.is_playing and stage.recording.cursor > elected
    stage.bench.press("space")
    stage.go_on(2)
    assert not stage.director.is_playing
    stage.bench.press("space")
    stage.go_on(60)
    assert not stage.director.is_playing and stage.recording.cursor == len(stage.entries)
    stage.bench.press("space")
    stage.go_on(0.1)
    assert stage.director.is_playing and stage.recording.cursor < elected


def test_once_more_in_a_replay_shows_the_story_before_the_view(tmp_path: Path) -> None:
    stage = Stage(tmp_path, live=False)
    stage.go_on(0.1)
    stage.recording.seek(len(stage.entries))
    stage.bench.press("O")
    stage.go_on(0.5)
    (word,) = stage.recording.steps.all[stage.director.step].words
    assert stage.director.is_playing and word.text.startswith("\u2717 n10")


def test_nothing_to_show_again_is_said(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.ui.recording.reset()
    bench.press("O")
    assert bench.said.startswith("nothing has happened yet") and not bench.ui.director.is_on


def test_a_quiet_lab_has_nothing_to_show_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    quiet = [entry for entry in stage.entries if entry.t_ns < stage.killed_ns]
    stage.recording.extend(quiet)
    assert stage.recording.steps.all, "it has decided who leads"
    stage.bench.press("O")
    assert "no leader was lost" in stage.bench.said and not stage.director.is_on


def test_a_moment_is_told_in_the_words_of_the_story(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    said = set()
    for _ in range(100):
        stage.go_on(0.1)
        said.add(stage.bench.said.partition(": ")[2].partition("  \u2502")[0])
    headlines = {moment.text for moment in stage.recording.story.moments}
    assert len(said & headlines) >= 3, "among them who was killed, who asks, who leads"
    assert not any("pre-vote REFUSED" in text or "FAULT kill" in text for text in said)


def test_another_run_in_the_middle_of_a_direction_ends_it(tmp_path: Path) -> None:
    for seconds in (0.3, 1.5, 3.0, 5.0, 7.0):
        stage = Stage(tmp_path)
        stage.go_on(seconds)
        director = stage.director
        assert director.is_on
        stage.recording.reset()
        assert not director.is_on and parts_of(director) == [] and director.silence_before(director.step) == 0
        stage.recording.extend(stage.entries[:100])
        stage.go_on(0.2)
        assert not director.is_on


def test_the_pace_is_said(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("greater_than_sign")
    assert bench.said == "a step is shown for 0.5 s"
    bench.press("less_than_sign", "less_than_sign")
    assert bench.said == "a step is shown for 0.8 s"


# Bets.


def asked(folder: Path, *, live: bool) -> Stage:
    """A story that has stopped for a bet."""
    stage = Stage(folder, live=live)
    stage.bench.commands.submit("bets on")
    if not live:
        stage.bench.commands.run("again")
    stage.go_on(4)
    assert stage.ui.bets.open is not None and not stage.director.is_playing
    return stage


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("bets_on_winner", [True, False])
def test_one_key_bets_on_who_wins_and_the_trace_answers(tmp_path: Path, *, live: bool, bets_on_winner: bool) -> None:
    stage = asked(tmp_path, live=live)
    bet, elected = stage.ui.bets.open, [e for e in stage.entries if isinstance(e.event, ev.LeaderElected)][-1]
    assert bet is not None and len(bet.nodes) == 2 and elected.node in bet.nodes
    assert stage.bench.said == f"Bet: who will lead the quorum?  1 n{bet.nodes[0]}, 2 n{bet.nodes[1]}   space skips"
    assert not any(
        isinstance(e.event, ev.LeaderElected) for e in stage.recording.entries[bet.place : stage.recording.cursor]
    )
    number = 1 + bet.nodes.index(elected.node) if bets_on_winner else 2 - bet.nodes.index(elected.node)
    stage.bench.press(str(number))
    assert stage.bench.said == f"you bet on n{bet.nodes[number - 1]}" and stage.director.is_playing
    stage.go_on(9)
    bets = stage.ui.bets
    assert (bets.count, bets.right, bets.streak) == (1, int(bets_on_winner), int(bets_on_winner)), stage.bench.said
    stage.go_on(20)
    assert bets.open is None and bets.count == 1, "it never stops twice for one incident"


def test_space_skips_a_bet_and_off_ends_them(tmp_path: Path) -> None:
    stage = asked(tmp_path / "skips", live=True)
    stage.bench.press("7")
    assert stage.ui.bets.open is not None, "no option, and no number of a pane"
    stage.bench.press("3")
    assert stage.bench.said.startswith("there is no such option")
    stage.bench.press("space")
    assert stage.ui.bets.open is None and stage.director.is_playing
    stage.go_on(3)
    assert stage.director.is_playing and stage.ui.bets.count == 0
    other = Stage(tmp_path / "off")
    other.bench.commands.submit("bets on")
    other.bench.commands.submit("bets off")
    assert other.bench.said == "no more bets"
    other.go_on(4)
    assert other.director.is_playing and other.ui.bets.open is None
    other.bench.commands.submit("bets five")
    assert other.bench.said == "bets on | off"
