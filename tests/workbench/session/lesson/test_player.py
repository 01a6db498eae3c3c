from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.events import PredictionAnswered
from tests.support.traces import story
from tests.support.worlds.lesson_world import Learner, learner
from tests.support.worlds.paper_lab import Labs
from tests.support.worlds.steps_lesson import SCRIPT, steps_lesson
from workbench.course.content import Lesson
from workbench.course.progress import answers_of, finished_lessons
from workbench.session.lesson.page import LessonPage
from workbench.session.lesson.pages import page_of
from workbench.session.lesson.player import LessonPlayer


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    return steps_lesson(tmp_path / "lessons")


def texts(page: LessonPage) -> str:
    return "\n".join(piece.text for piece in (*page.before, *page.task, *page.whys, *page.after))


async def to_the_question(at: Learner) -> None:
    while at.page.look_at:
        await at.enter()
    await at.until(lambda: not at.player.is_running)
    await at.enter()


async def test_a_first_step_begins_by_itself_and_halts_time_at_each_hold_point(tmp_path: Path, lesson: Lesson) -> None:
    async with learner(tmp_path, lesson) as at:
        first = at.player.held
        assert first is not None and (first.pane, first.nodes, at.pace.is_halted) == ("logs", (1,), True)
        assert (at.page.look, at.page.held) == ("Broker 1 leads with 0 records.", "1 of 2")
        assert not at.page.after and at.page.button == "enter: go on", "nothing is revealed yet"
        place = at.session.recording.index_of(first.event) if first.event is not None else None
        assert place is not None and place >= len(at.session.recording.entries) - 3, "halted at the very event"

        await at.enter()
        assert (at.page.look_at, at.page.held) == ("events", "2 of 2")
        await at.enter()
        await at.until(lambda: not at.player.is_running)
        assert "There are 2 records." in texts(at.page) and ("done", "checked 1") in at.page.script
        end = at.player.held
        assert end is not None and end.pane == "" and at.pace.is_halted, "the view stays while it is read"
        await at.enter()
        assert at.player.held is None, "the next step brings the present"


async def test_reasons_of_the_chosen_and_the_right_option_are_told_with_values_of_the_run(
    tmp_path: Path, lesson: Lesson
) -> None:
    async with learner(tmp_path, lesson) as at:
        await to_the_question(at)
        assert at.player.why_not() == "predict first: a, b, c"
        at.choose("")
        wrong = at.choose("dead-leads")
        assert at.page.answered == wrong and not at.page.verdict, "it can be changed, and nothing is told before"
        await at.to_the_end_of_the_step()
        page, right = at.page, at.page.right
        assert page.verdict == f"You said {wrong}. In this run {right} is right."
        assert [(piece.kind, piece.text) for piece in page.whys] == [
            ("wrong", "It did, in epoch 2."), ("right", "Broker 2 was in the ISR."),
            ("key", "o: when would your answer be right?"),
        ]  # fmt: skip
        assert "Broker 2 leads. Changes: 1." in texts(page) and "It leads on." not in texts(page)
        assert not at.player.predict(right), "the step has run"
        told = PredictionAnswered(question="who", answer="dead-leads", right_answer="right")
        entries = at.session.recording.entries
        await at.until(lambda: any(entry.event == told for entry in entries))
        assert answers_of(at.session.run_folder)["who"] == {"answer": "dead-leads", "right_answer": "right"}


async def test_one_can_go_back_from_an_open_question(tmp_path: Path, lesson: Lesson) -> None:
    async with learner(tmp_path, lesson) as at:
        await to_the_question(at)
        assert at.player.turn(-1) == "" and "There are 2 records." in texts(at.page)
        assert at.player.turn(1) == "" and at.page.is_open


async def test_a_task_is_watched_and_its_hints_come_one_after_the_other(tmp_path: Path, lesson: Lesson) -> None:
    async with learner(tmp_path, lesson) as at:
        await to_the_question(at)
        at.choose("")
        await at.to_the_end_of_the_step()
        await at.enter()
        player = at.player
        assert not at.pace.is_halted, "the learner acts while time goes"
        began = player._task_began_s
        player.look_at_task(began + 6)
        assert "Which one is down?" in texts(at.page) and "Press r." not in texts(at.page)
        assert "your turn" in player.why_not() and player.turn(1) == "your turn: do the task"
        done, _ = await at.session.send("start 1")
        assert done
        await at.until(lambda: player.is_done)
        assert player.held is not None and at.pace.is_halted
        await at.enter()
        assert at.page.heading == "Another shop"


