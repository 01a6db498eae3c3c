from __future__ import annotations

from pathlib import Path

from tests.support.screens.bare_host import Bench
from tests.support.worlds.paper_lab import Labs
from tests.support.worlds.steps_lesson import steps_lesson
from workbench.session.lesson.otherwise import IN_NO_RUN, NO_OTHER_WORLD
from workbench.session.lesson.player import LessonPlayer
from workbench.session.lesson.step_progress import DONE
from workbench.session.lesson.telling import Told
from workbench.tui.modes import Comparison, Watching


def test_only_a_wrong_answer_has_another_world_and_before_a_class_it_tells_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.commands.run("would")
    assert bench.said == NO_OTHER_WORLD, "no lesson is open"
    player = LessonPlayer(steps_lesson(tmp_path), Labs(tmp_path), lambda _lab: None, progress_folder=tmp_path)
    bench.host.player, player.at = player, 1
    own = player.own
    own.state, own.told, own.answer = DONE, Told(right=1), 1
    bench.commands.run("would")
    assert bench.said == NO_OTHER_WORLD, "the answer was right"
    own.answer, bench.ui.presenting = 0, True
    bench.commands.run("would")
    assert bench.said == NO_OTHER_WORLD and not bench.host.begun, "the class has not seen the answer"
    bench.ui.presenting = False
    bench.commands.run("would")
    assert bench.said == "playing this once more in a simulation, with: without kill 1 ..."
    bench.commands.run("would")
    assert "one at a time" in bench.said and len(bench.host.begun) == 1
    bench.host.begun.pop().close()


def test_a_wrong_answer_that_no_run_makes_right_is_told_so(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    lesson = steps_lesson(tmp_path, ("  would: without kill 1\n", ""), ("It did,", "In no run:"))
    player = LessonPlayer(lesson, Labs(tmp_path), lambda _lab: None, progress_folder=tmp_path)
    bench.host.player, player.at = player, 1
    player.own.state, player.own.told, player.own.answer = DONE, Told(right=1), 0
    bench.commands.run("would")
    assert bench.said == IN_NO_RUN and not bench.host.begun


def wrong_at_step_two(bench: Bench, folder: Path) -> LessonPlayer:
    """A learner whose answer to the second step was not right, and whose other world has begun to be played."""
    player = LessonPlayer(steps_lesson(folder), Labs(folder), lambda _lab: None, progress_folder=folder)
    bench.host.player, player.at = player, 1
    player.own.state, player.own.told, player.own.answer = DONE, Told(right=1), 0
    bench.commands.run("would")
    return player


def test_another_world_opens_where_it_was_asked_for_and_not_over_the_next_step(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "runs" / "a-run")
    player = wrong_at_step_two(bench, tmp_path)
    player.at = 2
    bench.host.finish()
    assert bench.said == "the world of step 2 is played: o there shows it"
    assert bench.ui.mode == Watching() and not bench.host.begun
    player.at = 1
    bench.commands.run("would")
    assert len(bench.host.begun) == 1, "it is read, and not played again"
    bench.host.finish()
    assert isinstance(bench.ui.mode, Comparison)


def test_another_world_that_was_waited_for_is_shown_and_is_no_longer_than_it_needs_to_be(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "runs" / "a-run")
    wrong_at_step_two(bench, tmp_path)
    bench.host.finish()
    assert isinstance(bench.ui.mode, Comparison) and bench.ui.worlds is not None
    learner, other = bench.ui.worlds.both
    assert other.length_ns <= max(learner.length_ns, 5_000_000_000), "no deadline of an expectation is waited for"


def test_the_other_world_of_an_earlier_step_is_beside_the_run_of_that_step(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "runs" / "second")
    player = LessonPlayer(steps_lesson(tmp_path), Labs(tmp_path), lambda _lab: None, progress_folder=tmp_path)
    bench.host.player, player.at = player, 1
    player.own.state, player.own.told, player.own.answer, player.own.run = DONE, Told(right=1), 0, "first"
    asked: list[Path] = []
    bench.commands.worlds.show_runs = lambda left, *_, **__: asked.append(left)  # type: ignore[method-assign]
    bench.commands.run("would")
    bench.host.finish()
    assert asked == [tmp_path / "runs" / "first"]
