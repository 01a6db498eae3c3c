from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.paper_lab import Labs
from tests.support.worlds.small_lesson import letter_of, write_lesson
from tests.support.worlds.steps_lesson import steps_lesson
from workbench.session.lesson.page import LessonPage
from workbench.session.lesson.pages import AHEAD, page_of
from workbench.session.lesson.player import LessonPlayer


async def played(tmp_path: Path, belief: str = "") -> LessonPlayer:
    """The question answered; the step has run."""
    lesson = write_lesson(tmp_path / "lessons")
    player = LessonPlayer(lesson, Labs(tmp_path / "runs"), lambda _lab: None, progress_folder=tmp_path)
    assert page_of(player).button == "enter: do it"
    assert await player.run_step() and player.turn(1) == ""
    assert page_of(player).button == "choose: a b c" and page_of(player).script == (("open", ": kill 101"),)
    assert player.predict(letter_of(lesson, belief)) and page_of(player).button == "enter: do it"
    assert await player.run_step()
    return player


def said(page: LessonPage) -> list[str]:
    return [piece.text for piece in (*page.before, *page.whys, *page.after)]


async def test_what_is_expected_is_never_on_a_page_that_holds(tmp_path: Path) -> None:
    player = await played(tmp_path)
    page = page_of(player)
    assert page.script == (("done", ": kill 101"), ("done", "checked 2")) and page.button == "enter: next step"
    assert "A dead node hears no vote request." in said(page) and page.verdict.endswith("is right.")
    await player.close()


async def test_what_is_real_in_this_world_is_told_at_the_end_of_the_first_step(tmp_path: Path) -> None:
    player = await played(tmp_path)
    assert player.turn(-1) == ""
    assert said(page_of(player))[-1].startswith("Real here: a process for each node")
    assert player.turn(1) == "" and not any("Real here" in text for text in said(page_of(player)))
    await player.close()


@pytest.mark.parametrize(("belief", "right"), [("", "1 of 1"), ("nobody", "0 of 1")])
async def test_the_last_page_counts_and_names_what_was_believed(tmp_path: Path, belief: str, right: str) -> None:
    player = await played(tmp_path, belief)
    assert player.turn(1) == "" and page_of(player).button == "enter: to the end" and player.turn(1) == ""
    page = page_of(player, {"nobody": "Nobody leads after a death."})
    assert said(page)[0] == f"{right} questions right." and page.place == "last page"
    assert ("You believed: Nobody leads after a death." in said(page)) == bool(belief)
    assert page.button == "enter: leave" and player.turn(1) == "this is the end of the lesson"
    await player.close()


async def test_a_node_that_is_not_chosen_yet_stands_with_the_word_of_the_script(tmp_path: Path) -> None:
    lesson = write_lesson(tmp_path / "lessons", expectation="remember other = follower of quorum\npause $other")
    player = LessonPlayer(lesson, Labs(tmp_path / "runs"), lambda _lab: None, progress_folder=tmp_path)
    assert page_of(player).script == ()
    assert await player.run_step() and player.turn(1) == ""
    assert page_of(player).script == (("open", ": kill 101"), ("open", ": pause other"))
    assert player.with_names("kill $first", frozenset(("first",))) == "kill first"
    await player.close()


def test_a_step_that_has_not_run_says_so_and_whether_it_begins_a_cluster(tmp_path: Path) -> None:
    player = LessonPlayer(steps_lesson(tmp_path), Labs(tmp_path), lambda _lab: None)
    told = []
    for player.at in range(5):
        page = page_of(player)
        told.append(
            (page.before[-1].text if page.before and page.before[-1].kind == "dim" else "", page.awaits_cluster)
        )
    assert told == [("", True), (AHEAD[False], False), (AHEAD[False], False), (AHEAD[True], True), ("", False)]


async def test_a_step_awaits_its_cluster_until_that_is_there(tmp_path: Path) -> None:
    awaited = []
    player = LessonPlayer(
        steps_lesson(tmp_path / "lessons"), Labs(tmp_path / "runs"),
        lambda _lab: awaited.append(page_of(player).awaits_cluster), progress_folder=tmp_path,
    )  # fmt: skip
    assert page_of(player).awaits_cluster
    await player.run_step()
    assert awaited == [False] and not page_of(player).awaits_cluster
    await player.close()


async def test_a_command_that_may_fail_and_did_is_not_told_as_done(tmp_path: Path) -> None:
    lesson = write_lesson(tmp_path / "lessons", expectation="try pause 102\ntry kill 103")
    player = LessonPlayer(lesson, Labs(tmp_path / "runs"), lambda _lab: None, progress_folder=tmp_path)
    assert await player.run_step() and player.turn(1) == "" and player.predict("a")
    assert await player.run_step()
    states = page_of(player).script
    assert ("undone", ": pause 102  \u2192  as you say") in states and ("done", ": kill 103") in states
    await player.close()
