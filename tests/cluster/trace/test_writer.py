"""The writer numbers events without gaps and keeps nothing back."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from cluster.model.entry import Entry, EventId
from cluster.model.events.lab import RunEnded
from cluster.model.events.storage import StorageError
from cluster.model.ruling import Decision
from cluster.trace.reader import read_all
from cluster.trace.writer import TraceWriter
from tests.support.kinds import all_as

ROOT = Path(__file__).parents[3]


def errors(entries: Iterable[Entry]) -> list[str]:
    """What each says, storage errors all of them."""
    return [event.what for event in all_as(StorageError, (entry.event for entry in entries))]


def test_events_are_numbered_from_zero_without_gaps(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "trace" / "1-0.trace", "run", 1, 0)
    ids = [writer.write(StorageError(errno=5, what=str(number))) for number in range(5)]
    assert ids == [EventId(1, 0, number) for number in range(5)]
    entries = read_all(tmp_path / "trace")
    assert [entry.id for entry in entries] == ids
    assert errors(entries) == list("01234")
    assert all(before.t_ns <= after.t_ns for before, after in zip(entries, entries[1:], strict=False))


def test_why_and_from_what_are_kept(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "1-0.trace", "run", 1, 0)
    decision = Decision("rule", False, "because", "KIP-1", {"theirs": 3})
    event = StorageError(errno=5, what="x")
    writer.write(event, decision=decision, cause=EventId(2, 1, 7), trigger="VoteRequest", lamport=9)
    entry = read_all(tmp_path)[0]
    assert (entry.run, entry.decision, entry.cause) == ("run", decision, EventId(2, 1, 7))
    assert (entry.trigger, entry.lamport, entry.event) == ("VoteRequest", 9, event)


def test_a_refused_event_takes_no_number(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "1-0.trace", "run", 1, 0)
    with pytest.raises(ValueError, match="longer than"):
        writer.write(StorageError(errno=5, what="x" * (1 << 20)))
    assert writer.write(StorageError(errno=5, what="")).seq == 0
    assert len(read_all(tmp_path)) == 1


def test_a_file_has_one_writer_and_is_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        writer = TraceWriter(tmp_path / "trace" / "1-0.trace", "run", 1, 0)
    finally:
        os.umask(old)
    assert writer.path.stat().st_mode & 0o077 == 0
    assert writer.path.parent.stat().st_mode & 0o077 == 0
    with pytest.raises(FileExistsError):
        TraceWriter(writer.path, "run", 1, 0)
    writer.close()


CHILD = """
import sys
from pathlib import Path
from cluster.model.events.lab import RunEnded
from cluster.model.events.storage import StorageError
from cluster.trace.writer import TraceWriter
writer = TraceWriter(Path(sys.argv[1]), "run", 1, 0)
for number in range(500):
    writer.write(StorageError(errno=5, what=str(number)))
print("ready", flush=True)
while True:
    writer.write(StorageError(errno=5, what="more"))
"""


@pytest.mark.first
@pytest.mark.processes
def test_kill_keeps_all_events(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path / "1-0.trace")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGKILL)
        child.wait()
    entries = read_all(tmp_path)
    assert errors(entries[:500]) == [str(number) for number in range(500)]


def test_a_buffered_writer_keeps_events_back_until_it_is_told_to_flush(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "1-0.trace", "run", 1, 0, is_buffered=True)
    first = writer.write(StorageError(errno=5, what="a"))
    writer.write(StorageError(errno=5, what="b"), cause=first)
    assert read_all(tmp_path) == []
    writer.flush()
    assert errors(read_all(tmp_path)) == ["a", "b"]
    writer.write(StorageError(errno=5, what="c" * 70_000))
    assert len(read_all(tmp_path)) == 3, "a large buffer does not wait"
    writer.write(StorageError(errno=5, what="d"))
    writer.close()
    assert len(read_all(tmp_path)) == 4


def test_half_an_entry_is_taken_back_when_the_disk_is_full(tmp_path: Path) -> None:
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from cluster.model.errors import StorageFailed\n"
        "from cluster.model.events import RunEnded\n"
        "from cluster.trace.writer import TraceWriter\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "writer = TraceWriter(Path(sys.argv[1]), 'run', 0, 0)\n"
        "limit = resource.getrlimit(resource.RLIMIT_FSIZE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit))\n"
        "try:\n"
        "    while True: writer.write(RunEnded(clean=True))\n"
        "except StorageFailed as error: print(error.errno)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))\n"
        "writer.write(RunEnded(clean=False, why='full'))\n"
        "writer.close()\n"
    )
    path = tmp_path / "trace" / "0-0.trace"
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(errno.ENOSPC)]
    last = [entry.event for entry in read_all(path.parent)][-1]
    assert last == RunEnded(clean=False, why="full"), "the entries after it can be read"
