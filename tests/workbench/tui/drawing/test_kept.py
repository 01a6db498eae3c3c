"""What changes slowly is drawn less often, and at once when something happens."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.tui.compose import AGE_NS, draw_screen
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.drawing.kept import Kept
from workbench.tui.drawing.spots import Spot
from workbench.tui.ui_state import UiState

RECT = Rect(2, 1, 5, 2)


def drawn(kept: Kept, text: str, shows: str, now_ns: int) -> Canvas:
    """A pane that says the text, on a canvas of its own."""
    canvas = Canvas(10, 4)

    def draw() -> None:
        canvas.put(2, 1, text)
        canvas.spots.append(Spot(*RECT, "pane", (text,)))

    kept.draw(canvas, "pane", RECT, draw, shows=shows, age_ns=100, now_ns=now_ns)
    return canvas


def test_cells_are_good_until_they_are_too_old_or_show_something_else() -> None:
    kept = Kept()
    said = [
        drawn(kept, text, shows, now_ns)
        for text, shows, now_ns in (
            ("first", "a", 0), ("young", "a", 99), ("old", "a", 100), ("other", "b", 101), ("back", "b", 50),
        )
    ]  # fmt: skip
    assert [canvas.text_rows()[1].strip() for canvas in said] == ["first", "first", "old", "other", "back"]
    assert [canvas.spots[0].value[0] for canvas in said] == ["first", "first", "old", "other", "back"]


def test_the_time_axis_moves_with_time_and_at_once_with_what_happens() -> None:
    run, recording = story.Story(), Recording()
    run.begin()
    recording.extend(run.entries)
    ui = UiState(recording)

    def axis() -> list[str]:
        rows = draw_screen(160, 45, ui).text_rows()
        return rows[next(y for y, row in enumerate(rows) if "5 Timeline" in row) :][:6]

    def go_on(event: ev.Event, wait_ms: int) -> None:
        run.say(0, event, wait_ms)
        recording.extend(run.entries[-1:])

    first, age_ms = axis(), AGE_NS["isr"] // 1_000_000
    go_on(ev.LessonStep(step=1, text="wait"), age_ms - 10)
    assert axis() == first
    go_on(ev.LessonStep(step=2, text="wait"), 10)
    later = axis()
    assert later != first
    go_on(ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=-9, expected=True), 1)
    assert axis() != later


def test_the_words_beside_the_panes_scroll_at_once() -> None:
    run, recording = story.Story(), Recording()
    run.begin()
    recording.extend(run.entries)
    ui = UiState(recording)
    ui.page.prose = "\n\n".join(f"line {number}" for number in range(60))
    first = draw_screen(160, 45, ui).text_rows()
    ui.page_scroll = 5
    assert any("line 0 " in row for row in first)
    assert not any("line 0 " in row for row in draw_screen(160, 45, ui).text_rows())
