"""The text that is given away is short, and it was seen that it plays the same run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run, update_facts
from tests.support.worlds.shared_runs import lab_run, plain_run, watched_lesson
from workbench.course.incidents import incident_names
from workbench.course.library import lesson_names
from workbench.runs.launch import launch_simulation
from workbench.runs.played import played
from workbench.runs.sealed import TITLE
from workbench.session.sharing.retold import play_again, trace_hash
from workbench.session.sharing.shared_run import EVENTS_MAX, LONGEST_NS, SharedRun, shared_in, text_of
from workbench.session.sharing.source_scripts import scripts_by_source
from workbench.session.sharing.text_of_run import shared_of
from workbench.support.refusal import BAD_DATA, BUSY, Refusal

LESSON_MAX = 300
QUICK = ("01_one_record_three_copies", "13_a_brokers_life")


def shared_again(folder: Path, home: Path) -> tuple[SharedRun, str]:
    """What is in its text, which plays the same run."""
    text = text_of(asyncio.run(shared_of(folder)))
    shared = shared_in(text)
    again = asyncio.run(play_again(home, shared))
    assert again.trace_hash == shared.trace_hash == trace_hash(folder)
    return shared, text


def slow_but(names: Sequence[str], quick: Sequence[str]) -> list[object]:
    return [pytest.param(name, marks=() if name in quick else pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", slow_but(lesson_names(), QUICK))
def test_a_lesson_that_was_watched_fits_into_300_characters(tmp_path: Path, name: str) -> None:
    number = int(name[:2])
    for folder in asyncio.run(watched_lesson(tmp_path, name)):
        shared, text = shared_again(folder, tmp_path)
        assert shared.source == f"lesson {number}" and len(text) <= LESSON_MAX, text


def test_what_a_learner_did_beside_a_lesson_goes_along(tmp_path: Path) -> None:
    folder = asyncio.run(watched_lesson(tmp_path, "04", ("produce orders 2", "status")))[0]
    shared, _ = shared_again(folder, tmp_path)
    assert [item.command for item in shared.outside if item.command] == ["produce orders 2", "status"]


@pytest.mark.parametrize("name", slow_but(incident_names(), incident_names()[1:2]))
def test_an_incident_is_its_name_and_its_seed(tmp_path: Path, name: str) -> None:
    source = f"incident {int(name[:2])}"
    for folder in played(scripts_by_source()[source], tmp_path, name, seed=3):
        shared, text = shared_again(folder, tmp_path)
        assert shared.source == source and len(text) <= LESSON_MAX


def test_a_lab_of_another_shape_goes_along_with_what_differs(tmp_path: Path) -> None:
    shared, _ = shared_again(plain_run(tmp_path, "Ünser Lab"), tmp_path)
    assert shared.cluster is not None and shared.cluster.title == "Ünser Lab" and shared.cluster.settings == {}


def test_a_branch_is_shared_as_a_run_of_its_own(tmp_path: Path) -> None:
    shared, _ = shared_again(lab_run(tmp_path, ("topic orders replicas=3", "kill 1")), tmp_path)
    assert [item.command for item in shared.outside] == ["topic orders replicas=3", "kill 1"]


def why_not(folder: Path) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        asyncio.run(shared_of(folder))
    return refusal.value


def test_a_run_of_processes_has_no_text(tmp_path: Path) -> None:
    folder, _ = create_run(tmp_path, ClusterSpec(title="Real", controllers=3, brokers=3))
    update_facts(folder, state="ended")
    assert why_not(folder).code == BAD_DATA
    assert "real processes never do the same twice" in str(why_not(folder))


def test_a_run_that_is_up_or_broke_off_has_none(tmp_path: Path) -> None:
    lab = launch_simulation(tmp_path, ClusterSpec())
    assert why_not(lab.run_folder).code == BUSY
    asyncio.run(lab.close())
    assert why_not(lab.run_folder).code == BAD_DATA


def test_a_hunt_and_a_run_that_is_another_when_played_again_have_none(tmp_path: Path) -> None:
    assert "bug hunt" in str(why_not(lab_run_with_title(tmp_path, f"{TITLE}heron")))
    folder = lab_run(tmp_path, ("topic orders replicas=3",))
    update_facts(folder, seed=8)
    assert "another run" in str(why_not(folder))


def test_a_run_that_is_too_long_has_none(tmp_path: Path) -> None:
    for now_ns, events in ((LONGEST_NS * 2, 1), (2_000_000_000, EVENTS_MAX + 1)):
        folder = lab_run(tmp_path, ())
        (folder / "journal.jsonl").write_text(f'{{"moves": 9, "now_ns": {now_ns}, "events": {events}}}\n')
        assert "at most 60 minutes" in str(why_not(folder))


def lab_run_with_title(home: Path, title: str) -> Path:
    folder = lab_run(home, ())
    update_facts(folder, title=title)
    return folder
