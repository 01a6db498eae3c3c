"""What becomes of a run that is over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run, update_facts
from workbench.runs.ended import forget_unstarted, remove
from workbench.support.refusal import USAGE, Refusal


def test_nothing_is_deleted_through_a_link(tmp_path: Path) -> None:
    folder, lock = create_run(tmp_path, ClusterSpec(title="A title", controllers=1, brokers=1))
    os.close(lock)
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(Refusal, match=f"link is a link; nothing deleted; the run is in {folder}") as refused:
        remove(tmp_path / "link")
    assert refused.value.code == USAGE and folder.is_dir()
    remove(folder)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("ports", "told", "is_kept"), [(None, "", False), (None, "see {}", True), ({1: 20000}, "", True)]
)
def test_a_run_whose_nodes_never_listened_is_forgotten_unless_somebody_was_sent_to_its_logs(
    ports: dict[int, int] | None, told: str, is_kept: bool, tmp_path: Path
) -> None:
    folder, lock = create_run(tmp_path, ClusterSpec(title="one", controllers=1, brokers=1))
    update_facts(folder, ports=ports)
    forget_unstarted(folder, "")
    assert folder.exists(), "a process of it is alive"
    os.close(lock)
    forget_unstarted(folder, told.format(folder / "logs" / "lab.log"))
    assert folder.exists() == is_kept
