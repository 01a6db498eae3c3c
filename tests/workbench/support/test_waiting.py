"""Before the first screen a terminal says a word and echoes nothing; elsewhere it is left alone."""

from __future__ import annotations

import os
import pty
import termios
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from workbench.support.waiting import Waiting


@contextmanager
def terminal() -> Iterator[int]:
    """A pty that stands for standard input and output, by the end that programs have."""
    master, slave = pty.openpty()
    kept = [os.dup(number) for number in (0, 1)]
    for number in (0, 1):
        os.dup2(slave, number)
    try:
        yield slave
    finally:
        for number, before in enumerate(kept):
            os.dup2(before, number)
            os.close(before)
        os.close(master)
        os.close(slave)


def echoes(slave: int) -> bool:
    return bool(termios.tcgetattr(slave)[3] & termios.ECHO)


@pytest.fixture(autouse=True)
def able(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that can show the screen."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("WORKBENCH_PLAIN", raising=False)


@pytest.mark.parametrize(
    ("arguments", "opens"),
    [([], True), (["lab"], True), (["learn", "3"], True), (["ps"], False), (["lab", "--plain"], False),
     (["learn", "--help"], False)],
)  # fmt: skip
def test_keys_are_quiet_until_the_screen_is_left_and_then_as_before(arguments: list[str], *, opens: bool) -> None:
    waiting = Waiting()
    with terminal() as slave:
        before = echoes(slave)
        waiting.begin(arguments)
        begun = echoes(slave)
        waiting.clear()
        cleared = echoes(slave)
        waiting.end()
        ended = echoes(slave)
    assert (before, begun, cleared, ended) == (True, not opens, not opens, True)


def test_where_lines_are_asked_for_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("TERM", "dumb"), ("WORKBENCH_PLAIN", "on")):
        monkeypatch.setenv(name, value)
        with terminal() as slave:
            Waiting().begin(["lab"])
            quiet = not echoes(slave)
        assert not quiet
