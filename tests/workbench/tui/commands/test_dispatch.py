"""Each mode takes its own keys."""

from __future__ import annotations

from pathlib import Path

from tests.support.screens.bare_host import Bench
from workbench.tui.modes import AskingToLeave, Blank, Ending, Faults, Help, Starting, Typing, Watching


def test_keys_typed_after_a_colon_belong_to_the_line(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("colon", "k", "i", "l", "l", "space", "2")
    assert bench.ui.line.text == "kill 2" and bench.lab.commands == []
    bench.press("enter")
    bench.host.finish()
    assert bench.lab.commands == ["kill 2"] and bench.ui.mode == Watching()


def test_while_it_starts_or_ends_only_leaving_is_heard(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for mode in (Starting(), Ending("wait")):
        bench.ui.mode = mode
        bench.press("k", "colon", "F", "question_mark", "space")
        assert bench.ui.mode == mode and bench.ui.recording.follows
    bench.press("q")
    assert bench.host.left == 0
    assert bench.lab.commands == [] and not bench.host.begun


def test_any_other_key_than_the_answers_only_stays(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("question_mark", "q")
    assert bench.ui.mode == AskingToLeave(Help())
    bench.press("k")
    assert bench.ui.mode == Help() and not bench.host.begun
    bench.press("q", "y")
    bench.host.finish()
    assert (bench.host.left, bench.lab.stays, bench.lab.left) == (0, True, False)


def test_the_console_has_keys_of_its_own_and_others_close_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("F", "enter")
    assert isinstance(bench.ui.mode, Faults) and len(bench.ui.mode.staged) == 1
    bench.press("backspace")
    assert bench.ui.mode == Faults()
    bench.press("space")
    assert "nothing is staged" in bench.said
    bench.press("v")
    assert bench.ui.mode == Watching()


def test_a_room_sees_a_blank_screen_until_the_next_key(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("P", "b")
    assert bench.ui.mode == Blank(Watching())
    bench.press("k")
    assert bench.ui.mode == Watching() and bench.lab.commands == []


def test_a_key_that_means_nothing_is_left_to_others(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert not bench.dispatch.press("f9")
    bench.press("colon")
    assert isinstance(bench.ui.mode, Typing) and bench.dispatch.press("f9")
