"""A recording as one file to share."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run
from tests.support.traces.files import write_trace
from tests.support.traces.story import full_story
from workbench.session.packing import pack_recording
from workbench.support.refusal import Refusal


def made(home: Path) -> Path:
    folder, _ = create_run(home, ClusterSpec(title="mine", controllers=3, brokers=3))
    (folder / "trace").mkdir(exist_ok=True)
    write_trace(folder, full_story())
    (folder / "secret.txt").write_text("nobody is to read this")
    return folder


def test_only_what_tells_of_the_run_goes_along(tmp_path: Path) -> None:
    run = made(tmp_path)
    pack_recording(run, str(tmp_path / "mine.tar.gz"))
    with tarfile.open(tmp_path / "mine.tar.gz") as packed:
        names = packed.getnames()
        assert all(member.mode == 0o600 and member.uname == "" for member in packed.getmembers())
    assert f"{run.name}/run.json" in names and any(name.endswith(".trace") for name in names)
    assert not any("secret" in name for name in names)


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    run, file = made(tmp_path), tmp_path / "mine.tar.gz"
    file.write_text("mine already")
    with pytest.raises(Refusal):
        pack_recording(run, str(file))
    assert file.read_text() == "mine already"


def test_a_run_without_events_is_not_packed(tmp_path: Path) -> None:
    folder, _ = create_run(tmp_path, ClusterSpec(title="empty", controllers=3, brokers=3))
    with pytest.raises(Refusal, match="holds no events"):
        pack_recording(folder, str(tmp_path / "empty.tar.gz"))
