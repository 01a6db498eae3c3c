"""A simulated lab that is watched: drive it by hand, without a screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from cluster.cluster_spec import ClusterSpec
from cluster.lab import Answer
from workbench.session.branch import begin_run
from workbench.session.driver import Driver
from workbench.session.pace import Pace
from workbench.session.paced_lab import PacedLab
from workbench.session.session import Session

TOPIC = "topic orders replicas=3 min-isr=2"


class Watched:
    """A session over one simulated lab, as fast as it goes unless told otherwise."""

    def __init__(self, home: Path, seed: int = 7) -> None:
        self.pace = Pace()
        self.pace.set("max")
        self.home = home
        self.session = Session(Path(), None)
        self.driver = self.session.driver = Driver(self.session.recording, self.pace)
        self.lab = begin_run(home, ClusterSpec(seed=seed), self.pace)
        self.session.attach(self.lab, self.lab.run_folder)

    def attach(self, lab: PacedLab) -> None:
        self.lab = lab
        self.session.attach(lab, lab.run_folder)

    async def send(self, text: str) -> Answer:
        """The answer, with as many turns of the driver as it takes."""
        sending = asyncio.ensure_future(self.lab.send(text))
        for _ in range(100_000):
            await asyncio.sleep(0)
            if sending.done():
                break
            self.turn()
        assert sending.done(), "never answered"
        return await sending

    def turn(self) -> None:
        self.driver.turn(self.lab)
        assert not self.driver.error

    def until(self, is_so: Callable[[], bool]) -> None:
        """Turns until it is so."""
        for _ in range(100_000):
            if is_so():
                return
            self.turn()
        raise AssertionError("never so")

    def seconds(self, seconds: float) -> None:
        """So much virtual time."""
        end_s = self.lab.now_s() + seconds
        self.until(lambda: self.lab.now_s() >= end_s)


def played(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(story())
