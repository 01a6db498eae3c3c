"""Commands are found by name, and carried out without a screen."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.screens.bare_host import Bench
from workbench.session.session import ONLY_WATCHES
from workbench.tui.answer import Answer
from workbench.tui.finder import every_choice
from workbench.tui.input.keyboard import Keyboard
from workbench.tui.input.keys import COMPARISON_KEYS, CONSOLE_KEYS, OVERLAY_ACTIONS, TABLE, TOUCH_KEYS
from workbench.tui.input.words import WORDS
from workbench.tui.modes import Ending, Typing, Watching


def test_all_that_keys_and_words_name_is_a_command(tmp_path: Path) -> None:
    known = set(Bench(tmp_path).commands.by_name)
    by_key = {name for name, _ in Keyboard().actions.values()} | {name for name, _ in CONSOLE_KEYS.values()}
    by_key |= {name for name, _ in (*COMPARISON_KEYS.values(), *TOUCH_KEYS.values())}
    by_word = {word.action for word in WORDS}
    assert by_key | by_word <= known and known >= OVERLAY_ACTIONS
    by_palette = {choice.name for choice in every_choice(Bench(tmp_path).ui)}
    reached = by_key | by_word | by_palette
    assert known - reached == {"quit", "show_row", "touch"}, (
        "typed, what enter does, and a click; nothing that nobody can reach"
    )


def test_a_command_of_the_cluster_is_sent_and_what_came_of_it_said(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.commands.submit("kill 2")
    assert bench.ui.answer == (": kill 2", "dim") and bench.ui.mode == Watching()
    bench.host.finish()
    assert bench.ui.answer == (": kill 2  \u2192  did kill 2", "good") and bench.lab.commands == ["kill 2"]


def test_a_line_that_makes_no_sense_stays_open_with_the_reason(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.commands.submit("kill nobody")
    assert isinstance(bench.ui.mode, Typing) and "nobody" in bench.ui.mode.wrong
    assert not bench.host.begun


def test_a_word_of_the_screen_takes_what_follows_it_or_stands_alone(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.commands.submit("help me")
    assert bench.ui.answer == ("help stands alone", "bad")
    bench.commands.submit("seek event 3")
    assert bench.ui.recording.cursor == 3 and "event 3" in bench.said


def test_a_replay_takes_words_and_no_commands(tmp_path: Path) -> None:
    bench = Bench(tmp_path, live=False)
    bench.commands.submit("kill 2")
    assert isinstance(bench.ui.mode, Typing) and "a replay takes no commands, only" in bench.ui.mode.wrong
    bench.commands.run("node", "kill")
    assert bench.said == "a replay takes no commands" and not bench.host.begun


@pytest.mark.parametrize("key", [key for item in TABLE for names, _, _ in item.keys for key in names.split(",")])
def test_a_screen_that_only_watches_sends_nothing_whatever_is_pressed(tmp_path: Path, key: str) -> None:
    bench = Bench(tmp_path)
    bench.session.watches = bench.ui.watches = True
    bench.session.owns_lab = False
    bench.ui.node, bench.ui.marked = 1, 2
    bench.press(key)
    bench.press("enter")
    bench.host.finish()
    assert not bench.lab.commands and not bench.lab.left


def test_a_screen_that_only_watches_says_so_in_one_sentence(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.session.watches = bench.ui.watches = True
    bench.ui.node = 1
    for key in "kKzihwxs":
        bench.ui.answer = Answer()
        bench.press(key)
        assert bench.said == ONLY_WATCHES, key
    bench.commands.submit("kill 2")
    assert isinstance(bench.ui.mode, Typing) and bench.ui.mode.wrong.startswith(f"{ONLY_WATCHES}, only ")
    assert not bench.host.begun and asyncio.run(bench.session.send("kill 2")) == (False, ONLY_WATCHES)


def test_a_screen_that_only_watches_leaves_no_mark_in_the_recording(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.session.watches = bench.ui.watches = True
    bench.commands.submit("mark here")
    assert "only watches" in bench.said
    assert not bench.ui.recording.timeline.own


def test_quit_typed_as_a_word_asks_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.commands.submit("quit")
    assert isinstance(bench.ui.mode, Ending)
    bench.host.finish()
    assert (bench.host.left, bench.lab.left) == (0, True)
