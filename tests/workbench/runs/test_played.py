"""A script that is played for its recordings."""

from __future__ import annotations

from pathlib import Path

from cluster.runtime.run.folder import read_facts
from workbench.course.incidents import find_incident
from workbench.runs.played import played


def test_each_section_with_a_cluster_is_a_run_named_by_it(tmp_path: Path) -> None:
    runs = played(find_incident("kip_279").path, tmp_path, "Two elections")
    assert [read_facts(run).title for run in runs] == ["Two elections, then", "Two elections, since"]
