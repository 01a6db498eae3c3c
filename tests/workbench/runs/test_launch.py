"""Which world a script is played in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.events import FaultApplied, QuorumBooted
from cluster.runtime.run.folder import FACTS, create_run, is_alive, update_facts
from cluster.scenario.parse import parse_script
from cluster.trace.reader import read_all
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice, recorded
from workbench.support.refusal import Refusal


def test_real_processes_have_no_seed(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="--simulated"):
        WorldChoice(seed=3).launcher(tmp_path, 1.0)


def test_the_end_of_a_simulation_is_not_written_into_a_run_that_took_its_place(tmp_path: Path) -> None:
    other, lock = create_run(tmp_path / "other", ClusterSpec(title="foreign", controllers=1, brokers=1))
    os.close(lock)
    before = (other / FACTS).read_bytes()
    with recorded(tmp_path / "home", ClusterSpec(seed=1)) as folder:
        moved = folder.rename(tmp_path / "moved")
        other.rename(folder)
    assert (folder / FACTS).read_bytes() == before
    assert not is_alive(moved)


FIRST_LEADER = """\
cluster controllers=3 brokers=1
given leader 102
expect event raft.leader_elected on 102
expect elections of quorum = 1
"""


@pytest.mark.parametrize("seed", range(3))
def test_the_first_leader_of_a_quorum_is_the_one_that_was_given(seed: int, tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text(FIRST_LEADER)
    assert run_script(script, as_json=False, home=tmp_path, world=WorldChoice(True, seed)) == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("given leader 102", "line 2: 'given leader 102' can only be --simulated: which of several processes"),
        ("given fault cut 101-102", "line 2: 'given fault cut 101-102' can only be --simulated: a process hears of"),
        ("given network loss=1%", "line 2: 'given network loss=1%' can only be --simulated: no connection"),
    ],
)
async def test_processes_refuse_what_they_cannot_be_given_before_one_starts(
    line: str, message: str, tmp_path: Path
) -> None:
    plan = parse_script(f"cluster controllers=3 brokers=1\n{line}").sections[0].plan
    assert plan is not None
    launcher = WorldChoice().launcher(tmp_path, 1.0)

    with pytest.raises(Refusal) as caught:
        await launcher(plan, "title")
    assert str(caught.value).startswith(message)
    assert not list(tmp_path.iterdir())


FROM_THE_BEGINNING = """\
cluster controllers=3 brokers=1
given fault cut 101>102,102>101
given fault fsync lie 101
given fault clock drift 1 10%
given fault crash 102 after vote
expect event proc.exited node_id=102
expect events st.fsynced on 101 lied=yes >= 1
heal fsync lie 101
"""


def test_a_cluster_begins_with_the_faults_it_is_given(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text(FROM_THE_BEGINNING)
    assert run_script(script, as_json=False, home=tmp_path / "home", world=WorldChoice(True, 1)) == 0
    (trace,) = (tmp_path / "home").glob("runs/*/trace")
    entries = sorted(read_all(trace), key=lambda entry: entry.t_ns)
    booted = min(entry.t_ns for entry in entries if isinstance(entry.event, QuorumBooted))
    applied = [entry.event.kind for entry in entries if isinstance(entry.event, FaultApplied) and entry.t_ns < booted]
    assert applied == ["CutLinks", "FsyncLie", "DriftClock", "CrashPoint"]


def test_what_plays_a_script_on_processes_tells_of_a_run_that_ended_abruptly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, lock = create_run(tmp_path, ClusterSpec(title="one", controllers=1, brokers=1))
    update_facts(folder, state="running")
    os.close(lock)
    WorldChoice(simulated=True).launcher(tmp_path, 1.0)
    assert not capsys.readouterr().err
    WorldChoice().launcher(tmp_path, 1.0)
    assert f"the run before, {folder.name}, ended abruptly" in capsys.readouterr().err
