"""Files in memory keep and lose exactly what files of a host do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.model.errors import StorageFailed
from cluster.storage.disk import Disk
from cluster.storage.host_files import HostFiles
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.power_loss import cut_to_durable

NAMES = st.sampled_from(["a", "t-0/b"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), NAMES, st.binary(min_size=1, max_size=5)),
        st.tuples(st.just("truncate"), NAMES, st.integers(0, 9)),
        st.tuples(st.just("replace"), NAMES, st.binary(max_size=5)),
        st.tuples(st.sampled_from(["fsync", "create", "unlink"]), NAMES, st.none()),
        st.tuples(st.sampled_from(["fsync_dir"]), st.sampled_from(["", "t-0"]), st.none()),
        st.tuples(st.sampled_from(["lie", "honest", "restart", "power"]), st.just(""), st.none()),
        st.tuples(st.just("budget"), st.just(""), st.integers(0, 8)),
    ),
    max_size=30,
)


def _seen(disk: Disk) -> list[object]:
    names = [name for folder in ("", "t-0") for name in disk.names(folder)]
    return [disk.folders(), *((name, disk.read_whole(name), disk.books(name)) for name in names)]


def _do(disk: Disk, step: tuple[Any, ...]) -> object:
    what, name, value = step
    try:
        match what:
            case "create" | "unlink" | "fsync" if disk.exists(name) != (what == "create"):
                getattr(disk, what)(name)
            case "append" if disk.exists(name):
                disk.append(name, value)
            case "truncate" if disk.exists(name) and value <= disk.books(name).written:
                disk.truncate(name, value)
            case "replace":
                disk.replace(name, value)
            case "fsync_dir":
                disk.fsync_dir(name)
            case "budget":
                disk.faults.budget_bytes = value
            case "lie" | "honest":
                disk.faults.lying = what == "lie"
    except StorageFailed as error:
        return error.args
    return None


@settings(max_examples=150, deadline=None)
@given(steps=STEPS)
def test_memory_and_host_agree(steps: list[tuple[Any, ...]], tmp_path_factory: pytest.TempPathFactory) -> None:
    root, memory = tmp_path_factory.mktemp("disk") / "1", MemoryFiles()
    hosts, memories = Disk(HostFiles(root)), Disk(memory)
    for step in steps:
        if step[0] in ("restart", "power"):
            for disk in (hosts, memories):
                disk.close()
            if step[0] == "power":
                assert cut_to_durable(memory) == cut_to_durable(root)
            hosts, memories = Disk(HostFiles(root)), Disk(memory)
        else:
            assert _do(memories, step) == _do(hosts, step)
        assert _seen(memories) == _seen(hosts)
    hosts.close()


def test_a_file_that_is_there_is_not_made_again() -> None:
    disk = Disk(MemoryFiles())
    disk.create("a")
    with pytest.raises(StorageFailed, match="create a"):
        disk.create("a")
