"""A real terminal in tmux shows a recorded run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.trace.entry import Entry, encode_entry

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/workbench/session"))
import story  # noqa: E402

pytestmark = [pytest.mark.screens, pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")]


def write_run(folder: Path, entries: list[Entry]) -> Path:
    """A run folder with one trace file per writer."""
    (folder / "trace").mkdir(parents=True)
    files: dict[int, bytes] = {}
    for entry in entries:
        files[entry.node] = files.get(entry.node, b"") + encode_entry(entry)
    for node, content in files.items():
        (folder / "trace" / f"{node}-0.trace").write_bytes(content)
    return folder


class Terminal:
    """One tmux server of its own."""

    def __init__(self, socket: Path, run: Path, width: int, height: int) -> None:
        self.base = ["tmux", "-S", str(socket), "-f", "/dev/null"]
        code = (
            f"from pathlib import Path; from workbench.tui.launch import open_replay; open_replay(Path({str(run)!r}))"
        )
        command = f'cd {ROOT} && env -u COLUMNS -u LINES LANG=C.UTF-8 TERM=screen-256color {sys.executable} -c "{code}"'
        self.tmux("-u", "new-session", "-d", "-x", str(width), "-y", str(height), command)

    def tmux(self, *arguments: str) -> str:
        return subprocess.run([*self.base, *arguments], capture_output=True, text=True, check=True).stdout

    def text(self) -> str:
        return self.tmux("capture-pane", "-p")

    def wait_for(self, wanted: str) -> str:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            shown = self.text()
            if wanted in shown:
                return shown
            time.sleep(0.05)
        raise AssertionError(f"{wanted!r} did not appear:\n{self.text()}")

    def close(self) -> None:
        subprocess.run([*self.base, "kill-server"], capture_output=True, check=False)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


@pytest.mark.parametrize(("width", "height"), ((200, 50), (120, 40), (80, 24)))
def test_a_replay_is_shown_and_keys_work(tmp_path: Path, terminals: list[Terminal], width: int, height: int) -> None:
    run = write_run(tmp_path / "run", story.full_story())
    terminals.append(Terminal(tmp_path / "t", run, width, height))
    shown = terminals[0].wait_for("REPLAY")
    assert "[3] Quorum" in shown and "[4] Logs" in shown
    terminals[0].tmux("send-keys", *"[[[[,,")
    terminals[0].wait_for("SPLIT VOTE")
    terminals[0].tmux("send-keys", "?")
    terminals[0].wait_for("power loss")
    terminals[0].tmux("send-keys", "Down", "Down")
    terminals[0].wait_for("fsync lie N")


def test_hostile_text_stays_text(tmp_path: Path, terminals: list[Terminal]) -> None:
    entries = [entry for payload in (*story.HOSTILE[:3], story.HOSTILE[5]) for entry in story.hostile_story(payload)]
    counts: dict[int, int] = {}
    for number, entry in enumerate(entries):
        entry.seq = counts[entry.node] = counts.get(entry.node, -1) + 1
        entry.t_ns = (1000 + number) * 1_000_000
    run = write_run(tmp_path / "run", entries)
    terminals.append(Terminal(tmp_path / "t", run, 200, 50))
    terminals[0].wait_for("REPLAY")
    terminals[0].tmux("send-keys", "6")
    time.sleep(0.3)
    shown = terminals[0].text()
    assert "<U+009B>2J" in shown, shown
    assert "\x1b" not in shown and "\u202e" not in shown
    assert terminals[0].tmux("show-buffer", "-b", "buffer0") == "" if _has_buffer(terminals[0]) else True


def _has_buffer(terminal: Terminal) -> bool:
    return bool(terminal.tmux("list-buffers").strip())
