"""Keys by other names: what a person may write, and what is refused."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.support.screens.screen_app import made, rows, shows
from workbench import tui
from workbench.cli.config import shown
from workbench.session.lesson.page import FREE_LAB, REPLAY, SIMULATED_LAB
from workbench.tui.app import WorkbenchApp
from workbench.tui.commands.branching import branch_page
from workbench.tui.input.keyboard import Keyboard, KeymapError, key_named, readable
from workbench.tui.input.keys import TABLE, footer_of, keys_of
from workbench.tui.modes import Faults
from workbench.tui.panes.reading import READING
from workbench.tui.settings import Settings


@pytest.mark.parametrize(
    ("typed", "key"),
    [("[", "left_square_bracket"), ("+", "plus"), ("-", "minus"), (" ", "space"), ("K", "K"), ("shift+k", "K"),
     ("ctrl+K", "ctrl+k"), ("F5", "f5"), ("pgup", "pageup"), ("full_stop", "full_stop"), ("ctrl++", "ctrl+plus"),
     ("shift+left", "shift+left"), ("\u043b", "\u043b")],
)  # fmt: skip
def test_a_key_is_a_character_or_a_name(typed: str, key: str) -> None:
    assert key_named(typed) == key and key_named(readable(key)) == key


@pytest.mark.parametrize("typed", ["", "gg", "hyper+k", "ctrl+ctrl+k", "\x1b", "\u202e", "ctrl+", "k+ctrl"])
def test_what_no_keyboard_has_is_refused(typed: str) -> None:
    with pytest.raises(ValueError):
        key_named(typed)


def test_every_key_of_the_table_can_be_written_and_has_one_id() -> None:
    by_id = Keyboard().keys_by_id()
    assert sum(len(item.keys) for item in TABLE) == len(by_id)
    assert Keyboard({name: tuple(keys) for name, keys in by_id.items()}).actions == Keyboard().actions


def test_what_config_shows_is_a_file_that_changes_nothing() -> None:
    text = "\n".join(shown(Settings()))

    def flat(table: dict[str, object], before: str = "") -> dict[str, object]:
        found: dict[str, object] = {}
        for name, value in table.items():
            found |= flat(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: value}
        return found

    told = flat(tomllib.loads(text)["keymap"])
    keymap = {name: tuple(keys) if isinstance(keys, list) else (str(keys),) for name, keys in told.items()}
    assert Keyboard(keymap).actions == Keyboard().actions
    assert Keyboard(keymap).keys_by_id() == Keyboard().keys_by_id()


@pytest.mark.parametrize(
    ("keymap", "told"),
    [
        ({"node.kil": ("x",)}, "no key has the id 'node.kil'; did you mean node.kill?"),
        ({"node.kill": ("gg",)}, "node.kill: no key is called 'gg'; write one character, or a name such as space"),
        ({"node.kill": ("r",)}, "node.kill: 'r' is the key of node.restart; give that one another, or none"),
        ({"node.restart": ("k",)}, "node.restart: 'k' is the key of node.kill; give that one another"),
        ({"node.kill": ("ctrl+c",)}, "node.kill: 'ctrl+c' cannot be given away: it leaves, whatever else does"),
        ({"node.kill": ("ctrl+i",)}, "node.kill: a terminal sends the same for 'ctrl+i' and tab"),
        ({"no\x1b[31m": ("x",)}, "no key has the id 'no\u241b[31m'"),
    ],
)
def test_a_keymap_that_cannot_be_meant_says_what_is_wrong(keymap: dict[str, tuple[str, ...]], told: str) -> None:
    with pytest.raises(KeymapError) as refused:
        Keyboard(keymap)
    assert told in str(refused.value)


def test_keys_that_change_places_are_no_conflict() -> None:
    keyboard = Keyboard({"node.kill": ("r",), "node.restart": ("k",)})
    assert keyboard.actions["r"] == ("node", ("kill",)) and keyboard.actions["k"] == ("node", ("restart",))


def test_b_is_an_answer_wherever_back_lies() -> None:
    keyboard = Keyboard({"lesson.back": ("backspace",)})
    assert keyboard.actions["b"] == ("answer", ("b",)) and not keyboard.is_on("lesson.back", "b")
    assert keyboard.actions["backspace"] == ("lesson_step", (-1,))


async def test_footer_help_and_the_screen_go_by_the_keys_that_were_chosen(tmp_path: Path) -> None:
    base, lab = made(tmp_path, live=True)
    settings = Settings(keymap={"node.kill": ("ctrl+k", "\u043b"), "scrub.mark.previous": ("{",), "node.stop": ("",)})
    app = WorkbenchApp(base.session, base.ui, settings=settings)
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("down", "k", "S", "ctrl+k", "\u043b")
        await pilot.pause()
        assert lab.commands == ["kill 1", "kill 1"]
        assert "ctrl+k kill" in rows(app).splitlines()[-1]
        await pilot.press("question_mark")
        assert "{ ]" in rows(app)
        await pilot.press("pagedown")
        assert "let it leave in order" in rows(app)


async def test_the_table_of_faults_goes_by_the_chosen_keys_too(tmp_path: Path) -> None:
    base, lab = made(tmp_path, live=True)
    settings = Settings(keymap={"node.kill": ("ctrl+k",), "fault.undo": ("U",)})
    app = WorkbenchApp(base.session, base.ui, settings=settings)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("F", "k", "u", "ctrl+k", "U", "h")
        await pilot.pause()
        assert lab.commands == ["kill 1", "undo", "heal"] and app.ui.overlay == Faults()
        assert "ctrl+k r z node  U undo  h heal" in rows(app)


def test_a_text_names_the_key_that_an_id_has_now_and_keeps_other_braces() -> None:
    text = "{node.kill} kills, {left} turns, {close} closes, {quit} leaves, {fault.undo} and {nonsense} stay"
    assert Keyboard().said(text) == "k kills, \u2190 turns, esc closes, q leaves, u and {nonsense} stay"
    keyboard = Keyboard({"node.kill": ("f5", "k"), "quit": ("Q",), "fault.undo": ()})
    assert keyboard.said(text) == "f5 kills, \u2190 turns, esc closes, Q leaves, (no key) and {nonsense} stay"


def test_every_id_that_a_text_of_the_screen_names_exists() -> None:
    pages = FREE_LAB, REPLAY, SIMULATED_LAB, branch_page("run", 1.0)
    texts = [page.prose for page in pages if page.names_keys] + [text for _, text in READING.values()]
    for path in sorted(Path(tui.__file__).parent.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] == "said":
                texts += [str(part.value) for part in ast.walk(call) if isinstance(part, ast.Constant)]
    assert len(texts) > 40 and "{node.kill}" in "".join(texts)
    assert not [text for text in texts if re.search(r"\{|no key\)", Keyboard().said(text))]


async def test_the_screen_names_the_keys_that_the_user_gave(tmp_path: Path) -> None:
    usual, lab = made(tmp_path, live=True)
    settings = Settings(keymap={"log.next": ("f6",), "quit": ("Q",), "node.kill": ("f5",), "net.mark": ("f7",)})
    app = WorkbenchApp(usual.session, usual.ui, settings=settings)
    async with app.run_test(size=(200, 50)) as pilot:
        seen = await shows(pilot, app, "2 of 2, f6 next", "f5 kills it")
        assert "k kills" not in seen
        await pilot.press("x")
        await shows(pilot, app, "f7 marks one node")
        await pilot.press("Q")
        await shows(pilot, app, "Q again ends the cluster")
        assert not lab.left
        await pilot.press("Q")
        await pilot.pause()
    assert lab.left


def test_what_lost_all_its_keys_is_not_in_the_footer_and_has_none_in_the_help() -> None:
    table = Keyboard({"node.kill": (), "enter": ()}).table
    assert "kill" not in [item.short for item in footer_of("lab", table=table)]
    assert [item.text for item in keys_of("lab", table=table) if item.long.startswith("kill ")] == ["no key"]
    assert "kill" in [item.short for item in footer_of("lab", table=Keyboard({"node.kill": ("f5",)}).table)]
