"""The speaker's notes: beside the class's screen, never on it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.screens.screen_app import rows, shows, until
from tests.support.worlds.paper_lab import Labs
from tests.support.worlds.small_lesson import letter_of, write_lesson
from workbench.session.lesson.on_screen import OnScreen, ShownStep, shown_steps
from workbench.tui.lesson_app import lesson_app
from workbench.tui.screens.notes import NotesApp, draw_notes, print_notes, sheet_of


def text(app: NotesApp) -> str:
    app.look()
    return "\n".join(app._grid.text_rows())


async def test_the_notes_follow_the_screen_of_the_class_and_are_not_on_it(tmp_path: Path) -> None:
    lesson = write_lesson(tmp_path / "lessons")
    app = lesson_app(lesson, Labs(tmp_path / "runs"), progress_folder=tmp_path / "state")
    assert app.player is not None
    app.player.on_screen = OnScreen(tmp_path, lesson.folder)

    notes = NotesApp(tmp_path)
    async with notes.run_test(size=(100, 40)):
        assert "No screen shows a lesson" in text(notes)
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            assert "Three voters" in text(notes) and "Wait for the class." in text(notes)
            await pilot.press("enter")
            await shows(pilot, app, "enter: next step")
            await pilot.press("enter", "b")
            await until(pilot, lambda: rows(app) != "" and "(chosen)" in text(notes))
            shown = text(notes)
            for told in ("3 minutes", "expect: ", "Ask how many", "Point at the votes.", "[dead-leads]"):
                assert told in shown and told not in rows(app), told
            assert "step 2/3, from minute 1" in shown and "run run0" in shown
        assert "No screen shows a lesson" in text(notes)


def test_the_right_answer_is_shown_to_the_speaker_once_it_is_known(tmp_path: Path) -> None:
    folder = str(write_lesson(tmp_path).folder)
    before = sheet_of(ShownStep(1, folder, 2, "a")).lines
    assert any("computed from the run" in line for _, line in before)
    right = letter_of(write_lesson(tmp_path))
    after = sheet_of(ShownStep(1, folder, 2, "a", right)).lines
    said = next(line for kind, line in after if kind == "right")
    assert said.startswith(f"\u2713 {right}  Another one.")
    assert any("A dead node hears" in line for _, line in after)


@pytest.mark.parametrize("step", [0, 9])
def test_a_lesson_that_changed_on_the_disk_says_so(tmp_path: Path, step: int) -> None:
    folder = write_lesson(tmp_path).folder
    assert "changed" in sheet_of(ShownStep(1, str(folder), step)).lines[0][1]
    (folder / "lesson.md").write_text("\x1b[2J nothing of ours")
    assert all(line.isprintable() for _, line in sheet_of(ShownStep(1, str(folder), step)).lines)


def test_a_screen_that_is_gone_or_nonsense_in_the_folder_is_passed_over(tmp_path: Path) -> None:
    OnScreen(tmp_path, tmp_path / "lesson").tell(2, "", "", "r1")
    folder = tmp_path / "screens"
    (folder / "a.json").write_text("[" * 100_000)
    (folder / "b.json").write_text('{"pid": 1}')
    dead = os.fork()
    if dead == 0:
        os._exit(0)
    os.waitpid(dead, 0)
    kept = (folder / f"{os.getpid()}.json").read_text()
    (folder / "c.json").write_text(kept.replace(f'"pid": {os.getpid()}', f'"pid": {dead}'))
    assert [shown.step for shown in shown_steps(tmp_path)] == [2]


@pytest.mark.parametrize("size", [(200, 50), (80, 24), (40, 8), (10, 3)])
@pytest.mark.parametrize("glyphs", ["full", "mono", "ascii"])
def test_the_notes_fit_every_size(tmp_path: Path, size: tuple[int, int], glyphs: str) -> None:
    sheet = sheet_of(ShownStep(1, str(write_lesson(tmp_path, prose="word " * 80).folder), 2, "a", "b"))
    canvas, last = draw_notes(*size, sheet, 10_000, 61.0, glyphs)
    rows = canvas.text_rows()
    assert len(rows) == size[1] and all(len(row) == size[0] for row in rows)
    assert glyphs != "ascii" or all(row.isascii() for row in rows)
    assert size[0] < 40 or "1:01 min" in rows[-1]
    assert size != (40, 8) or last > 0


def test_without_a_screen_the_notes_are_printed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    OnScreen(tmp_path, write_lesson(tmp_path / "lessons").folder).tell(2, "", "", "r1")
    assert print_notes(tmp_path, "r1") == 0
    told = capsys.readouterr().out
    assert "Point at the votes." in told and told.isascii()
    assert print_notes(tmp_path, "another") == 0
    assert "No screen shows a lesson" in capsys.readouterr().out


def test_the_notes_tell_the_figures_of_the_class_s_run(tmp_path: Path) -> None:
    lesson = write_lesson(tmp_path / "lessons", prose="They vote.")
    path = lesson.folder / "lesson.md"
    said = path.read_text().replace("A dead node", "After {quorum_fetch_timeout_ms} and {quorum epoch} a dead node")
    path.write_text(said)
    OnScreen(tmp_path, lesson.folder, "kafka", 3.0).tell(2, "", "", "r1")
    told = "After 6 s and [quorum epoch] a dead node hears no vote request."
    assert ("text", told) in sheet_of(shown_steps(tmp_path)[0]).lines
