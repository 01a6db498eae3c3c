"""The reader follows growing files, waits for torn tails and names what is garbage."""

from __future__ import annotations

import os
import re
import resource
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry, UnknownEvent
from cluster.model.events.storage import StorageError
from cluster.trace.entry import encode_entry
from cluster.trace.reader import FILES_MAX, TraceError, TraceFolder, TraceStream, read_all
from tests.support.traces import story
from tests.support.traces.files import write_trace


def line(seq: int, node: int = 1, t_ns: int | None = None, run: str = "r", incarnation: int = 0) -> bytes:
    when = seq if t_ns is None else t_ns
    return encode_entry(
        Entry(run, node, incarnation, seq, when, 0, 0, None, "", None, StorageError(errno=5, what=str(seq)))
    )


def add(path: Path, data: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(data)


def seqs(entries: list[Entry]) -> list[int]:
    return [entry.seq for entry in entries]


def test_no_folder_and_an_empty_file_hold_no_events(tmp_path: Path) -> None:
    folder = TraceFolder(tmp_path / "trace")
    assert folder.poll() == []
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "1-0.trace").touch()
    assert folder.poll() == []
    assert folder.torn == {}


def test_each_poll_gives_what_is_new(tmp_path: Path) -> None:
    path, folder = tmp_path / "1-0.trace", TraceFolder(tmp_path)
    add(path, line(0) + line(1))
    assert seqs(folder.poll()) == [0, 1]
    assert folder.poll() == []
    add(path, line(2))
    assert seqs(folder.poll()) == [2]


def test_new_files_are_found(tmp_path: Path) -> None:
    folder = TraceFolder(tmp_path)
    add(tmp_path / "1-0.trace", line(0))
    assert len(folder.poll()) == 1
    os.utime(tmp_path, ns=(1, 1))
    add(tmp_path / "2-0.trace", line(0, node=2))
    assert [entry.node for entry in folder.poll()] == [2]


def test_entries_of_all_files_are_ordered_by_time_then_node(tmp_path: Path) -> None:
    add(tmp_path / "1-0.trace", line(0, t_ns=5) + line(1, t_ns=9))
    add(tmp_path / "2-0.trace", line(0, node=2, t_ns=5) + line(1, node=2, t_ns=7))
    (tmp_path / "notes.txt").write_text("not a trace")
    assert [(entry.t_ns, entry.node) for entry in read_all(tmp_path)] == [(5, 1), (5, 2), (7, 2), (9, 1)]


def test_an_entry_torn_at_any_byte_is_given_once_it_is_whole(tmp_path: Path) -> None:
    whole = line(1)
    for size in range(1, len(whole)):
        place = tmp_path / str(size)
        place.mkdir()
        add(place / "1-0.trace", line(0) + whole[:size])
        folder = TraceFolder(place)
        assert seqs(folder.poll()) == [0]
        assert folder.torn == {"1-0.trace": size}
        add(place / "1-0.trace", whole[size:])
        assert seqs(folder.poll()) == [1]
        assert folder.torn == {}
        folder.close()


@pytest.mark.parametrize(
    ("garbage", "why"),
    [
        (bytes(64), "an entry of 0 bytes"),
        (b"\xff" * 64, "an entry of 4294967295 bytes"),
        (b"\x00\x00\x00\x02\xc1\xc1" + bytes(9), "not an entry"),
        (b"\x00\x01\x00\x00" + b"\x91" * 65536, "not an entry"),
        (line(1), "sequence number 1 where 2 was due"),
        (line(3), "sequence number 3 where 2 was due"),
        (line(2, node=2), "node 2-0 in the file of another"),
        (line(2, incarnation=1), "node 1-1 in the file of another"),
        (line(2, run="other"), "run 'other' among 'r'"),
    ],
    ids=range(9),
)
def test_garbage_is_named_with_its_place_and_the_rest_is_kept(tmp_path: Path, garbage: bytes, why: str) -> None:
    good = line(0) + line(1)
    add(tmp_path / "1-0.trace", good + garbage)
    add(tmp_path / "5-0.trace", line(0, node=5))
    folder = TraceFolder(tmp_path)
    with pytest.raises(TraceError) as failed:
        folder.poll()
    assert failed.value.path.name == "1-0.trace"
    assert failed.value.offset == len(good)
    assert why in str(failed.value)
    assert [(entry.node, entry.seq) for entry in folder.poll()] == [(1, 0), (5, 0), (1, 1)]
    assert "1-0.trace" in folder.lost


