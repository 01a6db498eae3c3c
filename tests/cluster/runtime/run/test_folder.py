"""The folder of a run: private, whole, found by name, locked while anything lives."""

from __future__ import annotations

import fcntl
import os
import socket
import stat
import tempfile
import time
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run import folder as rf


def made(home: Path, *, combined: bool = False) -> Path:
    folder, lock = rf.create_run(home, ClusterSpec(title="A title", controllers=3, brokers=2, combined=combined))
    os.close(lock)
    return folder


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_user_can_look_into_a_run(tmp_path: Path) -> None:
    folder = made(tmp_path)
    assert mode_of(folder) == 0o700
    assert mode_of(folder / rf.SECRET) == 0o600
    assert len(bytes.fromhex((folder / rf.SECRET).read_text())) == 32
    assert (folder / rf.SECRET).read_text() != (made(tmp_path) / rf.SECRET).read_text()


def test_facts_come_back_as_they_were_written(tmp_path: Path) -> None:
    folder = made(tmp_path)
    facts = rf.update_facts(folder, state="running", ports={1: 19092}, lab_pid=7)
    assert rf.read_facts(folder) == facts
    assert facts.nodes == (101, 102, 103, 1, 2)
    assert (facts.roles(101), facts.roles(2)) == (("controller",), ("broker",))
    assert not list(folder.glob(".run.json*")), "nothing half written stays"


def test_the_names_of_runs_sort_by_age(tmp_path: Path) -> None:
    before = made(tmp_path)
    first_ms = time.time_ns() // 1_000_000
    while time.time_ns() // 1_000_000 == first_ms:
        os.sched_yield()
    after = made(tmp_path)
    assert rf.run_names(tmp_path) == [before.name, after.name]


def test_combined_nodes_have_both_roles_and_are_started_once(tmp_path: Path) -> None:
    facts = rf.read_facts(made(tmp_path, combined=True))
    assert facts.nodes == (1, 2, 3)
    assert facts.roles(1) == ("controller", "broker")
    assert facts.roles(3) == ("controller",)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"{}", b'{"id": 3}', b"\xff\xfe", b"[" * 100_000, b"x" * (rf.FACTS_MAX + 1)],
    ids=["empty", "cut", "list", "null", "nothing", "fields missing", "not UTF-8", "deep", "large"],
)
def test_facts_that_make_no_sense_are_one_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / rf.FACTS).write_bytes(content)
    with pytest.raises(rf.RunError):
        rf.read_facts(tmp_path)


def test_a_folder_without_facts_is_not_ours(tmp_path: Path) -> None:
    with pytest.raises(rf.RunError, match="not a run of ours"):
        rf.read_facts(tmp_path)


def test_the_lock_is_held_once_and_is_free_when_its_holder_is_gone(tmp_path: Path) -> None:
    folder = made(tmp_path)
    assert not rf.is_alive(folder)
    lock = rf.take_lock(folder)
    assert lock is not None
    assert rf.take_lock(folder) is None
    assert rf.is_alive(folder)
    inherited = os.dup(lock)
    os.close(lock)
    assert rf.is_alive(folder), "a node still holds what it inherited"
    os.close(inherited)
    assert not rf.is_alive(folder)


def test_a_new_run_is_alive_from_birth(tmp_path: Path) -> None:
    folder, lock = rf.create_run(tmp_path, ClusterSpec(title="t", controllers=1, brokers=1))
    assert rf.is_alive(folder)
    os.close(lock)
    (folder / rf.LOCK).unlink()
    assert not rf.is_alive(folder), "a recording without a lock file is only a recording"


def test_looking_whether_a_run_lives_leaves_its_lock_free(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / rf.LOCK).touch()
    assert not rf.is_alive(folder)
    with (folder / rf.LOCK).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_run_is_found_by_id_by_a_unique_beginning_and_by_folder(tmp_path: Path) -> None:
    folder = made(tmp_path)
    assert rf.find_run(tmp_path, folder.name) == folder
    assert rf.find_run(tmp_path, folder.name[:-1]) == folder
    assert rf.find_run(tmp_path / "elsewhere", str(folder)) == folder


def test_a_beginning_of_several_runs_names_them(tmp_path: Path) -> None:
    first = made(tmp_path)
    copy = first.parent / (first.name + "x")
    copy.mkdir()
    rf.write_facts(copy, rf.read_facts(first))
    with pytest.raises(rf.RunError, match=copy.name):
        rf.find_run(tmp_path, first.name[:10])
    assert rf.find_run(tmp_path, first.name) == first, "a whole id wins over a beginning"
    for place in (tmp_path, tmp_path / "runs"):
        with pytest.raises(rf.RunError, match=f"it holds several: name one of .*{first.name}"):
            rf.find_run(tmp_path, str(place))


@pytest.mark.parametrize("wanted", ["", "..", "nosuch", "a/../b", "/etc", "no\x1b[31m", "x" * 5000, "*"])
def test_what_is_no_run_is_one_error_and_makes_nothing(tmp_path: Path, wanted: str) -> None:
    made(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(rf.RunError):
        rf.find_run(tmp_path, wanted)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_long_path_gets_a_short_socket_and_leaves_no_link(tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 120) / "run"
    folder.mkdir(parents=True)
    with rf.control_path(folder) as short, rf.control_path(folder) as other:
        assert len(os.fsencode(short)) <= rf.PATH_MAX
        assert short.parent.resolve() == folder.resolve() == other.parent.resolve()
        assert mode_of(short.parent.parent) == 0o700
        with socket.socket(socket.AF_UNIX) as lab, socket.socket(socket.AF_UNIX) as viewer:
            lab.bind(str(short))
            lab.listen()
            viewer.connect(str(other))
    assert not short.parent.is_symlink() and not other.parent.is_symlink()
    assert [item.name for item in folder.iterdir()] == [rf.CONTROL]


def test_a_short_path_is_used_as_it_is() -> None:
    short = Path("/of-a-run")
    with rf.control_path(short) as path:
        assert path == short / rf.CONTROL


def test_a_run_that_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="too long"):
        rf.create_run(tmp_path / ("d" * 300), ClusterSpec(title="t", controllers=1, brokers=1))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ('{"id": 5,\n oops', "run.json is damaged: line 2 is no JSON"),
        ("[1, 2]", "run.json: the file is [1, 2]; needed: an object with the facts of a run"),
        ('{"id": "x"}', "run.json: title is None; needed: a value, but it is missing"),
        ("[" * 100_000, "run.json does not hold the facts of a run"),
    ],
)
def test_facts_that_make_no_sense_are_told_as_what_they_are(tmp_path: Path, facts: str, told: str) -> None:
    (tmp_path / rf.FACTS).write_text(facts)
    with pytest.raises(rf.RunError) as error:
        rf.read_facts(tmp_path)
    assert str(error.value) == told


def test_a_private_folder_that_is_not_private_is_told_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    short = tmp_path / f"kraft-workbench-{os.getuid()}"
    short.touch()
    with pytest.raises(rf.RunError, match="is not a folder of yours; .* export TMPDIR="):
        rf.private_folder()
    short.unlink()
    short.mkdir()
    short.chmod(0o777)
    with pytest.raises(rf.RunError, match="others may use .*; chmod 700"):
        rf.private_folder()
    short.chmod(0o700)
    assert rf.private_folder() == short
