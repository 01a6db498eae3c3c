"""config.toml: what it may say, and the one sentence that each mistake in it gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.cli.config import config
from workbench.support.refusal import Refusal
from workbench.tui.settings import read_settings


@pytest.fixture(autouse=True)
def nothing_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("CONFIG", "MOUSE", "PLAIN", "GLYPHS", "THEME"):
        monkeypatch.delenv(f"WORKBENCH_{name}", raising=False)


def named(path: Path, monkeypatch: pytest.MonkeyPatch, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.setenv("WORKBENCH_CONFIG", str(path))
    return path


def test_without_a_file_all_is_as_usual() -> None:
    found = read_settings()
    assert (found.theme, found.mouse, found.plain, found.glyphs, found.keymap) == ("", True, False, "auto", {})


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = named(tmp_path / "c.toml", monkeypatch, 'theme = "light"\nmouse = false\nplain = true\n')
    monkeypatch.setenv("WORKBENCH_PLAIN", "off")
    monkeypatch.setenv("WORKBENCH_THEME", "contrast")
    found = read_settings()
    assert (found.theme, found.mouse, found.plain) == ("contrast", False, False)
    assert found.sources == {"theme": "WORKBENCH_THEME", "mouse": str(path), "plain": "WORKBENCH_PLAIN"}


def test_the_load_of_a_free_lab_is_words_of_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_settings().load == "2"
    named(tmp_path / "c.toml", monkeypatch, 'load = "20 acks=1"\n')
    assert read_settings().load == "20 acks=1"
    monkeypatch.setenv("WORKBENCH_LOAD", "off")
    assert read_settings().load == "off"


def test_an_id_needs_no_quotes_and_may_have_several_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named(tmp_path / "c.toml", monkeypatch, '[keymap]\nnode.kill = ["ctrl+k", "K"]\n"node.powerloss" = ""\n')
    assert read_settings().keymap == {"node.kill": ("ctrl+k", "K"), "node.powerloss": ("",)}


WRONG = [
    ('theme = "light\n', 4, ":1:15: Illegal character '\\n'; the line: theme = \"light"),
    ('theme = "dark"\n\ntheme = "light"\n', 4, ":3:16: Cannot overwrite a value; it is there already in line 1"),
    ('[keymap]\nhelp = "f2"\n[keymap]\n', 4, ":3:8: Cannot declare ('keymap',) twice; it is there already in line 1"),
    ("glyphs = " + "[" * 100_000, 4, "nested too deeply"),
    ("mouse = " + "9" * 5000 + "\n", 4, "Exceeds the limit"),
    (b"\xff\xfet\x00", 4, "must be UTF-8; byte 0 is not"),
    (b"theme = 'l\xe9'", 4, "must be UTF-8; byte 10 is not"),
    (b"\xef\xbb\xbfmouse = true", 4, "begins with a byte order mark"),
    ("#" * (1 << 20) + "\n", 4, "larger than 1048576 bytes, not read"),
]


@pytest.mark.parametrize(("content", "code", "told"), WRONG, ids=[row[2][:30] for row in WRONG])
def test_a_wrong_file_gets_one_sentence_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | bytes, code: int, told: str
) -> None:
    path = named(tmp_path / "c\x1b.toml", monkeypatch, content)
    with pytest.raises(Refusal) as refused:
        read_settings()
    message = str(refused.value)
    assert refused.value.code == code and told in message, message
    assert message.startswith(str(path).replace("\x1b", "\u241b")) and message.isprintable() and len(message) < 600


def test_the_path_is_told_even_of_a_wrong_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = named(tmp_path / "c.toml", monkeypatch, "mouse = 3\n")
    assert config("path") == 0 and capsys.readouterr().out == f"{path}\n"
    with pytest.raises(Refusal, match="needs true or false"):
        config("show")
    path.write_text('[keymap]\nnode.kill = "ctrl+k"\n')
    assert config("show") == 0 and 'node.kill = "ctrl+k"' in capsys.readouterr().out


def test_a_file_that_was_named_has_to_be_there_and_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = "not an ordinary file but a folder"
    for path, told, code in ((tmp_path / "no.toml", "there is no such file", 3), (tmp_path, folder, 4)):
        monkeypatch.setenv("WORKBENCH_CONFIG", str(path))
        with pytest.raises(Refusal, match=told) as refused:
            read_settings()
        assert refused.value.code == code


@pytest.mark.parametrize(
    ("name", "value"), [("MOUSE", "maybe\x1b"), ("PLAIN", "2"), ("GLYPHS", "unicode"), ("LOAD", "x\x1b")]
)
def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"WORKBENCH_{name}", value)
    with pytest.raises(Refusal, match=f"WORKBENCH_{name}: needs") as refused:
        read_settings()
    assert refused.value.code == 2 and "\x1b" not in str(refused.value)


def test_motion_is_taken_away_for_those_whom_it_disturbs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_settings().motion
    monkeypatch.setenv("WORKBENCH_MOTION", "off")
    assert not read_settings().motion


MISTAKES = [
    ("mouse = true\nteme = 1\n", ":2: unknown key 'teme'; did you mean theme?"),
    ('theme = "pink\\u001b"\n', ":1: theme: needs dark, light, contrast, terminal, not 'pink\u241b'"),
    ("mouse = 1\n", ":1: mouse: needs true or false, not 1"),
    ("plain = nan\n", ":1: plain: needs true or false, not nan"),
    ("load = 2\n", ":1: load: needs off, or records a second such as 2 or '20 acks=1', not 2"),
    ("keymap = 3\n", ":1: keymap: needs a table"),
    ('[keymap]\nhelp = "f2"\nnode.kil = "x"\n', ":3: no key has the id 'node.kil'; did you mean node.kill?"),
    ('[keymap]\n"node.kill" = "gg"\n', ":2: node.kill: no key is called 'gg'"),
    ('[keymap.node]\nkill = "r"\n', ":2: node.kill: 'r' is the key of node.restart"),
    ("[keymap]\nnode.kill = true\n", ":2: node.kill: needs a key or several, as text, not true"),
]


@pytest.mark.parametrize(("content", "told"), MISTAKES, ids=[row[1][:30] for row in MISTAKES])
def test_a_wrong_setting_is_named_with_its_place_and_the_rest_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, told: str
) -> None:
    path = named(tmp_path / "c\x1b.toml", monkeypatch, f"tour = false\n{content}")
    settings = read_settings()
    assert not settings.tour and len(settings.refused) == 1
    message = settings.refused[0]
    place, _, what = told.rpartition(": ") if told.startswith(":") else ("", "", told)
    assert what in message and message.isprintable() and len(message) < 600, message
    assert message.startswith(str(path).replace("\x1b", "\u241b"))
    if place:
        line = int(told.split(":")[1]) + 1
        assert f".toml:{line}: " in message
    with pytest.raises(Refusal, match="unknown|needs|no key|is the key"):
        config("show")


def test_of_several_keys_only_those_that_cannot_be_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = '[keymap]\nnode.kill = "r"\nnode.restart = "k"\nno.such = "x"\nhelp = "gg"\n"node.pause" = "f5"\n'
    named(tmp_path / "c.toml", monkeypatch, content)
    settings = read_settings()
    assert settings.keymap == {"node.kill": ("r",), "node.restart": ("k",), "node.pause": ("f5",)}
    assert len(settings.refused) == 2
