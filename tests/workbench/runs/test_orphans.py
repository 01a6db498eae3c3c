"""A run is in one state, whoever asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run, update_facts
from tests.support.processes.lookalike import held
from workbench.cli.runs import runs
from workbench.runs.orphans import LAB, NODE
from workbench.tui.screens.home_choices import run_choices


@pytest.mark.parametrize(
    ("written", "process", "state", "verb"),
    (
        ("starting", LAB, "up", "attach"),
        ("running", LAB, "up", "attach"),
        ("running", NODE, "lab is gone", "attach"),
        ("ended", LAB, "closing", "replay"),
        ("abandoned", LAB, "closing", "replay"),
        ("ended", NODE, "lab is gone", "attach"),
        ("ended", "", "ended", "replay"),
        ("running", "", "ended abruptly", "replay"),
        ("abandoned", "", "ended abruptly", "replay"),
    ),
)
def test_a_run_is_in_one_state_for_the_first_screen_and_for_the_command_line(
    written: str, process: str, state: str, verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, lock = create_run(tmp_path, ClusterSpec(title="one", controllers=1, brokers=1))
    update_facts(folder, state=written)
    with held(lock, process, folder):
        runs(str(tmp_path), as_json=True)
        (row,) = json.loads(capsys.readouterr().out)
        (choice,) = run_choices(tmp_path)
        assert (row["state"], choice.verb) == (state, verb)
