"""Lessons in virtual time beside a screen: a script waits on the same clock that the screen shows."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cluster.scenario.main import read_script
from cluster.scenario.runner import ScriptRunner, StepReport
from workbench.course.library import LESSONS, lesson_names
from workbench.session.branch import paced_launcher
from workbench.session.driver import Driver
from workbench.session.pace import Pace
from workbench.session.paced_lab import PacedLab
from workbench.session.session import Session


@pytest.mark.first(name=lesson_names()[:1])
@pytest.mark.parametrize("name", lesson_names())
async def test_every_lesson_holds_at_the_pace_of_a_screen(tmp_path: Path, name: str) -> None:
    pace = Pace()
    pace.set("max")
    session = Session(Path(), None)
    session.driver = Driver(session.recording, pace)
    script = read_script(LESSONS / name / "scenario.txt")
    launch = paced_launcher(tmp_path, 3, pace, script)
    told: list[StepReport] = []

    async def start(*asked: object) -> PacedLab:
        lab = await launch(*asked)  # type: ignore[arg-type]
        assert isinstance(lab, PacedLab)
        session.attach(lab, lab.run_folder)
        return lab

    async def play() -> bool:
        assert session.driver is not None
        driving = asyncio.ensure_future(session.driver.run())
        runner = ScriptRunner(script, start, told.append, title=name)
        try:
            return await runner.run()
        finally:
            driving.cancel()
            assert not session.driver.error

    assert await play(), [step for step in told if not step.held]
