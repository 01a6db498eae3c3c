from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model import events as ev
from cluster.model.identifiers import METADATA
from cluster.picture.parts import VoteRound
from tests.support.traces import story
from workbench.session.explanation import explanation
from workbench.session.recording import Recording
from workbench.tui.answer import good
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.drawing.layout import PANES, arrange
from workbench.tui.modes import Why
from workbench.tui.panes.quorum import draw_quorum, draw_tally
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
            for rect in arrange(width, height, zoom=zoom, main=main, lanes=5).values():
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
        assert any("needs 80 x 24" in row for row in rows)


def test_a_split_vote_shows_who_is_short_and_why() -> None:
    text = "\n".join(draw_screen(200, 50, state(story.split_vote_end())).text_rows())
    assert "SPLIT VOTE" in text and text.count("2/3 short by 1") == 2 and "no: voted for 4" in text


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


def test_the_legend_of_the_lanes_is_whole_on_a_small_screen() -> None:
    ui = state()
    ui.main, ui.log_index = "logs", 1
    item = ui.recording.live.partition(ui.log)
    item.leader, item.leader_epoch, item.isr = -1, 99, ()
    legend = next(row for row in draw_screen(80, 24, ui).text_rows() if "no leader e99 ISR 0/3" in row)
    assert legend.rstrip("\u2502 ").endswith("\u258c HW")


def test_a_chart_without_room_for_words_leaves_out_who_says_nothing() -> None:
    run = story.Story()
    run.begin()
    diverged = ev.ReplicaDiverged(topic="orders", partition=0, replica_id=11, fetch_offset=15, last_fetched_epoch=4,
                                  diverging_epoch=4, diverging_end_offset=12)  # fmt: skip
    run.say(12, diverged)
    recording = Recording()
    recording.extend(run.entries)
    for width, silent in ((100, True), (48, False)):
        canvas = Canvas(width, 8)
        draw_quorum(canvas.area(Rect(0, 0, width, 8)), UiState(recording))
        text = "\n".join(canvas.text_rows())
        assert "e4 ends 12" in text and "n11" in text and "n12" in text
        assert ("n5" in text) == silent


def test_deleted_records_are_dots_in_front_of_what_is_left() -> None:
    ui = state()
    ui.log_index = 1
    whole = next(row for row in draw_screen(200, 50, ui).text_rows() if "in ISR" in row and "HW" in row)
    for lane in ui.recording.live.logs.values():
        lane.delete(2)
    row = next(row for row in draw_screen(200, 50, ui).text_rows() if "in ISR" in row and "HW" in row)
    assert whole.count("\u00b7") + 2 == row.count("\u00b7")
    first = row.index("\u00b7")
    assert row[first : first + 7].split() == ["\u00b7", "\u00b7", whole[first + 6]]
    assert row[first + 6 :] == whole[first + 6 :]


def test_logs_without_room_for_every_lane_say_so_and_nothing_lies_over_it() -> None:
    ui = state()
    ui.log_index = 0
    for node in (6, 7, 8):
        ui.recording.live.log(node, METADATA).log_end_offset = 9
    rows = draw_screen(80, 24, ui).text_rows()
    told = [row for row in rows if "more, 4 shows all" in row]
    assert len(told) == 1 and "epoch cache" not in told[0]


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for width, height in SIZES:
        for name, at, log in (("split", story.split_vote_end(), 0), ("truncation", None, 1)):
            shown = state(at)
            shown.log_index = log
            lines = [row.rstrip() for row in draw_screen(width, height, shown).text_rows()]
            (GOLDEN / f"{name}_{width}x{height}.txt").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("width", [30, 36, 40, 60, 100])
def test_a_tally_always_says_how_it_ended(width: int) -> None:
    round_ = VoteRound(0, 2, 103, pre_vote=False, needed=3, voters=(101, 102, 103, 104, 105))
    round_.answers.update({103: True, 104: True, 101: False})
    canvas = Canvas(width, 1)
    draw_tally(canvas.area(Rect(0, 0, width, 1)), 0, round_)
    (row,) = canvas.text_rows()
    assert "2/3" in row and row.count("\u25a0") == 2 and row.count("\u2717") == 1 and row.count("\u25a1") == 2


def test_the_names_over_a_narrow_chart_stay_apart() -> None:
    recording = Recording()
    voters = (101, 102, 103, 104, 105, 106, 107)
    recording.extend(story.full_story())
    ui = UiState(recording, replay=True, title="x")
    ui.view.voters = voters
    ui.view.rows = [row._replace(source=101, target=voters[number % 7]) for number, row in enumerate(ui.view.rows)]
    canvas = Canvas(41, 12)
    draw_quorum(canvas.area(Rect(0, 0, 41, 12)), ui)
    assert any("101 102 103 104 105 106 107" in row for row in canvas.text_rows())