def test_a_file_cut_shorter_or_deleted_is_noticed(tmp_path: Path) -> None:
    add(tmp_path / "1-0.trace", line(0) + line(1))
    add(tmp_path / "2-0.trace", line(0, node=2))
    folder = TraceFolder(tmp_path)
    assert len(folder.poll()) == 3
    os.truncate(tmp_path / "1-0.trace", 5)
    (tmp_path / "2-0.trace").unlink()
    assert folder.poll() == []
    assert folder.lost == {"1-0.trace": "cut shorter", "2-0.trace": "deleted"}
    assert folder.poll() == []


def test_events_of_a_newer_version_are_kept_and_counted(tmp_path: Path) -> None:
    unknown = Entry("r", 1, 0, 0, 0, 0, 0, None, "", None, UnknownEvent("new.kind", (1, ("a",))))
    add(tmp_path / "1-0.trace", encode_entry(unknown) + line(1))
    folder = TraceFolder(tmp_path)
    assert folder.poll()[0] == unknown
    assert folder.unknown == 1


def test_a_huge_line_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "1-0.trace"
    path.write_bytes(b"\x3f\xff\xff\xff")
    os.truncate(path, 1 << 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(TraceError):
        TraceFolder(tmp_path).poll()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 << 10


def test_a_long_file_is_read_in_pieces(tmp_path: Path) -> None:
    add(tmp_path / "1-0.trace", b"".join(line(seq) for seq in range(60_000)))
    assert (tmp_path / "1-0.trace").stat().st_size > 2 << 20
    assert seqs(read_all(tmp_path)) == list(range(60_000))


def test_a_stream_gives_all_files_in_order_and_counts_what_is_torn(tmp_path: Path) -> None:
    add(tmp_path / "1-0.trace", b"".join(line(seq, t_ns=10 * seq) for seq in range(4)))
    add(tmp_path / "2-0.trace", b"".join(line(seq, node=2, t_ns=10 * seq + 5) for seq in range(3)) + line(3, 2)[:9])
    stream = TraceStream(tmp_path)
    assert [entry.t_ns for entry in stream] == [0, 5, 10, 15, 20, 25, 30]
    assert stream.torn == {"2-0.trace": 9}


def test_a_stream_stops_at_an_instant(tmp_path: Path) -> None:
    add(tmp_path / "1-0.trace", b"".join(line(seq) for seq in range(9)))
    assert seqs(list(TraceStream(tmp_path, until_ns=4))) == [0, 1, 2, 3, 4]


def test_a_stream_names_garbage_and_foreign_runs(tmp_path: Path) -> None:
    add(tmp_path / "1-0.trace", line(0) + line(2))
    with pytest.raises(TraceError, match="sequence number 2 where 1 was due"):
        list(TraceStream(tmp_path))
    (tmp_path / "1-0.trace").unlink()
    add(tmp_path / "1-0.trace", line(0))
    add(tmp_path / "2-0.trace", line(0, node=2, run="another", t_ns=7))
    with pytest.raises(TraceError, match="'another' among 'r'"):
        list(TraceStream(tmp_path))


def test_a_stream_can_end_for_all_files_where_one_turns_to_garbage(tmp_path: Path) -> None:
    add(tmp_path / "1-0.trace", b"".join(line(seq, t_ns=10 * seq) for seq in range(9)))
    add(tmp_path / "2-0.trace", b"".join(line(seq, node=2, t_ns=10 * seq + 5) for seq in range(3)) + b"\x00" * 40)
    stream = TraceStream(tmp_path, salvage=True)
    assert [entry.t_ns for entry in stream] == [0, 5, 10, 15, 20, 25]
    assert list(stream.damaged) == ["2-0.trace"]
    assert "an entry of 0 bytes" in stream.damaged["2-0.trace"]


def test_a_stream_of_many_entries_holds_few_of_them(tmp_path: Path) -> None:
    add(tmp_path / "1-0.trace", b"".join(line(seq) for seq in range(30_000)))
    tracemalloc.start()
    try:
        assert sum(1 for _ in TraceStream(tmp_path)) == 30_000
        assert tracemalloc.get_traced_memory()[1] < 8_000_000  # all of them would be 20 MB
    finally:
        tracemalloc.stop()


def test_a_folder_or_a_pipe_where_a_file_should_be_is_named_and_never_waited_for(tmp_path: Path) -> None:
    add(tmp_path / "1-0.trace", line(0))
    (tmp_path / "2-0.trace").mkdir()
    with pytest.raises(TraceError, match=r"2-0\.trace: byte 0: not an ordinary file"):
        list(TraceStream(tmp_path))
    (tmp_path / "2-0.trace").rmdir()
    os.mkfifo(tmp_path / "3-0.trace")
    with pytest.raises(TraceError, match=r"3-0\.trace: byte 0: not an ordinary file"):
        read_all(tmp_path)


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ((5, 3), "event 1-0#1: its clock goes back from 5 to 3 ns"),
        ((5, 9, -5_000_000_000), "event 1-0#2: its clock goes back from 9 to -5000000000 ns"),
        ((-1,), "event 1-0#0: its clock shows -1 ns, before the run's beginning"),
    ],
)
def test_a_clock_that_goes_back_in_one_file_is_never_believed(
    tmp_path: Path, times: tuple[int, ...], told: str
) -> None:
    add(tmp_path / "1-0.trace", b"".join(line(seq, t_ns=t_ns) for seq, t_ns in enumerate(times)))
    with pytest.raises(TraceError) as refused:
        list(TraceStream(tmp_path))
    assert refused.value.why == told
    with pytest.raises(TraceError, match=re.escape(told)):
        TraceFolder(tmp_path).poll()
    salvaged = TraceStream(tmp_path, salvage=True)
    assert [entry.t_ns for entry in salvaged] == list(times[:-1])
    assert told in salvaged.damaged["1-0.trace"]


