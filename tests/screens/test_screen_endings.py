"""However and whenever the screen ends, no process of its cluster outlives it by three seconds."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.processes.watching import no_run_left
from tests.support.screens.terminals import Bare
from tests.support.worlds.small_lesson import write_lesson

pytestmark = [pytest.mark.screens, pytest.mark.processes]
LAB = (
    "from workbench.runs.wanted import Wanted; from workbench.tui.launch import open_free_lab; "
    "import sys; sys.exit(open_free_lab(Wanted(data_dir={home!r})))"
)
HOME = (
    "import sys; from pathlib import Path; from workbench.tui.at_home import open_home; "
    "sys.exit(open_home(Path({home!r})))"
)
LESSON = (
    "from pathlib import Path; from workbench.course.reading.lesson_folder import read_folder; import sys; "
    "from workbench.tui.launch import open_lesson; home = Path({home!r}); "
    "sys.exit(open_lesson(read_folder(home.parent / '01_small'), home, progress_folder=home))"
)
Open = Callable[[str], Bare]


@pytest.fixture
def open_terminal(tmp_path: Path) -> Iterator[Open]:
    """Runs one of the lines above in a terminal; whatever a test leaves open is ended."""
    terminals: list[Bare] = []
    (tmp_path / "home").mkdir()

    def opened(code: str) -> Bare:
        terminals.append(Bare(code.format(home=str(tmp_path / "home")), 120, 40))
        return terminals[-1]

    yield opened
    for terminal in terminals:
        terminal.give_up()


def at_home(open_terminal: Open, _home: Path) -> Bare:
    terminal = open_terminal(HOME)
    terminal.wait_for("Free lab")
    return terminal


def while_it_starts(open_terminal: Open, _home: Path) -> Bare:
    terminal = open_terminal(LAB)
    terminal.wait_for("starting the cluster", "n102")
    return terminal


def while_a_step_runs(open_terminal: Open, home: Path) -> Bare:
    write_lesson(home.parent, expectation="expect leader of quorum = first within 60s")
    terminal = open_terminal(LESSON)
    terminal.wait_for("enter: do it")
    terminal.send("\r")
    terminal.wait_for("enter: next step")
    terminal.send("n")
    terminal.wait_for("choose: a b c")
    terminal.send("1")
    terminal.wait_for("enter: do it", since=len(terminal.raw) - 1)
    before = len(terminal.raw)
    terminal.send("\r")
    terminal.wait_for("waiting ...", since=before)
    return terminal


def while_the_cluster_is_frozen(open_terminal: Open, _home: Path) -> Bare:
    terminal = open_terminal(LAB)
    terminal.wait_for("LIVE", "LEADER")
    terminal.send("Z")
    terminal.wait_for("FROZEN, every node stands still")
    return terminal


def while_it_leaves(open_terminal: Open, _home: Path) -> Bare:
    terminal = open_terminal(LAB)
    terminal.wait_for("LIVE", "LEADER")
    terminal.send("q")
    terminal.wait_for("q again ends the cluster")
    terminal.send("q")
    terminal.wait_for("ending the cluster")
    return terminal


Moment = Callable[[Open, Path], Bare]
MOMENTS = (at_home, while_it_starts, while_a_step_runs, while_the_cluster_is_frozen, while_it_leaves)


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
def test_ctrl_c_asks_as_q_does_and_leaves_nothing(tmp_path: Path, open_terminal: Open, moment: Moment) -> None:
    home = tmp_path / "home"
    terminal = moment(open_terminal, home)
    terminal.send("\x03")
    if moment in (while_a_step_runs, while_the_cluster_is_frozen):
        terminal.wait_for("q again ends the cluster")
        terminal.send("\x03")
    code = terminal.end()
    no_run_left(home)
    assert code == (130 if moment is at_home else 0)
    assert terminal.is_restored() and "Traceback" not in terminal.plain()


@pytest.mark.parametrize("moment", [at_home, while_the_cluster_is_frozen], ids=lambda moment: moment.__name__)
def test_a_screen_that_is_asked_to_end_restores_the_terminal(
    tmp_path: Path, open_terminal: Open, moment: Moment
) -> None:
    home = tmp_path / "home"
    terminal = moment(open_terminal, home)
    terminal.kill(signal.SIGTERM)
    code = terminal.end()
    no_run_left(home)
    assert (code, terminal.is_restored()) == (130, True)


@pytest.mark.first(moment=[while_a_step_runs])
@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
def test_a_killed_screen_leaves_nothing(tmp_path: Path, open_terminal: Open, moment: Moment) -> None:
    home = tmp_path / "home"
    terminal = moment(open_terminal, home)
    terminal.kill(signal.SIGKILL)
    terminal.end()
    no_run_left(home)


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
def test_a_closed_window_leaves_nothing(tmp_path: Path, open_terminal: Open, moment: Moment) -> None:
    home = tmp_path / "home"
    moment(open_terminal, home).hang_up()
    no_run_left(home)


def test_a_window_that_is_gone_without_a_signal_is_noticed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    terminal = Bare(LAB.format(home=str(home)), 120, 40, control=False)
    terminal.wait_for("LIVE", "LEADER")
    terminal.hang_up()
    no_run_left(home)
