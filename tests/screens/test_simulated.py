"""A simulated cluster in a real terminal."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from cluster.runtime.run.folder import is_alive, read_facts, run_names
from tests.support.screens.terminals import ROOT, Bare, Tmux
from workbench.runs.judgement import judge
from workbench.support.refusal import BUSY, INTERRUPTED
from workbench.tui.lateness import LATE_S

pytestmark = [pytest.mark.screens, pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")]


def up(count: int, size: tuple[int, int]) -> str:
    """How the header says how many of six nodes are up."""
    return f"{count} of 6 nodes up" if size[0] > 80 else f"{count}/6 up"


@pytest.mark.first(size=[(200, 50)])
@pytest.mark.parametrize("size", [(200, 50), (80, 24)])
def test_a_controller_is_killed_and_in_a_branch_it_is_not(tmp_path: Path, size: tuple[int, int]) -> None:
    home = tmp_path / "home"
    home.mkdir()
    code = f"import sys; sys.argv[1:] = ['lab', '--simulated', '--seed', '7', '--data-dir', {str(home)!r}]; "
    terminal = Tmux(tmp_path, code + "from workbench.cli.app import main; main()", *size)
    try:
        terminal.wait_for(up(6, size), "kept")
        terminal.keys(":")
        terminal.keys("kill controller", "Enter")
        terminal.wait_for(up(5, size), " e2")
        terminal.keys("g")
        terminal.wait_for("HALTED")
        terminal.keys("[", "[", "[", "[")
        terminal.keys("Home", "]", "]")
        terminal.wait_for("HELD", up(6, size))
        terminal.keys("B")
        terminal.wait_for("a branch of", "HALTED")
        terminal.keys("g")
        terminal.wait_for("LIVE", up(6, size), " e1")
        terminal.keys("V")
        terminal.wait_for("Verdicts", "R1", "holds")
        terminal.keys("C")
        terminal.wait_for("Two worlds", "B  the branch", "kill")
        terminal.keys("q")
        terminal.wait_for("seed 7; the run is recorded", "EXIT 0")
    finally:
        terminal.close()
    parent, child = (read_facts(folder) for folder in sorted((home / "runs").iterdir()))
    assert (parent.state, child.state) == ("ended", "ended")
    assert child.parent == parent.id and child.branch_events > 0


@pytest.mark.parametrize("size", [(200, 50), (120, 40), (80, 24)])
def test_links_are_cut_from_the_table_a_group_is_seen_and_a_room_is_shown_both(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    code = f"import sys; sys.argv[1:] = ['lab', '--simulated', '--seed', '7', '--data-dir', {str(home)!r}]; "
    terminal = Tmux(tmp_path, code + "from workbench.cli.app import main; main()", *size)
    try:
        terminal.wait_for(up(6, size), "kept")
        terminal.keys("F")
        terminal.wait_for("Faults and links", "no fault in force", "n101\u2192n102: free")
        terminal.keys("Enter", "Right", "Enter")
        terminal.wait_for("space cuts 2 links as one fault", "cut 101>102,101>103")
        terminal.keys("Space")
        terminal.wait_for("fault 1, cut 101>102,101>103", "since")
        terminal.keys("u")
        terminal.wait_for("no fault in force", "before: cut 101>102,101>103")
        terminal.keys("Escape", ":")
        terminal.keys("consume orders group=readers member=ann", "Enter")
        terminal.wait_for("ann is at it")
        if size[0] < 100:
            terminal.keys("7")
        terminal.wait_for("7 Clients", "group readers", "STABLE", "ann")
        terminal.keys("P")
        terminal.wait_for("P leave", "spotlight")
        terminal.keys("b")
        terminal.wait_for("any key shows the screen again")
        terminal.keys("P", "P", "q")
        terminal.wait_for("seed 7; the run is recorded", "EXIT 0")
    finally:
        terminal.close()


@pytest.mark.parametrize("how", ["hang up", "terminate"])
def test_a_run_is_ended_in_order_when_its_window_or_its_process_is(tmp_path: Path, how: str) -> None:
    code = f"import sys; sys.argv[1:] = ['lab', '--simulated', '--data-dir', {str(tmp_path / 'home')!r}]; "
    home = ["--data-dir", str(tmp_path / "home")]
    (tmp_path / "home").mkdir()
    terminal = Bare(code + "from workbench.cli.app import main; main()", 120, 40)
    try:
        terminal.wait_for("simulated, seed 0", "orders-0")
        (folder,) = (tmp_path / "home" / "runs").iterdir()
        for verb, *rest in (("down",), ("reap",), ("inject", "kill 1")):
            command = [sys.executable, "-m", "workbench", verb, folder.name, *rest, *home]
            told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert told.returncode == BUSY and "it lives in the screen that shows it" in told.stderr
        if how == "hang up":
            terminal.hang_up()
        else:
            terminal.kill(signal.SIGTERM)
            terminal.end()
    finally:
        terminal.give_up()
    assert read_facts(folder).state == "ended" and not is_alive(folder)


def blocked(terminal: Bare) -> None:
    """Wait until the screen knows that its terminal takes nothing: nobody reads what it writes."""
    since, unread = monotonic(), -1
    while monotonic() - since < LATE_S + 1:
        sleep(0.1)  # what is waited for is that nothing happens
        now = terminal.unread_bytes
        since, unread = (monotonic(), now) if now != unread else (since, unread)


def simulated_lab(home: Path, width: int, height: int) -> Bare:
    """A terminal whose bytes can be left unread, with a living simulated cluster."""
    home.mkdir()
    code = f"import sys; sys.argv[1:] = ['lab', '--simulated', '--seed', '7', '--data-dir', {str(home)!r}]; "
    terminal = Bare(code + "from workbench.cli.app import main; main()", width, height)
    terminal.wait_for("simulated, seed 7", "orders-0", "6 of 6 nodes up")
    return terminal


def test_a_terminal_that_takes_nothing_is_told_so_and_no_key_acts_until_it_keeps_up(tmp_path: Path) -> None:
    terminal = simulated_lab(tmp_path / "home", 120, 40)
    try:
        terminal.send("\x1b[B")
        blocked(terminal)
        terminal.send("kk")
        before = len(terminal.raw)
        terminal.wait_for("The terminal is too slow, this is old: q quits, ? lists the keys", since=before)
        terminal.wait_for("LIVE", since=len(terminal.raw))
        assert "5 of 6" not in terminal.plain(before), "no key acted"
        terminal.send("k")
        terminal.wait_for("5 of 6 nodes up", since=before)
        blocked(terminal)
        terminal.send("q")
        assert terminal.ended() == 0, "a terminal that takes nothing any more is let go of"
    finally:
        terminal.give_up()


@pytest.mark.parametrize("how", ["SIGTERM", "closed window"])
def test_a_screen_whose_terminal_reads_nothing_ends_when_it_is_asked_to_and_loses_nothing(
    tmp_path: Path, how: str
) -> None:
    home = tmp_path / "home"
    terminal = simulated_lab(home, 200, 50)
    try:
        terminal.send("+++++")
        blocked(terminal)
        asked = monotonic()
        if how == "SIGTERM":
            terminal.kill(signal.SIGTERM)
            assert terminal.ended() == INTERRUPTED
        else:
            assert terminal.hang_up() in (INTERRUPTED, 3)
        assert monotonic() - asked < 5, "2 s on a machine that has nothing else to do"
    finally:
        terminal.give_up()
    (run,) = run_names(home)
    assert read_facts(home / "runs" / run).state == "ended" and not is_alive(home / "runs" / run)
    assert judge(home / "runs" / run).torn == {}
