"""The fault console does not lose what was staged without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens.bare_host import Bench
from workbench.tui.modes import Faults, Watching


@pytest.mark.parametrize("key", ["escape", "F", "v", "question_mark"])
def test_what_closes_the_console_says_first_that_cuts_are_staged(tmp_path: Path, key: str) -> None:
    bench = Bench(tmp_path)
    bench.press("F", "enter")
    staged = bench.ui.staged
    bench.press(key)
    assert bench.ui.mode == Faults(staged, is_warned=True) and "1 cut is staged and not applied" in bench.said
    bench.press(key)
    assert not isinstance(bench.ui.mode, Faults) and bench.said.startswith("not applied: cut ")
    assert bench.lab.commands == []


def test_one_thing_more_staged_is_asked_about_anew(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("F", "enter", "escape", "right", "right", "enter", "escape")
    assert isinstance(bench.ui.mode, Faults) and "2 cuts are staged" in bench.said
    bench.press("space", "escape")
    bench.host.finish()
    assert bench.ui.mode == Watching() and len(bench.lab.commands) == 1
