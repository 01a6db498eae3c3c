"""Events of a simulated run: their envelope, their files, their fingerprint."""

from __future__ import annotations

from pathlib import Path

from cluster.model.entry import Entry, EventId
from cluster.model.events import ProcessReady
from cluster.simulation.world.kernel import Kernel
from cluster.simulation.world.recording import UNREAD_MAX, Fingerprint, Reader, Recording, TraceFiles
from cluster.trace.reader import read_all


def recorded(*readers: Reader) -> list[Entry]:
    entries: list[Entry] = []
    recording = Recording("seed-0", Kernel(0))
    recording.listeners.append(entries.append)
    recording.readers += readers
    first, second = recording.writer(1, 0), recording.writer(2, 0)
    cause = first.write(ProcessReady(node_id=1, port=0), trigger="start", lamport=3)
    second.write(ProcessReady(node_id=2, port=0), cause=cause)
    first.write(ProcessReady(node_id=1, port=1))
    recording.writer(2, 1).write(ProcessReady(node_id=2, port=2))
    recording.catch_up()
    return entries


def test_each_writer_counts_for_itself_and_no_two_events_have_the_same_time() -> None:
    entries = recorded()
    assert [entry.id for entry in entries] == [
        EventId(1, 0, 0),
        EventId(2, 0, 0),
        EventId(1, 0, 1),
        EventId(2, 1, 0),
    ]
    times = [entry.t_ns for entry in entries]
    assert times == sorted(set(times))
    assert entries[1].cause == entries[0].id
    assert (entries[0].trigger, entries[0].lamport) == ("start", 3)
    assert {entry.wall_ns - entry.t_ns for entry in entries} == {946_684_800_000_000_000}


def test_trace_files_are_read_like_those_of_processes(tmp_path: Path) -> None:
    files = TraceFiles(tmp_path / "trace")
    entries = recorded(files)
    files.close()
    assert sorted(path.name for path in (tmp_path / "trace").iterdir()) == ["1-0.trace", "2-0.trace", "2-1.trace"]
    assert read_all(tmp_path / "trace") == entries


def test_a_fingerprint_is_equal_for_equal_traces_only() -> None:
    one, other = Fingerprint(), Fingerprint()
    entries = recorded(one)
    for entry in entries:
        other([entry])
    assert str(one) == str(other)
    other(entries[-1:])
    assert str(one) != str(other)


def test_listeners_are_told_at_once_and_readers_many_at_a_time() -> None:
    told: list[Entry] = []
    parts: list[list[Entry]] = []
    recording = Recording("seed-0", Kernel(0))
    recording.listeners.append(told.append)
    recording.readers.append(lambda entries: parts.append(list(entries)))
    writer = recording.writer(1, 0)
    for port in range(UNREAD_MAX + 2):
        writer.write(ProcessReady(node_id=1, port=port))
    assert len(told) == UNREAD_MAX + 2
    assert [len(part) for part in parts] == [UNREAD_MAX]
    recording.catch_up()
    recording.catch_up()
    assert [entry for part in parts for entry in part] == told
    assert len(parts) == 2, "there was nothing left to catch up with"