def started(node: int) -> bytes:
    event = ev.ProcessStarted(node_id=node, roles=("broker",), incarnation_number=0, pid=0)
    return encode_entry(Entry("r", 0, 0, 0, 0, 0, 0, None, "", None, event))


def booted(voters: tuple[int, ...]) -> bytes:
    event = ev.QuorumBooted(epoch=1, leader_id=-1, voted_for=-1, log_end_offset=0, last_epoch=0, voters=voters)
    return encode_entry(Entry("r", 1, 0, 0, 0, 0, 0, None, "", None, event))


@pytest.mark.parametrize(
    ("data", "node"),
    [
        (line(0, node=200), 200),
        (line(0, node=1000), 1000),
        (line(0, node=100_000), 100_000),
        (line(0, node=-1), -1),
        (started(100_000), 100_000),
        (booted((101, 102, 2**40)), 2**40),
    ],
    ids=["no controller", "no client", "writer", "negative", "started", "voter"],
)
def test_a_node_that_no_run_can_have_is_told(tmp_path: Path, data: bytes, node: int) -> None:
    add(tmp_path / "1-0.trace", data)
    with pytest.raises(TraceError, match=f"no node {node}: brokers have 1 to 99, controllers 101 to 199"):
        list(TraceStream(tmp_path))


def test_all_that_a_run_has_may_write(tmp_path: Path) -> None:
    for node in (0, 1, 99, 101, 199, 1001):
        add(tmp_path / f"{node}-0.trace", line(0, node=node))
    assert {entry.node for entry in TraceStream(tmp_path)} == {0, 1, 99, 101, 199, 1001}


def test_more_files_than_a_run_can_have_are_told_before_one_is_opened(tmp_path: Path) -> None:
    for number in range(FILES_MAX + 1):
        (tmp_path / f"1-{number}.trace").touch()
    reads: list[Callable[[], object]] = [lambda: list(TraceStream(tmp_path)), TraceFolder(tmp_path).poll]
    for read in reads:
        with pytest.raises(TraceError, match=f"{FILES_MAX + 1} trace files"):
            read()


def test_each_gives_what_poll_gives_and_tells_of_garbage_last(tmp_path: Path) -> None:
    folder = write_trace(tmp_path, story.full_story())
    reader, other = TraceFolder(folder), TraceFolder(folder)
    assert list(reader.each()) == other.poll() and list(reader.each()) == []
    with (folder / "2-0.trace").open("ab") as file:
        file.write(b"\xff" * 40)
    last = story.full_story()[-1]
    entry = Entry(last.run, 8, 0, 0, last.t_ns, 0, 0, None, "", None, last.event)
    (folder / "8-0.trace").write_bytes(encode_entry(entry))
    given = list[Entry]()
    with pytest.raises(TraceError, match="2-0.trace"):
        for item in reader.each():
            given.append(item)  # noqa: PERF402  # the error comes while it is taken
    assert given == [entry] and list(reader.each()) == []


def test_what_is_younger_than_a_poll_waits_so_that_no_effect_comes_before_its_cause(tmp_path: Path) -> None:
    """Node 2's file is read, node 2 tells of a cause, node 1 of its effect, and only then node 1's file is read."""
    folder = TraceFolder(tmp_path)
    add(tmp_path / "1-0.trace", line(0, t_ns=3) + line(1, t_ns=12))
    assert [(entry.node, entry.t_ns) for entry in folder.poll(until_ns=10)] == [(1, 3)]
    add(tmp_path / "2-0.trace", line(0, node=2, t_ns=11))
    assert [(entry.node, entry.t_ns) for entry in folder.poll(until_ns=20)] == [(2, 11), (1, 12)]
