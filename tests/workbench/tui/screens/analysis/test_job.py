"""The pipeline as a process of a screen: whatever the moment in which it is given up, nothing of it stays."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from workbench.tui.screens.analysis.job import Analysis, Analyst

ANSWERS = """#!/bin/sh
while read -r asked; do
  echo '{"run": {"run": "'$$'"}, "tables": {}, "page": "p", "in_progress": false}'
done
"""
SAYS_HOW_IT_ENDS = """#!/bin/sh
trap 'echo sent away > "$0.end"; exit' TERM
read -r asked
echo '{"run": {}, "tables": {}, "page": "p", "in_progress": false}'
read -r asked || echo by itself > "$0.end"
"""
DIES_AFTER_ONE = """#!/bin/sh
read -r asked
echo '{"refused": "'$$' does not like it"}'
"""
ENDS_BEFORE_ITS_CHILD = """#!/bin/sh
sleep 20 &
echo '{"tell": "the child is '$!'", "done": '$$', "total": 9}'
"""


def _in_place_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = tmp_path / "python"
    program.write_text(script)
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))


def test_an_analyst_is_made_where_an_event_loop_has_ended_as_between_two_lessons() -> None:
    asyncio.run(asyncio.sleep(0))
    Analyst()


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def _until(holds: Callable[[], bool]) -> None:
    for _ in range(2000):
        if holds():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come to pass")


@pytest.mark.parametrize("turns", range(8))
async def test_an_analysis_given_up_while_it_starts_leaves_nothing_open(tmp_path: Path, turns: int) -> None:
    working = asyncio.ensure_future(Analyst().analyse(Analysis(tmp_path, tmp_path / "out")))
    for _ in range(turns):
        await asyncio.sleep(0)
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working
    gc.collect()  # what is still open complains now, and complaints are errors


async def test_an_analysis_whose_child_outlives_it_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _in_place_of_python(tmp_path, monkeypatch, ENDS_BEFORE_ITS_CHILD)

    async def story() -> int:
        job = Analysis(tmp_path, tmp_path / "out")
        working = asyncio.ensure_future(Analyst().analyse(job))
        await _until(lambda: job.done > 0 and not _lives(job.done))
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working
        return int(job.told.rpartition(" ")[2])

    child = await story()
    try:
        gc.collect()
        assert _lives(child), "it held the pipe all the time"
    finally:
        os.kill(child, signal.SIGKILL)


async def test_the_process_is_kept_for_the_next_run_and_ends_when_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _in_place_of_python(tmp_path, monkeypatch, ANSWERS)
    analyst, jobs = Analyst(), [Analysis(tmp_path, tmp_path / "out") for _ in range(3)]
    for job in jobs:
        await analyst.analyse(job)
    (process,) = {job.rows.run["run"] for job in jobs if job.rows is not None}
    assert _lives(int(process))
    await analyst.end()
    assert not _lives(int(process))
    gc.collect()


async def test_an_analyst_without_work_ends_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _in_place_of_python(tmp_path, monkeypatch, SAYS_HOW_IT_ENDS)
    analyst = Analyst()
    await analyst.analyse(Analysis(tmp_path, tmp_path / "out"))
    await analyst.end()
    assert (tmp_path / "python.end").read_text() == "by itself\n"


async def test_after_a_refusal_the_next_run_gets_a_new_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _in_place_of_python(tmp_path, monkeypatch, DIES_AFTER_ONE)
    analyst, jobs = Analyst(), [Analysis(tmp_path, tmp_path / "out") for _ in range(2)]
    for job in jobs:
        await analyst.analyse(job)
        assert job.refused.endswith("does not like it")
    assert len({job.refused for job in jobs}) == 2
    gc.collect()
