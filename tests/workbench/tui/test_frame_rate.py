"""The rate falls for what is slow, and says which of the two it is."""

from __future__ import annotations

import pytest

from workbench.tui.frame_rate import (
    BUSY_MACHINE,
    CALM_FRAMES,
    HURRIED_FRAMES,
    SLOW_FRAMES_MAX,
    SLOW_TERMINAL,
    STEPS,
    FrameRate,
    Stillness,
)


@pytest.mark.parametrize(("spent_s", "unread", "because"), [(0.03, 0, BUSY_MACHINE), (0.001, 12, SLOW_TERMINAL)])
def test_it_falls_after_many_slow_frames_and_names_what_is_slow(spent_s: float, unread: int, because: str) -> None:
    rate = FrameRate()
    changes = [rate.after(spent_s, unread) for _ in range(SLOW_FRAMES_MAX + 1)]
    assert changes == [False] * SLOW_FRAMES_MAX + [True]
    assert (rate.fps, rate.because) == (STEPS[1], because)


def test_an_idle_terminal_is_not_blamed_for_a_busy_machine_although_one_write_waits() -> None:
    rate = FrameRate()
    while not rate.after(0.2, 1):
        pass
    assert rate.because == BUSY_MACHINE


def test_it_rises_again_after_many_calm_frames_and_never_above_what_is_asked_for() -> None:
    rate = FrameRate()
    rate.begin(STEPS[2], BUSY_MACHINE)
    for step in (STEPS[1], STEPS[0]):
        assert [rate.after(0.001, 0) for _ in range(CALM_FRAMES)][-1] and rate.fps == step
    assert rate.because == "" and not any(rate.after(0.001, 0) for _ in range(CALM_FRAMES * 2))
    rate.begin(STEPS[1])
    assert not any(rate.after(0.001, 0, highest=STEPS[1]) for _ in range(CALM_FRAMES * 2))


def test_it_never_falls_below_the_least() -> None:
    rate = FrameRate()
    for _ in range(SLOW_FRAMES_MAX * 10):
        rate.after(1.0, 0)
    assert rate.fps == STEPS[-1]


def drawn(stillness: Stillness, frames: int, *, per_frame: int = 0, marks: int = 0, fps: int = STEPS[0]) -> int:
    """How many of so many frames are drawn while so many entries come in each."""
    return sum(stillness.is_due(fps, frame * per_frame, marks) for frame in range(frames))


@pytest.mark.parametrize(("fps", "share"), [(STEPS[0], 2), (STEPS[1], 1), (STEPS[2], 1)])
def test_while_little_happens_each_second_frame_is_drawn_and_of_a_lower_rate_each(fps: int, share: int) -> None:
    stillness = Stillness()
    assert drawn(stillness, HURRIED_FRAMES) == HURRIED_FRAMES, "at first"
    assert drawn(stillness, 300, per_frame=3, fps=fps) == 300 // share


def test_a_key_a_mark_and_a_flood_of_entries_have_every_frame_drawn_for_a_while() -> None:
    stillness = Stillness()
    drawn(stillness, HURRIED_FRAMES)
    stillness.hurry()
    assert drawn(stillness, 60) == HURRIED_FRAMES + 7
    assert drawn(stillness, 60, marks=1) == HURRIED_FRAMES + 7
    assert drawn(stillness, 300, per_frame=30, marks=1) > 290


def test_of_a_screen_on_which_nothing_changes_four_frames_a_second_are_drawn_until_something_is_told() -> None:
    stillness = Stillness()
    drawn(stillness, HURRIED_FRAMES)
    stillness.drew(0)
    assert 300 // STEPS[0] * STEPS[-1] - 4 <= drawn(stillness, 300) <= 300 // STEPS[0] * STEPS[-1]
    assert drawn(stillness, 2, per_frame=1) == 1, "something was told"
    stillness.drew(3)
    assert drawn(stillness, 300) == 150


def test_a_view_that_is_held_is_still_and_one_that_is_moved_is_not() -> None:
    stillness = Stillness()
    assert sum(stillness.is_due(STEPS[0], 100, 0, held_at=7) for _ in range(345)) == HURRIED_FRAMES + 150
    assert all(stillness.is_due(STEPS[0], 100, 0, held_at=place) for place in range(30))
