from __future__ import annotations

import json
import re

import pytest

from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas
from workbench.tui.drawing.cast import difference, header, mark, output
from workbench.tui.theme.palette import BAD, GOOD
from workbench.tui.theme.themes import THEMES
from workbench.tui.ui_state import UiState

SEQUENCE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])")


class Terminal:
    """Understands what a film may send, and nothing else."""

    def __init__(self, width: int, height: int) -> None:
        self.cells = {(x, y): (" ", "") for x in range(width) for y in range(height)}
        self.width, self.height, self.writes = width, height, 0

    def take(self, text: str) -> None:
        x = y = at = 0
        look = ""
        while at < len(text):
            found = SEQUENCE.match(text, at)
            if found is None:
                assert text[at].isprintable(), repr(text[at])
                assert (x, y) in self.cells, "never outside"
                self.cells[x, y] = (text[at], look)
                x, at, self.writes = x + 1, at + 1, self.writes + 1
                continue
            at = found.end()
            match found[2]:
                case "H":
                    y, x = (int(part) - 1 for part in found[1].split(";"))
                case "m":
                    look = "" if found[1] == "0" else found[1]
                case "J":
                    assert found[1] == "2"
                    self.cells = dict.fromkeys(self.cells, (" ", ""))
                case _:
                    assert found[0] in ("\x1b[?25l", "\x1b[?25h"), repr(found[0])

    def rows(self) -> list[str]:
        return ["".join(self.cells[x, y][0] for x in range(self.width)) for y in range(self.height)]


def played(canvases: list[Canvas], theme: str = "dark") -> Terminal:
    terminal = Terminal(canvases[0].width, canvases[0].height)
    for before, canvas in zip([None, *canvases], canvases, strict=False):
        terminal.take(difference(canvas, before, theme))
    return terminal


def screens(size: tuple[int, int]) -> list[Canvas]:
    recording = Recording()
    recording.extend(story.full_story())
    ui = UiState(recording, replay=True, title="Elections")
    found = []
    for cursor in range(1, len(recording.entries), 7):
        recording.seek(cursor)
        found.append(draw_screen(*size, ui))
    return found


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("size", ((160, 45), (80, 24)), ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_terminal_that_plays_all_differences_shows_the_last_screen(size: tuple[int, int], theme: str) -> None:
    canvases = screens(size)
    step_by_step, at_once = played(canvases, theme), played(canvases[-1:], theme)
    assert step_by_step.rows() == canvases[-1].text_rows()
    assert step_by_step.cells == at_once.cells, "colours too"


def test_only_what_differs_is_written() -> None:
    before, after = Canvas(40, 3), Canvas(40, 3)
    assert difference(after, before, "dark") == ""
    after.put(7, 1, "now", GOOD)
    terminal = Terminal(40, 3)
    terminal.take(difference(after, before, "dark"))
    assert terminal.writes == 3 and terminal.rows()[1].strip() == "now"


def test_a_colour_alone_is_a_difference() -> None:
    before, after = Canvas(9, 1), Canvas(9, 1)
    before.put(0, 0, "x", GOOD)
    after.put(0, 0, "x", BAD)
    assert "x" in difference(after, before, "dark")


@pytest.mark.parametrize("payload", story.HOSTILE)
def test_hostile_text_is_only_text(payload: str) -> None:
    recording = Recording()
    recording.extend(story.hostile_story(payload))
    canvas = draw_screen(160, 45, UiState(recording, title=payload))
    assert played([canvas]).rows() == canvas.text_rows()
    for line in (header(80, 24, payload, 0), mark(0, payload)):
        told = json.loads(line)
        text = told["title"] if isinstance(told, dict) else told[2]
        assert text.isprintable() and line.count("\n") == 1


def test_lines_are_what_the_format_asks_for() -> None:
    told = json.loads(header(160, 45, "Elections", 1_700_000_000))
    assert (told["version"], told["width"], told["height"], told["timestamp"]) == (2, 160, 45, 1_700_000_000)
    assert json.loads(output(1_234_567_891, "a")) == [1.234567, "o", "a"]
    assert json.loads(mark(0, "vote")) == [0.0, "m", "vote"]
