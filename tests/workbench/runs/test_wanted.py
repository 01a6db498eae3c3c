"""What a start says before it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run, update_facts
from tests.support.processes.lookalike import held
from workbench.runs.orphans import NODE
from workbench.runs.wanted import Wanted, cluster_of, first_commands
from workbench.support.places import usable_home
from workbench.support.refusal import Refusal


def test_a_new_lab_is_told_of_its_topic_and_of_its_load() -> None:
    assert first_commands(Wanted(load="20 acks=1")) == ("topic orders replicas=3 min-isr=2", "load 20 acks=1")
    assert first_commands(Wanted(load="off")) == first_commands(Wanted()) == ("topic orders replicas=3 min-isr=2",)
    assert first_commands(Wanted(brokers=0, load="2")) == (), "nobody could be written to"


def test_a_load_that_makes_no_sense_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="--load: needs off, or records a second"):
        cluster_of(Wanted(load="5000", data_dir=str(tmp_path / "home")))
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("controllers", [2, 3, 5])
def test_voters_are_not_asked_for_where_nobody_votes(tmp_path: Path, controllers: int) -> None:
    home = str(tmp_path / "home")
    said = f"--controllers {controllers} is for KRaft: with --control zookeeper one process stands"
    with pytest.raises(Refusal, match=said):
        cluster_of(Wanted(control="zookeeper", controllers=controllers, data_dir=home))
    assert cluster_of(Wanted(control="zookeeper", data_dir=home))[1].controllers == 1


def test_nodes_that_outlived_their_lab_are_told_at_the_next_start_with_how_to_end_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = usable_home(str(tmp_path / "home"))
    folder, lock = create_run(home, ClusterSpec(title="left alone", controllers=1, brokers=1))
    update_facts(folder, state="running")
    with held(lock, NODE, folder):
        newer, free = create_run(home, ClusterSpec(title="newer", controllers=1, brokers=1))
        update_facts(newer, state="ended")
        with held(free, "", newer):
            cluster_of(Wanted(data_dir=str(home)))
    (told,) = [line for line in capsys.readouterr().err.splitlines() if folder.name in line]
    assert told.startswith(f"workbench: warning: {folder.name}: its lab is gone; still there: node 1 (pid ")
    assert "workbench reap " in told
