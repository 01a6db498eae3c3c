"""One viewer's session: a recording that grows, a lab that takes commands, a lesson."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from workbench.session.follow import Follower
from workbench.session.recording import Recording
from workbench.session.safe_text import safe_text


class Lab(Protocol):
    """What a session needs of the lab's client."""

    async def send(self, text: str) -> Any:
        """Carry out one command; the answer has `ok` and `text`."""


class Session:
    """Knows no screen. Live when it has a lab, else a replay."""

    def __init__(self, run_folder: Path, lab: Lab | None) -> None:
        self.run_folder = run_folder
        self.lab = lab
        self.owns_lab = True
        """Whether the lab ends with this session."""
        self.recording = Recording()
        self.follower = Follower(run_folder, self.recording.extend)

    def load(self) -> int:
        """Read everything that is there at once; returns how many entries."""
        return self.follower.poll(None)

    async def send(self, command: str) -> tuple[bool, str]:
        """(whether it was carried out, one safe line)."""
        if self.lab is None:
            return False, "a replay takes no commands"
        try:
            answer = await self.lab.send(command)
        except (OSError, EOFError, TimeoutError) as error:
            return False, f"the lab does not answer: {safe_text(str(error), 120)}"
        return bool(answer.ok), " ".join(safe_text(answer.text, 400).replace("\u240a", " ").split())

    def attach(self, lab: Lab, run_folder: Path) -> None:
        """The lab answers from now on; its run is followed from its beginning."""
        self.lab = lab
        if self.recording.entries:
            self.recording.reset()
        self.run_folder = run_folder
        self.follower.follow(run_folder)

    async def end_lab(self) -> None:
        """Ask the lab to end its run in order, and wait until it has."""
        leave = getattr(self.lab, "leave", None)
        if leave is None:
            return
        try:
            await leave(in_order=True)
        except (OSError, EOFError):
            return
