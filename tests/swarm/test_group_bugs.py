"""Scripts with members of the newer group protocol catch planted bugs: two own one partition, or nobody has a topic."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.support.bugs.group_bugs import COMMIT_BUGS, GROUP_BUGS
from tests.support.bugs.planted import PlantedBug, planted
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice

SCRIPT = """\
cluster controllers=1 brokers=3 offsets_topic_partitions=1
topic orders partitions=4
consume orders group=g1 member=C1 protocol=consumer
keep unfenced 1 for 11s
expect event consumer.assigned client_id=C1 generation=1
consume orders group=g1 member=C2 protocol=consumer
expect event consumer.assigned client_id=C2 owned=orders-2,orders-3 within 20s
expect verdict GR2,GR3,GR11 holds
"""


@pytest.mark.parametrize("bug", [None, *GROUP_BUGS], ids=lambda bug: "none" if bug is None else bug.name)
def test_a_bug_of_the_coordinator_is_caught(
    bug: PlantedBug | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "two.txt"
    script.write_text(SCRIPT)
    with nullcontext() if bug is None else planted(bug):
        code = run_script(script, as_json=False, home=tmp_path, world=WorldChoice(simulated=True))
    printed = capsys.readouterr()
    if bug is None:
        assert code == 0, printed.out
        return
    assert code == 1
    assert any(f"VIOLATED ({rule}" in printed.out or f", {rule}" in printed.out for rule in bug.breaks), printed.out


@pytest.mark.parametrize(("scenario", "bug"), COMMIT_BUGS, ids=lambda item: getattr(item, "name", item))
def test_a_bug_of_commits_is_caught(
    scenario: str, bug: PlantedBug, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = Path(__file__).parent.parent / "scenarios" / f"{scenario}.txt"
    with planted(bug):
        code = run_script(script, as_json=False, home=tmp_path, world=WorldChoice(simulated=True))
    assert code == 1
    printed = capsys.readouterr().out
    assert all(re.search(rf"VIOLATED \([^)]*\b{rule}\b", printed) for rule in bug.breaks), printed
