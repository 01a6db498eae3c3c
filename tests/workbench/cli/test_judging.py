from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from tests.support.specification.outside import SCENARIOS
from workbench.cli.app import app
from workbench.runs.played import played


def test_a_run_is_judged_by_our_rules_unless_a_specification_is_named(tmp_path: Path) -> None:
    run = played(SCENARIOS / "p10_kip279_kip279.txt", tmp_path, "p10")[0]
    ours = CliRunner().invoke(app, ["check", str(run)])
    assert ours.exit_code == 0 and "rules: " in ours.stdout
    other = CliRunner().invoke(app, ["check", str(run), "--against", "moon"])
    assert other.exit_code != 0 and "no such specification" in str(other.exception)
