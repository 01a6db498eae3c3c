"""`workbench doctor`: what it looks at is what the workbench needs."""

from __future__ import annotations

import tomllib
from pathlib import Path

from workbench.commands.doctor import PACKAGES, findings

PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_every_package_that_is_needed_is_looked_for() -> None:
    needed = tomllib.loads(PROJECT.read_text())["project"]["dependencies"]
    assert [name.partition("==")[0] for name in needed] == list(PACKAGES)
    assert all(finding.ok for finding in findings() if finding.what in PACKAGES)
