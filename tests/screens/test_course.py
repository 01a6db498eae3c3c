"""A lesson of the course in a real terminal: held where it is decided, another world, taken up where it was left."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.screens.terminals import Tmux
from tests.support.worlds.steps_lesson import NAME, steps_lesson
from workbench.course.content import letters

pytestmark = [pytest.mark.screens, pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")]
SEED = 3
CODE = (
    "from pathlib import Path; from workbench.course.reading.lesson_folder import read_folder; "
    "from workbench.runs.launch import WorldChoice; from workbench.tui.launch import open_lesson; "
    "home = Path({home!r}); home.mkdir(exist_ok=True); "
    f"open_lesson(read_folder(home.parent / '{NAME}'), home, progress_folder=home, "
    f"world=WorldChoice(simulated=True, seed={SEED}))"
)


@pytest.mark.first(size=[(120, 40)])
@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=str)
def test_a_lesson_is_held_answered_left_and_taken_up(tmp_path: Path, opened: list[Tmux], size: tuple[int, int]) -> None:
    lesson = steps_lesson(tmp_path)
    (asked,) = (question for _, question in lesson.questions if not question.is_transfer)
    wrong = next(letter for letter, option in letters(asked, SEED).items() if option.misconception == "dead-leads")
    code = CODE.format(home=str(tmp_path / "home"))
    opened.append(Tmux(tmp_path, code, *size))
    terminal = opened[0]
    terminal.wait_for("held 1 of 2", "4 Logs", "Broker 1 leads with 0 records.", "HELD")
    terminal.keys("Enter")
    terminal.wait_for("held 2 of 2", "Two records.")
    terminal.keys("Enter")
    terminal.wait_for("There are 2 records.", "enter: next step")
    terminal.keys("Enter")
    terminal.wait_for("Who leads?", "choose: a b c")
    terminal.keys(wrong, "Enter")
    terminal.wait_for(f"You said {wrong}.", "Broker 1 leads.")
    terminal.keys("o")
    terminal.wait_for("is right in B, with: without kill 1", "esc closes")  # the whole screen is drawn
    terminal.keys("Escape")
    terminal.wait_for("enter: next step")
    terminal.keys("Enter")
    terminal.wait_for("Your turn", "Start it.")
    terminal.keys("q")
    terminal.wait_for("EXIT 0")

    (tmp_path / "second").mkdir()
    opened.append(Tmux(tmp_path / "second", code, *size))
    again = opened[1]
    again.wait_for("Your turn", "you left here the last time")
    again.keys(":start 1", "Enter")
    again.wait_for("Done.", "enter: next step")
    again.keys("q")
    again.wait_for("EXIT 0")
