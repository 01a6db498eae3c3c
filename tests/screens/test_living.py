"""The screen on living clusters: a lesson is played, the free lab is quit, a run that is up is left up."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cluster.runtime.run.folder import is_alive, read_facts
from tests.support.screens.terminals import ROOT, Tmux
from tests.support.worlds.small_lesson import letter_of, write_lesson
from workbench.course.progress import answers_of, finished_lessons, record_seed

pytestmark = [
    pytest.mark.screens,
    pytest.mark.processes,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux"),
]


def only_run(home: Path) -> Path:
    (folder,) = (home / "runs").iterdir()
    return folder


def test_a_lesson_kills_the_active_controller_and_asks_who_leads(tmp_path: Path, opened: list[Tmux]) -> None:
    lesson, home = write_lesson(tmp_path), tmp_path / "home"
    record_seed(0, home)
    code = (
        "from pathlib import Path; from workbench.course.reading.lesson_folder import read_folder; "
        "from workbench.tui.launch import open_lesson; "
        f"home = Path({str(home)!r}); open_lesson(read_folder(home.parent / '01_small'), home, progress_folder=home)"
    )
    opened.append(Tmux(tmp_path, code, 200, 50))
    terminal = opened[0]
    terminal.wait_for("step 1/3", "enter: do it", "is not there yet")
    terminal.keys("Enter")
    terminal.wait_for("enter: next step", "LEADER", " e1", "4 of 4 nodes up")
    terminal.keys("n")
    terminal.wait_for("choose: a b c", "Who leads afterwards?")
    terminal.keys(letter_of(lesson, "nobody"), "Enter")
    terminal.wait_for(f"In this run {letter_of(lesson)} is right.", "A dead node hears no vote request.", "KILLED")
    assert answers_of(only_run(home))["who"] == {"answer": "nobody", "right_answer": "right"}
    assert finished_lessons(home) == ("01_small",)
    terminal.keys("q")
    terminal.wait_for("the run is recorded", "EXIT 0")
    assert read_facts(only_run(home)).state == "ended" and not is_alive(only_run(home))


@pytest.mark.first
def test_the_free_lab_shows_its_start_takes_commands_and_ends_with_the_screen(
    tmp_path: Path, opened: list[Tmux]
) -> None:
    home = tmp_path / "home"
    code = (
        "from workbench.runs.wanted import Wanted; from workbench.tui.launch import open_free_lab; "
        f"home = {str(home)!r}; import os; os.makedirs(home); open_free_lab(Wanted(data_dir=home))"
    )
    opened.append(Tmux(tmp_path, code, 200, 50))
    terminal = opened[0]
    terminal.wait_for_output("starting the cluster", "ready")
    terminal.wait_for("LIVE", "LEADER", "orders-0")
    terminal.keys(":cut 1>2", "Enter")
    terminal.wait_for("You cut what n1 sends to n2")
    terminal.keys(":kill 42", "Enter")
    terminal.wait_for("kill 42", "42")
    terminal.keys(":polish", "Enter")
    terminal.wait_for("unknown command: 'polish'")
    terminal.keys("C-u")
    terminal.keys("Enter")
    terminal.keys("h")
    terminal.wait_for("no fault in force")
    first = only_run(home)
    terminal.keys(":anew", "Enter")
    terminal.wait_for("LIVE", "LEADER", "orders-0", "a new run of the same lab")
    assert read_facts(first).state == "ended" and not is_alive(first)
    terminal.keys("q")
    terminal.wait_for("q again ends the cluster")
    terminal.keys("q")
    terminal.wait_for("n1, n2, n3, n101, n102, n103 ended in order", "EXIT 0")
    assert [read_facts(folder).state for folder in (home / "runs").iterdir()] == ["ended", "ended"]


def workbench(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "workbench", *words], check=True, capture_output=True, cwd=ROOT)


def test_a_lab_that_hangs_is_not_called_live_and_leaving_a_run_that_is_up_leaves_it_up(
    tmp_path: Path, opened: list[Tmux]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    workbench("up", "--brokers", "1", "--data-dir", str(home))
    folder = only_run(home)
    try:
        code = (
            "from pathlib import Path; from workbench.tui.launch import open_running; "
            f"open_running(Path({str(folder)!r}))"
        )
        opened.append(Tmux(tmp_path, code, 120, 40))
        terminal = opened[0]
        terminal.wait_for("LIVE", "n101", "n1 ")
        lab = read_facts(folder).lab_pid
        os.kill(lab, signal.SIGSTOP)
        shown = terminal.wait_for("SILENT", "nothing heard from the lab for")
        assert "LIVE" not in shown
        os.kill(lab, signal.SIGCONT)
        terminal.wait_for("LIVE", "the lab is heard again")
        terminal.keys("q")
        terminal.wait_for("goes on", "EXIT 0")
        assert is_alive(folder)
    finally:
        os.kill(read_facts(folder).lab_pid, signal.SIGCONT)
        workbench("down", folder.name, "--data-dir", str(home))
    assert not is_alive(folder)
