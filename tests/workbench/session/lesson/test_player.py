from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.events import PredictionAnswered
from cluster.trace.reader import read_all
from tests.support.traces import story
from tests.support.worlds.lesson_world import player_of, write_lesson
from workbench.course.progress import answers_of, finished_lessons
from workbench.session.lesson.player import LessonPlayer


async def to_the_kill(player: LessonPlayer) -> None:
    assert await player.run_step()
    assert player.turn(1) == ""


@pytest.mark.parametrize(("answer", "verdict"), (("b", "b is right."), ("a", "You said a. In this run b is right.")))
async def test_the_right_answer_is_computed_from_the_trace(tmp_path: Path, answer: str, verdict: str) -> None:
    player, labs = player_of(tmp_path, write_lesson(tmp_path))

    await to_the_kill(player)
    assert player.predict(answer) and player.page().verdict == "", "nothing is told before the step has run"
    assert await player.run_step()
    page = player.page()
    assert (page.right, page.verdict, page.reveal) == ("b", verdict, "A dead node hears no vote request.")
    await player.close()
    assert labs.made[0].commands == ["kill 101"] and labs.made[0].closed
    entries = read_all(labs.made[0].run_folder / "trace")
    told = [entry.event for entry in entries if isinstance(entry.event, PredictionAnswered)]
    assert told == [PredictionAnswered(question="who", answer=answer, right_answer="b")]
    assert answers_of(labs.made[0].run_folder)["who"]["right_answer"] == "b"
    assert finished_lessons(tmp_path / "state") == ("01_small",)


async def test_a_step_runs_only_after_its_prediction_and_the_steps_before(tmp_path: Path) -> None:
    player, _ = player_of(tmp_path, write_lesson(tmp_path))
    assert player.turn(1) == "do this step first: enter"
    assert player.turn(-1) == "this is the first step"

    await to_the_kill(player)
    assert player.why_not() == "predict first: a, b"
    assert not player.predict("c")
    assert player.page().script == (("open", ": kill $first"),), "an expectation would give the answer away"
    await player.close()


async def test_a_step_that_is_not_reached_says_what_was_seen_and_can_be_tried_again_or_skipped(tmp_path: Path) -> None:
    lesson = write_lesson(tmp_path, expectation="expect quorum epoch >= 3 within 30ms")
    player, labs = player_of(tmp_path, lesson)

    await to_the_kill(player)
    player.predict("b")
    assert not await player.run_step()
    page = player.page()
    assert page.has_failed and page.button == "R again, n skips, q quits"
    assert "step 2: expect quorum epoch >= 3" in page.status and "not reached within 0.03 s" in page.status
    assert not labs.made[0].closed, "the cluster runs on"
    labs.made[0].elect()
    assert await player.run_step()
    assert labs.made[0].commands == ["kill 101"], "only the part that failed is tried again"
    await player.close()


async def test_a_skipped_step_leaves_the_lesson_unfinished(tmp_path: Path) -> None:
    player, _ = player_of(tmp_path, write_lesson(tmp_path, expectation="expect quorum epoch >= 9 within 10ms"))

    await to_the_kill(player)
    player.predict("a")
    assert not await player.run_step()
    assert player.turn(1) == "" and player.page().heading == "What now?"
    assert player.page().button == "last step, q leaves" and not player.is_finished
    await player.close()
    assert finished_lessons(tmp_path / "state") == ()


async def test_a_lab_that_cannot_start_is_told_and_may_be_tried_again(tmp_path: Path) -> None:
    async def refuse(_plan: object, _title: str) -> object:
        raise OSError(28, "No space left")

    player = LessonPlayer(write_lesson(tmp_path), refuse, lambda _lab: None)  # type: ignore[arg-type]  # never returns

    assert not await player.run_step()
    assert "No space left" in player.page().status and player.has_failed
    await player.close()


async def test_a_step_without_a_cluster_says_how_to_get_one(tmp_path: Path) -> None:
    player, labs = player_of(tmp_path, write_lesson(tmp_path))

    async def refuse(_plan: object, _title: str) -> None:
        raise OSError("no room.")

    start, player._runner._launch = player._runner._launch, refuse  # type: ignore[assignment]
    assert not await player.run_step()
    assert player.page().status.endswith("no room. No cluster runs.")
    assert player.turn(1) == "" and player.predict("a")
    assert "b goes back to the step that starts one, R tries it again" in player.why_not()
    assert player.turn(-1) == "" and player.page().button == "enter: next, R tries again"
    player._runner._launch = start
    assert await player.run_step() and player.turn(1) == "" and player.why_not() == ""
    await player.close()
    assert len(labs.made) == 1


async def test_a_lab_that_is_gone_by_itself_can_be_started_again_by_its_step(tmp_path: Path) -> None:
    player, labs = player_of(tmp_path, write_lesson(tmp_path))

    await to_the_kill(player)
    player.predict("b")
    player.lab_has_ended()
    assert player.predict("b") and "no cluster runs: b goes back" in player.why_not()
    assert player.turn(-1) == "" and player.page().status == "step 1: the lab has ended. No cluster runs."
    assert await player.run_step() and player.turn(1) == "" and player.predict("b")
    assert player.why_not() == "" and await player.run_step()
    await player.close()
    assert len(labs.made) == 2


def test_paragraphs_flow_and_marks_of_emphasis_are_gone(tmp_path: Path) -> None:
    prose = "One\nline *only* `here`.\n\n- first\n- second"
    player, _ = player_of(tmp_path, write_lesson(tmp_path, prose=prose))
    assert player.page().prose.partition("\n\nReal here")[0] == "One line only here.\n\n- first\n- second"


@pytest.mark.parametrize("payload", [item for item in story.HOSTILE if "\n" not in item and "\x1b" not in item])
def test_a_hostile_lesson_is_only_text(tmp_path: Path, payload: str) -> None:
    player, _ = player_of(tmp_path, write_lesson(tmp_path, title="x", prose=payload))
    page = player.page()
    assert all(part.isprintable() for part in (page.title, page.heading, *page.prose.split("\n")))


@pytest.mark.parametrize(("is_simulated", "told"), [(False, "Real here: a process"), (True, "Simulated here:")])
def test_the_first_text_says_what_is_real_in_this_world_and_no_other_does(
    tmp_path: Path, is_simulated: bool, told: str
) -> None:
    player, _ = player_of(tmp_path, write_lesson(tmp_path))
    player.is_simulated = is_simulated
    assert told in player.page().prose and player.page().prose.startswith("They vote.")
    player.at = 1
    assert "here:" not in player.page().prose


def test_the_first_text_names_the_documents_that_the_lesson_draws_on(tmp_path: Path) -> None:
    player, _ = player_of(tmp_path, write_lesson(tmp_path))
    assert player.page().prose.endswith("\n\nDrawn from: KIP-595; An article.")
    player.at = 1
    assert "Drawn from" not in player.page().prose
