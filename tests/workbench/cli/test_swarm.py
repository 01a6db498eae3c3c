"""The swarm from the command line: several processes, one last line, an exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from cluster.model.events import MessageSeen, TimerSet, TrafficSeen
from cluster.runtime.run.folder import read_facts
from cluster.simulation.swarm.seed import SeedResult, run_seed
from cluster.trace.reader import read_all
from tests.support.processes.watching import LIMIT_S, child, until
from workbench.cli import swarm as command
from workbench.support.option_types import SeedRange, seed_range
from workbench.support.refusal import Refusal


def test_all_seeds_are_run_and_summed_up_in_the_last_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = command.swarm(SeedRange(1, 6), 2, command.Trouble(1.0), str(tmp_path), as_json=False)
    last = capsys.readouterr().out.splitlines()[-1]
    found = re.fullmatch(
        r"seeds 1\.\.6: 6 seeds, (\d+) events, (\d+) faults, [\d.]+ simulated hours, (\d+) unexpected verdicts", last
    )
    assert found is not None
    assert int(found[1]) > 1_000
    assert (code == 0) == (int(found[3]) == 0)


def test_json_is_one_object_a_line_and_the_sum_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.swarm(SeedRange(3, 4), 1, command.Trouble(1.0), str(tmp_path), as_json=True)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["seeds"] == 2
    assert lines[-1]["unexpected"] == sum(len(line["unexpected"]) for line in lines[:-1])


OBSERVED = (MessageSeen, TrafficSeen, TimerSet)


def test_a_surprising_seed_is_recorded_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = command.one_seed(5, command.Trouble(1.0))
    surprising = SeedResult(**{name: getattr(plain, name) for name in plain.__slots__} | {"unexpected": ("R1 x",)})
    monkeypatch.setattr(command, "_results", lambda *_given: iter([surprising]))
    assert command.swarm(SeedRange(5, 5), 1, command.Trouble(1.0), str(tmp_path), as_json=False) == 1
    printed = capsys.readouterr()
    out = printed.out
    assert printed.err.startswith("seed 5: R1 x\n")  # at once, since many seeds may follow
    assert out.startswith("seed 5: R1 x\n  seed=5 ")
    run = re.search(r"workbench check (\S+)", out)
    assert run is not None
    folder = tmp_path / "runs" / run[1]
    facts = read_facts(folder)
    assert (facts.world, facts.seed, facts.state) == ("simulated", 5, "ended")
    steps = [entry for entry in read_all(folder / "trace") if not isinstance(entry.event, OBSERVED)]
    assert len(steps) == plain.events, "it is the same run; its recording tells of messages and timers, too"


def test_a_bug_in_a_seed_is_told_with_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_given: object, **_named: object) -> None:
        raise KeyError("no such node")

    monkeypatch.setattr(command, "run_seed", broken)
    result = command.one_seed(9, command.Trouble(1.0))
    assert result.seed == 9
    assert "KeyError" in result.unexpected[0]
    assert "seed=9 " in result.plan


def test_damage_to_disks_reaches_the_seed() -> None:
    assert "damages=" in command.one_seed(8, command.Trouble(0.5, disk_faults=True)).plan
    assert "damages=" not in command.one_seed(8, command.Trouble(0.5)).plan


def test_all_parts_go_round_by_the_number_of_the_seed() -> None:
    trouble = command.Trouble(0.5, all_parts=True)
    asked = [trouble.asked(seed) for seed in range(7, 14)]
    assert asked == [*command.ALL_PARTS]
    assert trouble.asked(21) == {**command.DEFAULT, "fetch_sessions": True}
    assert "fetch_sessions=True" in command.one_seed(21, trouble).plan
    assert asked[0] == command.Trouble().asked(7)
    for part in ("disk_faults", "voter_changes", "transactions"):
        assert 1 < sum(each[part] for each in asked) < 4, part
    assert [each["control"] for each in asked].count("zookeeper") == 2
    assert "control=zookeeper" in command.one_seed(11, trouble).plan
    with pytest.raises(Refusal, match="--all-parts"):
        command.swarm(SeedRange(1, 2), 1, command.Trouble(1.0, all_parts=True, transactions=True), None, as_json=False)


@pytest.mark.parametrize("text", ["", "a", "5..", "9..3", "1..2..3", "1..9999999", "-1..3"])
def test_a_bad_range_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        seed_range(text)


def test_one_number_is_a_range_of_one() -> None:
    assert seed_range("17") == SeedRange(17, 17)
    assert str(seed_range("1..30")) == "1..30"


def test_what_no_seed_had_anything_to_look_at_for_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = [run_seed(1, 0.5)]
    checks, in_force, held = command.reached(results)
    silent = [rule for rule, count in checks.items() if not count]
    assert "P19" in silent and checks["R1"] > 0
    command.swarm(SeedRange(1, 1), 1, command.Trouble(0.5), str(tmp_path), as_json=False)
    printed = capsys.readouterr().out
    assert f"never evaluated: {', '.join(silent)}" in printed
    assert all(f"{kind} {count}" in printed.partition("in force: ")[2] for kind, count in in_force.items())
    assert all(f"({count} held messages)" in printed for count in held.values())
    assert in_force["Rot"] == 0 < sum(in_force.values()) <= sum(item.faults for item in results)


@pytest.mark.first
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's list of children")
@pytest.mark.processes
def test_ctrl_c_ends_the_swarm_at_once_and_quietly_also_while_its_processes_load(tmp_path: Path) -> None:
    """Ctrl-C reaches the whole group of the terminal: the command and each of its processes."""
    command = [sys.executable, "-m", "workbench", "swarm", "--seeds", "1..500", "--jobs", "2"]
    with child(
        [*command, "--data-dir", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0
    ) as swarm:
        children = Path(f"/proc/{swarm.pid}/task/{swarm.pid}/children")
        until(lambda: len(children.read_text().split()) >= 2, what="it has begun its processes")
        os.killpg(swarm.pid, signal.SIGINT)
        out, err = swarm.communicate(timeout=LIMIT_S)
    assert (swarm.returncode, out) == (130, b"")
    assert re.fullmatch(rb"workbench: interrupted: \d of 500 seeds are judged\n", err), err


def test_the_processes_of_a_swarm_that_is_killed_end_with_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workbench", "swarm", "--seeds", "1..500", "--jobs", "2"]
    with child([*command, "--data-dir", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as swarm:
        children = Path(f"/proc/{swarm.pid}/task/{swarm.pid}/children")
        until(lambda: len(children.read_text().split()) >= 3, what="it has begun its processes")
        workers = [Path(f"/proc/{number}/cmdline") for number in children.read_text().split()]
        os.kill(swarm.pid, signal.SIGKILL)
        swarm.communicate(timeout=LIMIT_S)
        until(lambda: not any(b"spawn_main" in _read(worker) for worker in workers), what="they have ended")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
