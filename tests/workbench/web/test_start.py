"""What the tab's Python is given before the program is loaded: folders, a terminal, and no word of theirs before."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.support.places import usable_home
from workbench.web.start import begin


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put back afterwards, whatever was set."""
    for name in ("WORKBENCH_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "TERM", "COLORTERM", "LANG", "TEXTUAL_DRIVER"):
        monkeypatch.setenv(name, "")


def test_all_that_is_kept_lies_below_the_one_folder_that_a_browser_keeps(tmp_path: Path) -> None:
    tab = begin(lambda *_: None, str(tmp_path), 100, 30)
    assert usable_home().is_relative_to(tmp_path)
    assert all(os.environ[name].startswith(str(tmp_path)) for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"))
    assert os.environ["TEXTUAL_DRIVER"] == "workbench.web.driver:TabDriver" and tab.driver.size == (100, 30)


async def test_a_loop_that_names_its_tasks_the_old_way_can(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delattr(asyncio.tasks, "_set_task_name", raising=False)
    begin(lambda *_: None, str(tmp_path), 80, 24)
    name_task = getattr(asyncio.tasks, "_set_task_name")  # noqa: B009  # as the loop of a tab finds it
    monkeypatch.setattr(asyncio.tasks, "_set_task_name", name_task)  # so that it goes again
    task = asyncio.ensure_future(asyncio.sleep(0))
    name_task(task, None)
    name_task(task, "producer")
    assert task.get_name() == "producer"
    await task


def test_nothing_of_the_program_is_loaded_before_the_environment_is_set() -> None:
    code = "import sys, workbench.web.start; print([name for name in sys.modules if name.startswith('textual')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
