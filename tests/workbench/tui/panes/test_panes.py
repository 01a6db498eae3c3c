from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.traces import story
from workbench.session.explanation import explanation
from workbench.session.recording import Recording
from workbench.tui.answer import good
from workbench.tui.compose import draw_late, draw_screen
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.drawing.layout import PANES, arrange
from workbench.tui.modes import AskingToLeave, Watching, Why
from workbench.tui.ui_state import UiState

SIZES = ((200, 50), (120, 40), (80, 24))
GOLDEN = Path(__file__).parent / "golden"


def state(cursor: int | None = None) -> UiState:
    recording = Recording()
    recording.extend(story.full_story())
    if cursor is not None:
        recording.seek(cursor)
    return UiState(recording, replay=True, title="Elections")


@pytest.mark.parametrize("scene", ("split", "truncation"))
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_screen_looks_as_agreed(size: tuple[int, int], scene: str, request: pytest.FixtureRequest) -> None:
    ui = state(story.split_vote_end()) if scene == "split" else state()
    ui.log_index = 0 if scene == "split" else 1
    rows = "\n".join(row.rstrip() for row in draw_screen(*size, ui).text_rows()) + "\n"
    golden = GOLDEN / f"{scene}_{size[0]}x{size[1]}.txt"
    assert golden.read_text() == rows, f"to accept: python {__file__}"


@pytest.mark.parametrize("width", range(80, 240, 7))
@pytest.mark.parametrize("height", range(24, 70, 5))
def test_panes_never_overlap_nor_leave_the_screen(width: int, height: int) -> None:
    for zoom in ("", *PANES):
        for main in PANES:
            taken: set[tuple[int, int]] = set()
            for rect in arrange(width, height, zoom=zoom, main=main, lesson=main == "lesson").values():
                cells = {
                    (x, y) for x in range(rect.x, rect.x + rect.width, 3) for y in range(rect.y, rect.y + rect.height)
                }
                corner = (rect.x + rect.width <= width, rect.y + rect.height <= height, rect.width > 3, rect.height > 0)
                assert all(corner), rect
                rows = {y for _, y in cells}
                for other in [
                    place for place in taken if place[1] in rows and rect.x <= place[0] < rect.x + rect.width
                ]:
                    raise AssertionError((rect, other))
                taken |= cells


@pytest.mark.parametrize("size", ((79, 24), (80, 23), (1, 1), (3, 2)))
def test_a_small_terminal_gets_a_notice(size: tuple[int, int]) -> None:
    rows = draw_screen(*size, state()).text_rows()
    assert len(rows) == size[1] and all(len(row) == size[0] for row in rows)
    if size[0] > 20:
        assert any("enlarge to 80 x 24" in row for row in rows)


@pytest.mark.parametrize("glyphs", ["full", "ascii"])
def test_on_a_terminal_that_is_too_slow_one_row_changes_and_says_so(glyphs: str) -> None:
    ui = state()
    ui.glyphs = glyphs
    before = draw_screen(80, 24, ui)
    late = draw_late(80, 24, ui, before)
    assert late.changed_rows(before) == [0] and not late.spots
    assert late.text_rows()[0].rstrip().endswith("q quits, ? lists the keys, no other acts")
    ui.mode = AskingToLeave(Watching())
    assert "q again ends the cluster" in draw_late(80, 24, ui, late).text_rows()[0]
    assert len(draw_late(60, 20, ui, late).text_rows()) == 20, "at another size nothing else is there"


def test_a_split_vote_shows_who_is_short_and_why() -> None:
    text = "\n".join(draw_screen(200, 50, state(story.split_vote_end())).text_rows())
    assert "SPLIT VOTE e2" in text and text.count("2 of 5, needs 3") == 2 and "no: voted for 4" in text


def test_a_truncation_shows_the_cut_and_the_high_watermark() -> None:
    ui = state()
    ui.log_index = 1
    text = "\n".join(draw_screen(200, 50, ui).text_rows())
    assert "\u2702 to 7" in text and "HW   7 LEO   7" in text


def test_only_rows_that_changed_are_repainted() -> None:
    ui = state()
    before = draw_screen(120, 40, ui)
    assert draw_screen(120, 40, ui).changed_rows(before) == []
    ui.answer = good("done")
    assert draw_screen(120, 40, ui).changed_rows(before) == [38]


def test_text_outside_an_area_is_cut() -> None:
    canvas = Canvas(10, 3)
    area = canvas.area(Rect(2, 1, 4, 1))
    area.put(-1, 0, "abcdefgh")
    area.put(0, 5, "no")
    assert canvas.text_rows() == [" " * 10, "  bcde    ", " " * 10]


def test_a_control_character_never_reaches_a_strip() -> None:
    canvas = Canvas(6, 1)
    canvas.put(0, 0, "a\x1b[2J\u4e00")
    assert canvas.strip(0).text == "a\u241b[2J\u25af"


@pytest.mark.parametrize("payload", story.HOSTILE)
def test_hostile_text_is_only_text(payload: str) -> None:
    recording = Recording()
    recording.extend(story.hostile_story(payload))
    ui = UiState(recording, title="x")
    ui.log_index = 1
    ui.mode = Why(explanation(recording, len(recording.entries) - 1), is_open=True)
    for size in SIZES:
        for row in draw_screen(*size, ui).text_rows():
            assert row.isprintable() and len(row) == size[0]


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for width, height in SIZES:
        for name, at, log in (("split", story.split_vote_end(), 0), ("truncation", None, 1)):
            shown = state(at)
            shown.log_index = log
            lines = [row.rstrip() for row in draw_screen(width, height, shown).text_rows()]
            (GOLDEN / f"{name}_{width}x{height}.txt").write_text("\n".join(lines) + "\n")
