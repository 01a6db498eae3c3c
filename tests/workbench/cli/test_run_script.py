"""Scripts in virtual time from the command line: recordings like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.runtime.run.folder import is_alive, read_facts, run_names
from cluster.trace.reader import read_all
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice

SIMULATED = WorldChoice(simulated=True, seed=5)


def test_a_simulated_run_is_a_recording_like_any_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.txt"
    script.write_text(
        "cluster controllers=1 brokers=1\ntopic orders replicas=1\n[again]\ncluster controllers=1 brokers=0\n"
    )
    assert run_script(script, as_json=False, home=tmp_path, world=SIMULATED) == 0
    folders = [tmp_path / "runs" / name for name in run_names(tmp_path)]
    facts = [read_facts(folder) for folder in folders]
    assert [(item.world, item.seed, item.state) for item in facts] == [
        ("simulated", 5, "ended"),
        ("simulated", 6, "ended"),
    ]
    assert not any(is_alive(folder) for folder in folders)
    assert read_all(folders[0] / "trace")[0].run.startswith("seed-5-")


def test_the_same_seed_leaves_the_same_trace_in_every_run(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("cluster\ntopic orders\nproduce orders 5\nkill controller\nwait leader of quorum\n")
    for _ in range(2):
        assert run_script(script, as_json=False, home=tmp_path, world=SIMULATED) == 0
    one, other = [tmp_path / "runs" / name / "trace" for name in run_names(tmp_path)]
    assert sorted(path.name for path in one.iterdir()) == sorted(path.name for path in other.iterdir())
    assert all(path.read_bytes() == (other / path.name).read_bytes() for path in one.iterdir())


def test_a_script_that_does_not_hold_in_virtual_time_takes_no_real_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.txt"
    script.write_text("cluster controllers=1 brokers=0\nexpect quorum epoch = 77 within 60s\n")
    assert run_script(script, as_json=False, home=tmp_path, world=SIMULATED) == 1
    assert "not reached within 60 s" in capsys.readouterr().out


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without an end")
@pytest.mark.parametrize("world", [SIMULATED, WorldChoice()])
def test_a_script_without_an_end_is_not_read_to_the_end(
    world: WorldChoice, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_script(Path("/dev/zero"), as_json=False, home=tmp_path, world=world) == 4
    assert capsys.readouterr().err == "workbench: /dev/zero: line 1: not an ordinary file but a device\n"
