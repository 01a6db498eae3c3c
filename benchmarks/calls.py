"""Counts that no load of the machine can spoil: calls for each event, calls before the first one, modules loaded.

A call is one of a Python function or of a built-in one, as the profiler counts them. Of a simulated run the counting
begins once everything is up, so that it is what each further event costs. The load is that of `simulator`: three
clients that write 100 records a second.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from cProfile import Profile
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import Aim, line
from benchmarks.simulator import three_clients
from cluster.invariants.checker import Checker
from cluster.simulation.world.recording import Reader, TraceFiles
from cluster.trace.reader import read_all
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice

BARE, JUDGED, COMMAND = "without rules", "with all rules and the trace", "`workbench run`"
CALLS_AIMS = {BARE: Aim(None, 65, False), JUDGED: Aim(None, 90, False), COMMAND: Aim(None, 100, False)}
FIRST_AIM = Aim(None, 500_000, higher_is_better=False)
WARM_S, COUNTED_S, SHORT_S, LONG_S = 0.5, 2.0, 1, 3
MODULES = {
    "the screen": ("import workbench.cli.app, workbench.tui.launch", Aim(None, 600, False)),
    "a node": ("import cluster.runtime.node.process", Aim(None, 250, False)),
    "the lab": ("import cluster.runtime.lab.process", Aim(None, 250, False)),
    "`--help`": ("import workbench.cli.app", Aim(None, 150, False)),
}
SCRIPT = """\
cluster controllers=3 brokers=3 timing=classroom
wait unfenced 1,2,3 within 20s
topic orders partitions=3 min-isr=2
produce orders-0 1000000 wait=no
produce orders-1 1000000 wait=no
produce orders-2 1000000 wait=no
keep unfenced 1,2,3 for {seconds}s
"""
UP_TO_THE_FIRST_EVENT = """
import sys
from cProfile import Profile
from os import _exit
import kraft_workbench
counting = Profile()
def end(_cluster):
    counting.disable()
    print(sum(item.callcount for item in counting.getstats()))
    sys.stdout.flush()
    _exit(0)
counting.enable()
import cluster.simulation.world.cluster as world
world.SimulatedCluster.begin = end
kraft_workbench.main()
"""


def run() -> None:
    """Count and print."""
    for name, aim in CALLS_AIMS.items():
        line(f"calls for each event, {name}", calls_per_event(name), "calls", aim)
    line("calls before a simulated run's first event", calls_before_first_event(), "calls", FIRST_AIM)
    for name, (imports, aim) in MODULES.items():
        line(f"modules loaded for {name}", modules_loaded(imports), "modules", aim)


def calls_per_event(name: str) -> float:
    """Of BARE, JUDGED or COMMAND."""
    gc.disable()
    try:
        with TemporaryDirectory() as folder:
            if name == COMMAND:
                return _of_command(Path(folder))
            files = TraceFiles(Path(folder))
            found = _of_cluster([Checker().feed_all, files] if name == JUDGED else [])
            files.close()
            return found
    finally:
        gc.enable()


def _of_cluster(readers: Sequence[Reader]) -> float:
    """Of the library: the nodes, the picture that is folded from their events, and who reads them."""
    cluster, counting = three_clients(readers), Profile()
    cluster.advance(WARM_S)
    cluster.cluster()
    before = cluster.recording.count
    counting.enable()
    cluster.advance(COUNTED_S)
    cluster.cluster()
    counting.disable()
    return _calls(counting) / (cluster.recording.count - before)


def _of_command(folder: Path) -> float:
    """A long run less a short one, verdicts and all: what both need to begin and to end does not count."""
    _run_for(SHORT_S, folder / "warm")
    (short, few), (long, many) = _run_for(SHORT_S, folder / "short"), _run_for(LONG_S, folder / "long")
    return (long - short) / (many - few)


def _run_for(seconds: int, home: Path) -> tuple[int, int]:
    """Calls and events of a run."""
    home.mkdir()
    script, counting = home.with_suffix(".txt"), Profile()
    script.write_text(SCRIPT.format(seconds=seconds), "utf-8")
    runs: list[Path] = []
    with redirect_stdout(StringIO()):
        counting.enable()
        code = run_script(script, as_json=False, home=home, world=WorldChoice(simulated=True, seed=1), recorded=runs)
        counting.disable()
    assert code == 0, "the script holds"
    return _calls(counting), len(read_all(runs[0] / "trace"))


def _calls(counting: Profile) -> int:
    """All of them; `pstats` has one line for all named tuples, and forgets the others."""
    return sum(item.callcount for item in counting.getstats())


def calls_before_first_event() -> int:
    """Of a fresh `workbench run --simulated`, imports included."""
    with TemporaryDirectory() as folder:
        script = Path(folder, "script.txt")
        script.write_text(SCRIPT.format(seconds=1), "utf-8")
        return int(_fresh(UP_TO_THE_FIRST_EVENT, "run", str(script), "--simulated", "--data-dir", f"{folder}/home"))


def modules_loaded(imports: str) -> int:
    """By a fresh interpreter for these imports, those included that it needs itself."""
    return int(_fresh(f"import sys\n{imports}\nprint(len(sys.modules))"))


def _fresh(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
