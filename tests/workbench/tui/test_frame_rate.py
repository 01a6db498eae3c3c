"""The rate falls for what is slow, and says which of the two it is."""

from __future__ import annotations

import pytest

from workbench.tui.frame_rate import BUSY_MACHINE, CALM_FRAMES, SLOW_FRAMES_MAX, SLOW_TERMINAL, STEPS, FrameRate


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
