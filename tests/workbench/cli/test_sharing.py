"""`workbench export --file`: one file that another machine can replay and check."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.lab.resume import resume
from cluster.runtime.run.folder import RunError, create_run, read_facts, update_facts
from cluster.trace.entry import encode_entry
from cluster.trace.reader import read_all
from tests.support.traces import story
from workbench.cli.sharing import Drawn, share
from workbench.runs.judgement import judge
from workbench.support.refusal import BAD_DATA, BUSY, ENVIRONMENT, USAGE, Refusal


def recorded(home: Path) -> Path:
    folder, _ = create_run(home, ClusterSpec(title="A story", controllers=3, brokers=2, combined=True))
    update_facts(folder, state="ended", ports={1: 19092}, client_ports={1: 19099}, lab_pid=4711)
    for entry in story.full_story():
        with (folder / "trace" / f"{entry.node}-{entry.incarnation}.trace").open("ab") as stream:
            stream.write(encode_entry(entry))
    (folder / "answers.json").write_text("{}")
    (folder / "data" / "log").write_text("a disk")
    return folder


def unpacked(file: Path, into: Path) -> Path:
    with tarfile.open(file) as packed:
        packed.extractall(into, filter="data")
    (folder,) = into.iterdir()
    return folder


def test_what_is_packed_can_be_replayed_and_checked_elsewhere(tmp_path: Path) -> None:
    run, file = recorded(tmp_path / "home"), tmp_path / "run.tar.gz"
    assert share(run, str(file), Drawn()) == 0
    other = unpacked(file, tmp_path / "elsewhere")
    assert other.name == run.name
    assert list(read_all(other / "trace")) == list(read_all(run / "trace"))
    assert judge(other).entry_count == judge(run).entry_count
    assert read_facts(other).title == "A story"


def test_neither_disks_nor_the_secret_nor_this_machine_go_along(tmp_path: Path) -> None:
    run, file = recorded(tmp_path / "home"), tmp_path / "run.tar.gz"
    share(run, str(file), Drawn())
    other = unpacked(file, tmp_path / "elsewhere")
    names = {str(path.relative_to(other)) for path in other.rglob("*") if path.is_file()}
    assert names == {"run.json", "answers.json", *(f"trace/{node}-0.trace" for node in (0, 1, 2, 3, 4, 5))}
    facts = json.loads((other / "run.json").read_text())
    assert (facts["ports"], facts["client_ports"], facts["lab_pid"], facts["boot"]) == (None, None, 0, "")
    with tarfile.open(file) as packed:
        assert {(member.uname, member.uid, member.mtime, member.mode) for member in packed} == {("", 0, 0, 0o600)}


async def test_a_recording_without_its_disks_cannot_go_on(tmp_path: Path) -> None:
    run, file = recorded(tmp_path / "home"), tmp_path / "run.tar.gz"
    share(run, str(file), Drawn())
    other = unpacked(file, tmp_path / "elsewhere")
    with pytest.raises(RunError, match="without its disks"):
        await resume(other, detached=True)


def test_nothing_is_written_over_and_nothing_is_packed_of_nothing(tmp_path: Path) -> None:
    run, file = recorded(tmp_path / "home"), tmp_path / "run.tar.gz"
    file.write_text("mine")
    for told, code in ((str(file), BUSY), (str(tmp_path / "no" / "x.tar.gz"), ENVIRONMENT)):
        with pytest.raises(Refusal) as refused:
            share(run, told, Drawn())
        assert refused.value.code == code
    assert file.read_text() == "mine"
    with pytest.raises(Refusal) as refused:
        share(run, "a", Drawn(svg="b"))
    assert refused.value.code == USAGE
    empty, _ = create_run(tmp_path / "home", ClusterSpec(title="Empty", controllers=1, brokers=1, combined=True))
    with pytest.raises(Refusal) as refused:
        share(empty, str(tmp_path / "empty.tar.gz"), Drawn())
    assert refused.value.code == BAD_DATA and not (tmp_path / "empty.tar.gz").exists()


def test_the_command_says_what_is_in_it_and_how_to_open_it(tmp_path: Path) -> None:
    run, file = recorded(tmp_path / "home"), tmp_path / "run.tar.gz"
    command = [sys.executable, "-m", "workbench", "export", str(run), "--file", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (0, "") and file.is_file()
    assert "every record that was written" in done.stderr and f"workbench replay ./{run.name}" in done.stderr


STRANGE: dict[str, Callable[[Path], object]] = {
    "trace/9-0.trace": lambda path: path.symlink_to("/etc/passwd"),
    "trace/8-0.trace": os.mkfifo,
    "answers.json": lambda path: path.symlink_to("/etc/passwd"),
    "marks.json": os.mkfifo,
    "run.json": lambda path: path.symlink_to("/etc/passwd"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_link_or_a_pipe_in_a_recording_is_told_and_nothing_is_packed(name: str, tmp_path: Path) -> None:
    run, file = recorded(tmp_path / "home"), tmp_path / "run.tar.gz"
    (run / name).unlink(missing_ok=True)
    STRANGE[name](run / name)
    with pytest.raises(Refusal, match=rf"{name}.* (a link|a pipe)") as refused:
        share(run, str(file), Drawn())
    assert refused.value.code == BAD_DATA and os.listdir(tmp_path) == ["home"]


def test_a_trace_folder_that_is_a_link_is_told_and_nothing_is_packed(tmp_path: Path) -> None:
    run = recorded(tmp_path / "home")
    (run / "trace").rename(tmp_path / "private")
    (run / "trace").symlink_to(tmp_path / "private")
    with pytest.raises(Refusal, match="trace is a link") as refused:
        share(run, str(tmp_path / "run.tar.gz"), Drawn())
    assert refused.value.code == BAD_DATA and not (tmp_path / "run.tar.gz").exists()


def test_a_recording_too_large_to_share_is_told_at_once(tmp_path: Path) -> None:
    run = recorded(tmp_path / "home")
    os.truncate(run / "trace" / "1-0.trace", 20 << 30)
    with pytest.raises(Refusal, match="at most 4 GiB") as refused:
        share(run, str(tmp_path / "run.tar.gz"), Drawn())
    assert refused.value.code == BAD_DATA and not (tmp_path / "run.tar.gz").exists()


def test_a_large_file_is_never_whole_in_memory(tmp_path: Path) -> None:
    run = recorded(tmp_path / "home")
    os.truncate(run / "trace" / "1-0.trace", 256 << 20)
    packing = (
        "import resource, sys; from pathlib import Path; from workbench.cli.sharing import Drawn, share;"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "share(Path(sys.argv[1]), sys.argv[2], Drawn());"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    command = [sys.executable, "-c", packing, str(run), str(tmp_path / "run.tar.gz")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 64 << 10, "KiB"
