"""Two real terminals: one in tmux, whose screen can be read, and a bare pty, whose bytes can be."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).parents[3]
WAIT_SECONDS = 60.0
CONTROL = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
"""Makes the pty the child's own terminal."""
SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\]22;default\x07")
"""A control sequence, or the mouse pointer's shape: the only escapes that Textual's driver sends."""


class Tmux:
    """One tmux server of its own with one window, in which a line of Python runs."""

    def __init__(self, folder: Path, code: str, width: int, height: int, environment: Mapping[str, str] | None = None):
        self._base = ["tmux", "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self._pipe = folder / "pipe"
        os.mkfifo(self._pipe)
        self._output = os.open(self._pipe, os.O_RDWR | os.O_NONBLOCK)
        self._raw = b""
        given = {"LANG": "C.UTF-8", "TERM": "screen-256color", "PYTHONPATH": str(ROOT)}
        given |= {"WORKBENCH_LOAD": "off", "WORKBENCH_DIRECT": "off", "WORKBENCH_TOUR": "off", **(environment or {})}
        words = " ".join(f"{name}={value}" for name, value in given.items())
        command = f"cd {ROOT} && env -u COLUMNS -u LINES {words} {sys.executable} -c {quoted(code)}; echo EXIT $?; cat"
        self.tmux("-u", "new-session", "-d", "-x", str(width), "-y", str(height), command)
        self.tmux("pipe-pane", "-O", f"cat > {self._pipe}")

    def tmux(self, *arguments: str) -> str:
        return subprocess.run([*self._base, *arguments], capture_output=True, text=True, check=True).stdout

    def keys(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def resize(self, width: int, height: int) -> None:
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def text(self) -> str:
        return self.tmux("capture-pane", "-p")

    def wait_for(self, *wanted: str) -> str:
        """The screen once it holds all of them; looks again whenever the terminal got output."""
        deadline = monotonic() + WAIT_SECONDS
        while True:
            shown = self.text()
            if all(item in shown for item in wanted):
                return shown
            if monotonic() > deadline:
                raise AssertionError(f"{wanted} did not appear:\n{shown}")
            self._read()

    def frames(self, seconds: float = WAIT_SECONDS) -> Iterator[tuple[float, str]]:
        """(when, the screen) whenever the terminal got output."""
        deadline = monotonic() + seconds
        while monotonic() < deadline:
            yield monotonic(), self.text()
            self._read()

    def wait_for_output(self, *wanted: str) -> None:
        """All of them were written, however shortly they stood on the screen."""
        deadline = monotonic() + WAIT_SECONDS
        while not all(item in (written := SEQUENCE.sub("", self._raw.decode("utf-8", "replace"))) for item in wanted):
            assert monotonic() < deadline, f"{wanted} were not written:\n{written[-4000:]!r}"
            self._read()

    def _read(self) -> None:
        """Wait a moment for output."""
        if select.select([self._output], [], [], 0.5)[0]:
            self._raw += os.read(self._output, 1 << 16)

    def close(self) -> None:
        subprocess.run([*self._base, "kill-server"], capture_output=True, check=False)
        os.close(self._output)


def quoted(code: str) -> str:
    return "'" + code.replace("'", "'\\''") + "'"


class Bare:
    """A pty of given size with one Python child; everything it writes is kept."""

    def __init__(
        self, code: str, width: int, height: int, environment: Mapping[str, str] | None = None, *, control: bool = True
    ) -> None:
        """control: the pty is the child's own terminal, so that closing it sends SIGHUP."""
        self.raw = b""
        given = {**os.environ, "LANG": "C.UTF-8", "TERM": "xterm-256color", "COLORTERM": "", "PYTHONPATH": str(ROOT)}
        given |= {"WORKBENCH_LOAD": "off", "WORKBENCH_DIRECT": "off", "WORKBENCH_TOUR": "off", **(environment or {})}
        for name in ("COLUMNS", "LINES"):
            given.pop(name, None)
        self._master, terminal = pty.openpty()
        self._before = termios.tcgetattr(self._master)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        program = [sys.executable, "-c", (CONTROL if control else "") + code]
        self._child = subprocess.Popen(
            program, stdin=terminal, stdout=terminal, stderr=terminal, env=given, cwd=ROOT, start_new_session=True
        )
        os.close(terminal)

    def send(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def read(self, seconds: float) -> bool:
        """Take what comes within the time; False when nothing came or the child is gone."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            fresh = os.read(self._master, 1 << 16)
        except OSError:
            return False
        self.raw += fresh
        return bool(fresh)

    def wait_for(self, *wanted: str, since: int = 0) -> str:
        deadline = monotonic() + WAIT_SECONDS
        while not all(item in self.plain(since) for item in wanted):
            if monotonic() > deadline:
                raise AssertionError(f"{wanted} did not appear:\n{self.plain(since)[-4000:]!r}")
            self.read(0.5)
        return self.plain(since)

    def plain(self, since: int = 0) -> str:
        """What was written from byte `since` on, without control sequences."""
        return SEQUENCE.sub("", self.raw[since:].decode("utf-8", "replace"))

    def kill(self, number: signal.Signals) -> None:
        os.kill(self._child.pid, number)

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def unread_bytes(self) -> int:
        """What the child has written and nobody has read."""
        return int.from_bytes(fcntl.ioctl(self._master, termios.FIONREAD, bytes(4)), sys.byteorder)

    def ended(self) -> int:
        """The child's exit code, once it ends though nobody reads what it writes."""
        return self._child.wait(WAIT_SECONDS)

    def hang_up(self) -> int:
        """Close the window, as a terminal program does; the child's exit code."""
        os.close(self._master)
        self._master = -1
        return self._child.wait(WAIT_SECONDS)

    def is_restored(self) -> bool:
        """Whether echo and line mode are as before, the cursor is shown and the normal screen is back."""
        tail = self.raw[self.raw.rfind(b"\x1b[?1049l") :]
        shown = self.raw.rfind(b"\x1b[?25h") >= self.raw.rfind(b"\x1b[?25l")
        return termios.tcgetattr(self._master)[3] == self._before[3] and shown and b"\x1b[?1049h" not in tail

    def give_up(self) -> None:
        """Kill what still runs, close what is still open."""
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait(WAIT_SECONDS)
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def end(self) -> int:
        """Read until the child has ended; its exit code. The terminal stays open."""
        deadline = monotonic() + WAIT_SECONDS
        while self._child.poll() is None and monotonic() < deadline:
            self.read(0.1)
        while self.read(0):
            pass
        return self._child.wait(0)

    def close(self) -> int:
        """Read the rest, wait for the end; its exit code."""
        deadline = monotonic() + WAIT_SECONDS
        while self._child.poll() is None and monotonic() < deadline:
            self.read(0.1)
        if self._child.poll() is None:
            os.killpg(self._child.pid, signal.SIGKILL)
        while self.read(0):
            pass
        os.close(self._master)
        return self._child.wait()
