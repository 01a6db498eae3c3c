"""A terminal that takes nothing is told from one that is only not as fast as the frames."""

from __future__ import annotations

from workbench.tui.lateness import CALM_S, LATE_S, UNREAD_MAX, Lateness

FRAME_S = 0.03125
STUCK = UNREAD_MAX + 2


class Terminal:
    """Looked at thirty-two times a second."""

    def __init__(self) -> None:
        self.lateness, self.now_s = Lateness(), 1000.0

    def for_s(self, seconds: float, *unread: int) -> bool:
        """So long it had these writes to take, turn by turn; whether it is late then."""
        for place in range(round(seconds / FRAME_S)):
            self.now_s += FRAME_S
            self.lateness.look(unread[place % len(unread)], self.now_s)
        return self.lateness.is_late


def test_one_that_takes_nothing_is_late_and_one_that_takes_something_is_not() -> None:
    terminal = Terminal()
    assert not terminal.for_s(60, 0, 3, 2)
    assert not terminal.for_s(60, STUCK, STUCK, STUCK - 1, STUCK + 2), "each write takes a while, but is taken"
    assert not terminal.for_s(LATE_S, STUCK)
    assert terminal.for_s(2 * FRAME_S, STUCK)


def test_keys_act_again_once_all_is_taken_for_a_while() -> None:
    terminal = Terminal()
    assert terminal.for_s(2 * LATE_S, STUCK)
    assert terminal.for_s(60, 0, 1), "the line that says so is not taken at once"
    assert terminal.for_s(CALM_S - FRAME_S, 0)
    assert not terminal.for_s(2 * FRAME_S, 0)


def test_one_that_is_late_again_soon_has_to_do_well_for_longer() -> None:
    terminal = Terminal()
    for times in (1, 2, 4):
        assert terminal.for_s(2 * LATE_S, STUCK)
        assert terminal.for_s(times * CALM_S - 2 * FRAME_S, 0)
        assert not terminal.for_s(4 * FRAME_S, 0)
    assert not terminal.for_s(60, 0)
    terminal.for_s(2 * LATE_S, STUCK)
    assert not terminal.for_s(CALM_S + 2 * FRAME_S, 0), "long ago counts no more"


def test_a_process_that_was_stopped_has_not_waited_for_the_terminal() -> None:
    terminal = Terminal()
    terminal.for_s(1, STUCK)
    terminal.now_s += 3600
    assert not terminal.for_s(0.5, STUCK)
