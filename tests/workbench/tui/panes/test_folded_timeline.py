from __future__ import annotations

import pytest

from tests.support.traces.watched import Watched
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.panes.folded_timeline import STEP_COLUMNS, FoldedAxis, label_of
from workbench.tui.ui_state import UiState

COLUMNS = 100


@pytest.fixture(scope="module")
def recording() -> Recording:
    world = Watched(seed=3, controllers=3, brokers=3)
    world.until(lambda: world.cluster().quorum_leader > 0)
    world.do("topic orders replicas=3 min-isr=2")
    world.run_until(lambda: False, 2.0)
    world.do("kill controller")
    world.run_until(lambda: False, 5.0)
    made = Recording()
    made.extend(world.entries)
    return made


def directed(recording: Recording, wall_ms: float) -> UiState:
    ui = UiState(recording)
    ui.director.again(0.0)
    for frame in range(int(wall_ms / 33)):
        ui.director.look(frame * 33.0, recording.timeline.end_ns)
    recording.seek(ui.director.cursor)
    return ui


def steps_row(ui: UiState) -> str:
    return next(row for row in draw_screen(160, 45, ui).text_rows() if " steps  " in row)


def test_what_is_not_shown_yet_is_a_dot_without_a_label(recording: Recording) -> None:
    early, late = steps_row(directed(recording, 300)), steps_row(directed(recording, 5_000))
    assert early.count("\u00b7") > late.count("\u00b7") > 0
    assert "\u25d4" not in early and "\u25d4" in late


def test_a_silence_is_written_out_and_grows_while_it_passes(recording: Recording) -> None:
    half, whole = steps_row(directed(recording, 1_200)), steps_row(directed(recording, 2_400))
    assert "ms \u22ef" in half and "ms \u22ef" in whole and half != whole


@pytest.mark.parametrize("wall_ms", [0, 700, 1_500, 3_000, 6_000, 9_000])
def test_times_ascend_and_end_at_the_moment_in_view(recording: Recording, wall_ms: float) -> None:
    ui = directed(recording, wall_ms)
    axis = FoldedAxis(ui, COLUMNS)
    times = axis.times()
    assert times == sorted(times) and times[-1] <= ui.director.t_ns
    assert len(times) == axis.now_x + 1 <= COLUMNS


def test_no_step_is_cut(recording: Recording) -> None:
    """n101 follows 102, and not 10."""
    parts = [part for part in FoldedAxis(directed(recording, 9_000), COLUMNS).parts if part.step is not None]
    assert len(parts) > 8
    for part in parts:
        assert part.step is not None and label_of(part, STEP_COLUMNS - 1).endswith(part.step.words[-1].text)


def test_each_step_has_the_same_width_and_the_one_in_view_always_has_room(recording: Recording) -> None:
    for wall_ms in range(0, 12_000, 400):
        axis = FoldedAxis(directed(recording, wall_ms), COLUMNS)
        steps = [place for place in axis.places if place.part.step is not None]
        assert {place.width for place in steps} == {STEP_COLUMNS}
        assert any(place.part is axis.parts[axis.here] for place in axis.places)


@pytest.mark.parametrize("size", [(200, 50), (160, 45), (120, 40), (80, 24)])
def test_the_screen_is_drawn_at_every_size_and_every_moment(recording: Recording, size: tuple[int, int]) -> None:
    for wall_ms in range(0, 12_000, 1_500):
        shown = "\n".join(draw_screen(*size, directed(recording, wall_ms)).text_rows())
        assert "DIRECTED" in shown or wall_ms > 10_000
