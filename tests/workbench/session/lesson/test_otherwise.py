from __future__ import annotations

from pathlib import Path

from cluster.runtime.run.folder import read_facts
from tests.support.worlds.paper_lab import Labs
from tests.support.worlds.steps_lesson import steps_lesson
from workbench.session.lesson.otherwise import play_world, world_of
from workbench.session.lesson.player import LessonPlayer
from workbench.session.lesson.step_progress import DONE
from workbench.session.lesson.telling import Told


def test_the_world_of_a_wrong_answer_is_played_from_the_cluster_of_its_step(tmp_path: Path) -> None:
    lesson = steps_lesson(tmp_path / "lessons")
    player = LessonPlayer(lesson, Labs(tmp_path), lambda _lab: None, progress_folder=tmp_path)
    player.at = 1
    assert world_of(player) is None, "it has not run"
    player.own.state, player.own.told, player.own.answer = DONE, Told(right=1), 0
    world = world_of(player)
    assert world is not None and world.text == "without kill 1"
    played = play_world(player, player.step, world, tmp_path / "home", 3)
    assert [option.misconception for option in played.held] == ["dead-leads"]
    assert played.run_folder.parent.parent == tmp_path / "home"
    player.at = 3
    player.own.state, player.own.told, player.own.answer = DONE, Told(right=1), 2
    world = world_of(player)
    assert world is not None
    second = play_world(player, player.step, world, tmp_path / "home", 4)
    assert read_facts(second.run_folder).seed == 4, "that of its cluster, the second of the lesson"
