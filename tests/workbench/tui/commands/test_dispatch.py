"""Each mode takes its own keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens.bare_host import Bench
from workbench.tui.answer import info
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


@pytest.mark.parametrize(("size", "is_late"), [((60, 20), False), ((160, 45), True)])
def test_on_a_terminal_too_small_or_too_slow_only_leaving_and_the_help_work(
    tmp_path: Path, size: tuple[int, int], is_late: bool
) -> None:
    bench = Bench(tmp_path, size=size)
    bench.ui.is_late = is_late
    before = bench.ui.recording.cursor
    bench.press("right", "down", "k", "K", "h", "colon", "F", "space", "comma", "enter", "w")
    assert bench.ui.mode == Watching() and bench.ui.node == 0 and bench.ui.recording.cursor == before
    assert not bench.host.begun
    bench.press("question_mark")
    assert bench.ui.mode == Help()
    bench.press("escape", "q")
    assert bench.ui.mode == AskingToLeave(Watching())
    bench.press("x", "q", "q")
    bench.host.finish()
    assert (bench.host.left, bench.lab.commands) == (0, [])


def test_tab_adds_what_all_share_and_then_takes_one_after_the_other(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("colon", "p", "a")
    offered = bench.ui.suggest("pa")
    assert len(offered) > 1
    lines = []
    for _ in range(len(offered) + 1):
        bench.press("tab")
        lines.append(bench.ui.line.text)
    assert lines == [*offered, offered[0]]
    bench.press("shift+tab")
    assert bench.ui.line.text == offered[-1]
    bench.press("escape", "colon", *"hea", "tab")
    assert bench.ui.line.text.strip() == "heal"


def test_tab_stops_where_the_suggestions_part(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("colon", *"next-")
    bench.press("tab")
    bench.press("escape", "colon", "f", "s")
    bench.press("tab")
    shared = bench.ui.line.text
    assert shared == "fsync " and len(bench.ui.suggest(shared)) > 1
    bench.press("tab")
    assert bench.ui.line.text == bench.ui.suggest(shared)[0]


def test_nothing_is_done_to_a_cluster_whose_past_alone_is_seen_yet(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.ui.reading, bench.ui.node = "14 %", 1
    for keys in ("k", "w", "u", ": k i l l space 2 enter", ": b r e a k space c u t enter"):
        bench.ui.mode = Watching()
        bench.press(*(key.replace(":", "colon") for key in keys.split()))
        bench.host.finish()
        assert "14 % of the run is read" in bench.said and not bench.lab.commands, keys
        bench.ui.answer = info("")
    assert not bench.ui.break_point.kinds
    bench.ui.reading, bench.ui.mode = "", Watching()
    bench.press("u")
    bench.host.finish()
    assert bench.lab.commands == ["undo"]
