"""A real terminal shows a recorded run, at every size and with every kind of text in it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support.screens.hostile import PAYLOADS
from tests.support.screens.terminals import SEQUENCE, Bare, Tmux
from tests.support.traces import story
from tests.support.worlds.small_lesson import write_lesson
from workbench.support.safe_text import safe_text

pytestmark = [pytest.mark.screens, pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")]


def replay_code(run: Path) -> str:
    return f"from pathlib import Path; from workbench.tui.launch import open_replay; open_replay(Path({str(run)!r}))"


def hostile_run(folder: Path) -> Path:
    """Every payload in every field that comes from outside."""
    payloads = [item for item in PAYLOADS if item.isascii() or item.encode("utf-8", "replace").decode() == item]
    entries = [entry for payload in payloads for entry in story.hostile_story(payload)]
    counts: dict[int, int] = {}
    for number, entry in enumerate(entries):
        entry.seq = counts[entry.node] = counts.get(entry.node, -1) + 1
        entry.t_ns = (1000 + number) * 1_000_000
        entry.cause = None
    return story.write_run(folder, entries)


@pytest.mark.first(width=[80])
@pytest.mark.parametrize(("width", "height"), ((200, 50), (120, 40), (80, 24)))
def test_a_replay_is_shown_and_keys_work(tmp_path: Path, opened: list[Tmux], width: int, height: int) -> None:
    opened.append(Tmux(tmp_path, replay_code(story.write_run(tmp_path / "run", story.full_story())), width, height))
    terminal = opened[0]
    terminal.wait_for("REPLAY", "3 Close-up", "6 Story")
    terminal.keys("End", *"[[[[,,")
    terminal.wait_for("SPLIT VOTE")
    terminal.keys("?")
    terminal.wait_for("one event on or back")
    terminal.keys("?", "k")
    terminal.wait_for("a replay takes no commands")
    terminal.keys("q")
    terminal.wait_for("EXIT 0")


def test_a_replay_opens_at_the_moment_that_was_asked_for(tmp_path: Path, opened: list[Tmux]) -> None:
    run = story.write_run(tmp_path / "run", story.full_story())
    code = replay_code(run).replace("))", "), '0.5')")
    opened.append(Tmux(tmp_path, code, 120, 40))
    opened[0].wait_for("REPLAY", " s, event ")


def console_code(*words: str) -> str:
    return f"import sys; sys.argv = ['workbench', *{words!r}]; from workbench.cli.start import main; main()"


def test_before_the_first_picture_a_word_stands_there_and_typed_keys_are_not_echoed(tmp_path: Path) -> None:
    run = story.write_run(tmp_path / "run", story.full_story())
    terminal = Bare(console_code("replay", str(run)), 120, 40)
    terminal.wait_for("starting ...")
    assert "1049h" not in terminal.raw.decode(), "said before anything is loaded"
    terminal.send("\x1b[B\x1b[A")
    terminal.wait_for("REPLAY")
    assert "^[[" not in terminal.raw.decode() and b"starting ...\r\x1b[K" in terminal.raw
    terminal.send("q")
    assert (terminal.end(), terminal.is_restored()) == (0, True)
    terminal.close()


@pytest.mark.parametrize("words", [("replay", "no-such-run"), ("replay", "x", "--plain"), ("ps",)])
def test_where_no_screen_comes_the_terminal_is_as_it_was(tmp_path: Path, words: tuple[str, ...]) -> None:
    terminal = Bare(console_code(*words), 120, 40, {"WORKBENCH_HOME": str(tmp_path)})
    terminal.end()
    assert terminal.is_restored() and ("starting" in terminal.plain()) == (words == ("replay", "no-such-run"))
    terminal.close()


def test_a_mouse_is_heard_and_an_event_that_is_clicked_tells_why(tmp_path: Path) -> None:
    """As a terminal tells it: SGR 1006, columns and rows from 1."""
    terminal = Bare(replay_code(story.write_run(tmp_path / "run", story.full_story())), 120, 40)
    try:
        terminal.wait_for("REPLAY", "6 Story")
        before = len(terminal.raw)
        terminal.send("\x1b[<0;10;22M\x1b[<0;10;22m")
        terminal.wait_for("Why", since=before)
        before = len(terminal.raw)
        terminal.send("\x1b[<0;2;2M\x1b[<0;2;2m")
        terminal.wait_for("6 Story", since=before)
        terminal.send("q")
    finally:
        assert terminal.close() == 0


def test_who_wants_no_mouse_and_other_keys_gets_them(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('mouse = false\n[keymap]\nhelp = "ctrl+g"\nquit = "ctrl+x"\n')
    run = story.write_run(tmp_path / "run", story.full_story())
    terminal = Bare(replay_code(run), 120, 40, {"WORKBENCH_CONFIG": str(config)})
    try:
        terminal.wait_for("REPLAY", "ctrl+g", "ctrl+x")
        terminal.send("q\x07")
        terminal.wait_for("one event on or back")
        terminal.send("\x18")
    finally:
        assert terminal.close() == 0
    assert b"\x1b[?1000h" not in terminal.raw and b"\x1b[?1006h" not in terminal.raw


def test_a_terminal_too_small_says_so_and_is_drawn_again_when_it_grows(tmp_path: Path, opened: list[Tmux]) -> None:
    opened.append(Tmux(tmp_path, replay_code(story.write_run(tmp_path / "run", story.full_story())), 40, 10))
    terminal = opened[0]
    terminal.wait_for("enlarge to 80 x 24", "this is 40 x 10")
    terminal.resize(100, 30)
    terminal.wait_for("3 Close-up", "5 Timeline")
    terminal.resize(2, 2)
    terminal.resize(80, 24)
    terminal.wait_for("3 Close-up", "6 Story")


@pytest.mark.first
def test_without_unicode_and_colour_only_ascii_is_written(tmp_path: Path) -> None:
    run = story.write_run(tmp_path / "run", story.full_story())
    terminal = Bare(replay_code(run), 120, 40, {"LANG": "C", "LC_ALL": "C", "NO_COLOR": "1"})
    terminal.wait_for("REPLAY", "3 Close-up")
    terminal.send("q")
    assert terminal.close() == 0
    assert terminal.plain().isascii()


def test_no_color_writes_no_colour(tmp_path: Path) -> None:
    run = story.write_run(tmp_path / "run", story.full_story())
    terminal = Bare(replay_code(run), 120, 40, {"NO_COLOR": "1"})
    terminal.wait_for("REPLAY", "3 Close-up")
    terminal.send("q")
    terminal.close()
    colours = {
        code
        for found in re.findall(r"\x1b\[([0-9;]*)m", terminal.raw.decode("utf-8", "replace"))
        for code in found.split(";")
        if code.isdigit() and 30 <= int(code) <= 107 and int(code) not in (39, 49)
    }
    assert colours == set()


def test_a_dumb_terminal_gets_lines_without_any_escape(tmp_path: Path) -> None:
    terminal = Bare(replay_code(hostile_run(tmp_path / "run")), 80, 24, {"TERM": "dumb"})
    assert terminal.close() == 0
    text = terminal.raw.decode("ascii")
    assert "The nodes start." in text and "\x1b" not in text and re.sub(r"[\r\n]", "", text).isprintable()


def check_bytes(terminal: Bare, allowed: set[str]) -> None:
    """Only control sequences of kinds that a run with plain text needs as well, and nothing else a terminal obeys."""
    text = terminal.raw.decode("utf-8")
    kinds = {found[2:3] + found[-1] if found[2:3] in "?<=>" else found[-1] for found in SEQUENCE.findall(text)}
    assert kinds <= allowed, kinds - allowed
    rest = re.sub(r"[\r\n]", "", SEQUENCE.sub("", text))
    bad = {char for char in rest if not char.isprintable()}
    assert not bad, bad
    assert "\x1b[31m" not in text and "\x1b[6n" not in text


def play_through(terminal: Bare) -> None:
    """Every pane alone, every filter, the why overlay, other logs, marks."""
    terminal.wait_for("REPLAY")
    for keys, wanted in (("6", "Story"), ("f", "details"), ("\t", "Story"), ("\x1b[B", "Story"), ("\r", "Why")):
        at = len(terminal.raw)
        terminal.send(keys)
        terminal.wait_for(wanted, since=at if wanted in ("Why", "details") else 0)
    terminal.send("\x1b")
    terminal.read(1.0)
    for pane in "6544332211":
        terminal.send(pane)
        terminal.read(1.0)
        for key in "tt[[":
            terminal.send(key)
            terminal.read(0.2)
    at = len(terminal.raw)
    terminal.send("?")
    terminal.wait_for("one event on or back", since=at)
    terminal.send("q")


@pytest.mark.first(size=[(80, 24)])
@pytest.mark.parametrize("size", ((200, 50), (80, 24)))
def test_hostile_text_never_reaches_the_terminal_raw(tmp_path: Path, size: tuple[int, int]) -> None:
    plain = Bare(replay_code(story.write_run(tmp_path / "plain", story.full_story())), *size)
    play_through(plain)
    plain.close()
    text = plain.raw.decode("utf-8")
    allowed = {found[2:3] + found[-1] if found[2:3] in "?<=>" else found[-1] for found in SEQUENCE.findall(text)}
    hostile = Bare(replay_code(hostile_run(tmp_path / "hostile")), *size)
    play_through(hostile)
    hostile.close()
    check_bytes(hostile, allowed)
    shown = hostile.plain()
    assert "\u241b" in shown or "<U+" in shown, "the visible form is there"


@pytest.mark.parametrize("payload", ("\u202eevil", "[@click=app.quit]x[/]", "\u061cmark"))
def test_a_hostile_lesson_is_only_text(tmp_path: Path, opened: list[Tmux], payload: str) -> None:
    write_lesson(tmp_path, title=payload, prose=payload)
    code = (
        "from pathlib import Path; from workbench.course.reading.lesson_folder import read_folder; "
        "from workbench.tui.launch import open_lesson; "
        f"home = Path({str(tmp_path)!r}); open_lesson(read_folder(home / '01_small'), home / 'home')"
    )
    opened.append(Tmux(tmp_path, code, 120, 40))
    shown = opened[0].wait_for("step 1/3", safe_text(payload))
    assert "\u202e" not in shown and "\u061c" not in shown


def test_without_colour_a_resize_is_survived(tmp_path: Path, opened: list[Tmux]) -> None:
    run = story.write_run(tmp_path / "run", story.full_story())
    opened.append(Tmux(tmp_path, replay_code(run), 120, 40, {"NO_COLOR": "1"}))
    terminal = opened[0]
    terminal.wait_for("REPLAY", "3 Close-up")
    for width, height in ((40, 10), (1, 1), (200, 50), (80, 24)):
        terminal.resize(width, height)
    terminal.wait_for("3 Close-up", "6 Story")
    terminal.resize(120, 40)
    terminal.wait_for("5 Timeline")
