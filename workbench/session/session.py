"""One viewer's session: a recording that grows, a lab that takes commands, a lesson."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from cluster.lab import LEARNER
from cluster.trace.places import Origin
from cluster.trace.reader import Place
from workbench.session.driver import Driver
from workbench.session.follow import Follower
from workbench.session.paced import paced
from workbench.session.recording import Recording
from workbench.support.safe_text import safe_text

NO_COMMANDS = "a replay takes no commands"
ONLY_WATCHES = "this screen only watches: it takes no commands"


class Lab(Protocol):
    """What a session needs of the lab's client."""

    async def send(self, text: str, by: str = LEARNER) -> Any:
        """Carry out one command; the answer has `ok` and `text`."""


class Session:
    """Knows no screen. Live when it has a lab, else a replay."""

    def __init__(self, run_folder: Path, lab: Lab | None, recording: Recording | None = None) -> None:
        self.run_folder = run_folder
        self.lab = lab
        self.owns_lab = True
        """Whether the lab ends with this session."""
        self.watches = False
        """Whether it is only looked at: whatever is asked of the cluster is refused."""
        self.recording = recording or Recording()
        self.follower = Follower(run_folder, self.recording.extend, self._begin_recording)
        self.driver: Driver | None = None
        """What makes the time of a simulated lab pass; None for processes."""

    def load(self) -> int:
        """Read everything that is there at once; returns how many entries."""
        return self.follower.poll(None)

    async def load_beside(self, tell: Callable[[float], None]) -> None:
        """The same beside a screen that goes on; tell hears now and then what share is read.

        TraceError or OSError when a file is damaged.
        """
        await self.follower.read_past(tell=tell)
        self.follower.poll(None)

    def _begin_recording(self) -> Mapping[Origin, Place]:
        """What of each file the recording does not have from an earlier screen."""
        return self.recording.keep_in(self.run_folder)

    async def send(self, command: str, by: str = LEARNER) -> tuple[bool, str]:
        """(whether it was carried out, one safe line)."""
        if self.watches or self.lab is None:
            return False, ONLY_WATCHES if self.watches else NO_COMMANDS
        try:
            answer = await self.lab.send(command, by)
        except (OSError, EOFError, TimeoutError) as error:
            return False, f"the lab does not answer: {safe_text(str(error), 120)}"
        return bool(answer.ok), " ".join(safe_text(answer.text, 400).replace("\u240a", " ").split())

    def attach(self, lab: Lab, run_folder: Path) -> None:
        """The lab answers from now on; its run is followed from its beginning."""
        self.lab = lab
        if self.recording.entries:
            self.recording.reset()
        self.run_folder = run_folder
        if self.driver is not None and (virtual := paced(lab)) is not None:
            self.recording.keep_in(run_folder)
            self.driver.take(virtual)
        else:
            self.follower.follow(run_folder)

    def detach(self) -> None:
        """No run from now on, until another is attached."""
        self.lab, self.run_folder = None, Path()
        self.recording.reset()
        if self.driver is not None:
            self.driver.lab = None
        self.follower.follow(Path())

    @property
    def error(self) -> str:
        """Why nothing more can be shown; empty while all is well."""
        return self.follower.error or (self.driver.error if self.driver is not None else "")

    async def keep_lab(self) -> None:
        """Let the run outlive its owner, until somebody ends it. EOFError or OSError when the lab is gone."""
        stay = getattr(self.lab, "stay", None)
        if stay is None:
            raise EOFError("there is no lab to leave up")
        await stay()
        self.owns_lab = False

    async def end_lab(self) -> None:
        """Ask the lab to end its run in order, and wait until it has."""
        leave = getattr(self.lab, "leave", None)
        if leave is None:
            return
        try:
            await leave(in_order=True)
        except (OSError, EOFError):
            return
        if self.driver is not None:
            self.driver.collect()
