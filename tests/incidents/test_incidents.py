"""Each public incident ends in simulation as its files say; tests/processes plays them for real."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workbench.cli.incidents import Asked, incidents
from workbench.course.incidents import INCIDENTS, Incident, all_incidents

ALL = all_incidents()
NUMBER = re.compile(r"(?<![\w.-])\d+(?![\w.]*\w)")


def name_of(incident: Incident) -> str:
    return incident.name


@pytest.mark.parametrize("incident", ALL, ids=name_of)
def test_an_incident_breaks_what_it_says_and_nothing_that_it_does_not_expect(
    incident: Incident, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = incidents(incident.name, Asked(data_dir=str(tmp_path)))
    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize("incident", ALL, ids=name_of)
def test_a_number_that_is_told_of_its_script_stands_in_it(incident: Incident) -> None:
    script = "\n".join(line for line in incident.path.read_text("utf-8").splitlines() if not line.startswith("#"))
    told = set(NUMBER.findall(dict(incident.parts)["What is played here"].replace("In 2016", "").replace("2016", "")))
    assert told <= set(re.findall(r"\d+", script))


def test_every_file_of_the_folder_belongs_to_an_incident() -> None:
    names = {incident.name for incident in ALL}
    assert {path.stem for path in INCIDENTS.iterdir()} == names | {"README"} and len(names) == 10