async def test_after_the_last_hint_the_section_is_played_as_the_solution(tmp_path: Path, lesson: Lesson) -> None:
    async with learner(tmp_path, lesson) as at:
        await to_the_question(at)
        at.choose("")
        await at.to_the_end_of_the_step()
        await at.enter()
        at.player.look_at_task(at.player._task_began_s + 31)
        assert at.page.button == "enter: see one way to do it"
        await at.to_the_end_of_the_step()
        assert at.player.is_done and ("done", ": start 1") in at.page.script


async def test_the_last_page_counts_the_question_in_another_setting_apart(tmp_path: Path, lesson: Lesson) -> None:
    async with learner(tmp_path, lesson) as at:
        await to_the_end(at)
        assert at.player.is_last_page and at.player.is_finished
        said = [piece.text for piece in at.page.before]
        assert said[:2] == ["0 of 1 questions right.", "In a setting you had not seen: right."]
        assert "Think of these once more" in said and "1. A member of the ISR leads." in said
        assert "A document says (S0.16):" in said and "*Wrong.* Leadership moves." in said
        assert at.page.button == "enter: next, c: challenge 1"
        said = [piece.text for piece in page_of(at.player, {"dead-leads": "The dead lead on."}).before]
        place = said.index("You believed: The dead lead on.")
        assert said[place + 1] == "In fact: Broker 2 was in the ISR.", "no wrong sentence stands alone"
        assert finished_lessons(at.state) == ("01_small",)


async def to_the_end(at: Learner) -> None:
    await to_the_question(at)
    at.choose("dead-leads")
    await at.to_the_end_of_the_step()
    await at.enter()
    await at.session.send("start 1")
    await at.until(lambda: at.player.is_done)
    await at.enter()
    at.choose("")
    await at.to_the_end_of_the_step()
    await at.enter()


async def test_a_step_that_is_not_reached_says_what_was_seen_and_can_be_skipped(tmp_path: Path) -> None:
    script = SCRIPT.replace("expect isr orders-0 = 2\n", "expect isr orders-0 = 1 within 30ms\n")
    async with learner(tmp_path, steps_lesson(tmp_path / "lessons", script=script)) as at:
        await to_the_question(at)
        at.choose("")
        await at.to_the_end_of_the_step()
        page = at.page
        assert page.has_failed and page.button == "R again, n skips, q quits"
        assert "step 2: expect isr orders-0 = 1" in page.status and "isr orders-0 was 2" in page.status
        assert at.player.turn(1) == "" and at.page.heading == "Your turn"
        assert not at.player.is_finished


async def test_a_lab_that_cannot_start_is_told(tmp_path: Path, lesson: Lesson) -> None:
    async def refuse(_plan: object, _title: str) -> object:
        raise OSError(28, "No space left")

    player = LessonPlayer(lesson, refuse, lambda _lab: None, progress_folder=tmp_path)  # type: ignore[arg-type]
    assert not await player.run_step()
    assert "No space left" in page_of(player).status and player.has_failed
    assert page_of(player).status.endswith("No cluster runs.")
    await player.close()


async def test_a_lab_that_is_gone_by_itself_can_be_started_again_by_its_step(tmp_path: Path, lesson: Lesson) -> None:
    async with learner(tmp_path, lesson) as at:
        await to_the_question(at)
        at.player.lab_has_ended()
        at.choose("")
        assert "no cluster runs: b goes back" in at.player.why_not()
        assert at.player.turn(-1) == "" and at.page.status == "step 1: the lab has ended. No cluster runs."
        at.begin()
        await at.settled()
        while at.page.look_at:
            await at.enter()
        await at.until(lambda: not at.player.is_running)
        assert at.player.is_done


@pytest.mark.parametrize("payload", [item for item in story.HOSTILE if "\n" not in item and "\x1b" not in item])
def test_a_hostile_lesson_is_only_text(tmp_path: Path, payload: str) -> None:
    lesson = steps_lesson(tmp_path / "lessons", ("There are {acked orders-0} records.", "There are."),
                          ("A picture moves.", payload.replace("{", "").replace("}", "")))  # fmt: skip
    player = LessonPlayer(lesson, Labs(tmp_path), lambda _lab: None, progress_folder=tmp_path)
    page = page_of(player)
    lines = [page.title, page.heading, *texts(page).split("\n")]
    assert all(line.isprintable() for line in lines)
