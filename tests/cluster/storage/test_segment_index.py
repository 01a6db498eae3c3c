"""A log of several files: when it goes on in the next, and what a start after a kill reads of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from cluster.model.events import DamageFound, Event, LogRecovered, SegmentRolled, SegmentsTrusted
from cluster.model.identifiers import TopicPartition
from cluster.model.record_batch import Record, encode_batch
from cluster.storage.checkpoints import RECOVERY_POINTS
from cluster.storage.disk import Disk
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.node_store import NodeStore
from cluster.storage.segment import Rolling, Segment, segment_name
from cluster.storage.segment_index import index_names, write_indexes

ORDERS = TopicPartition("orders", 0)
OWN = {"internal.segment.bytes": "200"}


class Machine:
    """One disk over several lives of its node, whose wall clock is set by hand."""

    def __init__(self) -> None:
        self.files, self.told = MemoryFiles(), []
        self.wall_ms = 1_000_000
        self.files.now_ms = lambda: self.wall_ms
        self.read_bytes: dict[str, int] = {}
        self.store = self.start()

    told: list[Event]

    def start(self) -> NodeStore:
        self.told = []
        self.store = NodeStore(self.files, host_fsync=False, emit=self.told.append, is_buffered=False)
        self.store.open(ORDERS)
        self.store.configure(ORDERS, OWN)
        return self.store

    def write(self, count: int, time_ms: int = 0) -> None:
        log, _ = self.store.open(ORDERS)
        for offset in range(log.log_end_offset, log.log_end_offset + count):
            batch = encode_batch([Record(None, b"x" * 20)], offset, offset // 5, time_ms)
            self.store.append(ORDERS, batch)

    def of(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.told if type(event) is kind]

    def recovered(self) -> LogRecovered:
        return next(event for event in self.told if isinstance(event, LogRecovered) and event.topic == "orders")

    def spoil(self, name: str, change: Callable[[bytes], bytes]) -> None:
        books = self.files.load_books(name)
        data = change(self.files.read(name, 0, 1 << 20))
        self.files.truncate(name, 0)
        self.files.write(name, data, 0)
        books.cut(len(data))
        books.written = len(data)
        self.files.save_books(name, books)


@pytest.fixture
def killed() -> Machine:
    """Ten records in segments of two, with recovery points, and no mark of a stop in order."""
    machine = Machine()
    machine.write(10)
    machine.store.checkpoint()
    return machine


def segment(base: int, ending: str = "log") -> str:
    return segment_name("orders-0", base).removesuffix("log") + ending


def test_a_full_file_is_closed_with_its_indexes_and_flushed(killed: Machine) -> None:
    rolled = killed.of(SegmentRolled)
    assert [(event.base_offset, event.end_offset, event.why) for event in rolled] == [  # type: ignore[union-attr]
        (base, base + 2, "segment.bytes") for base in (0, 2, 4, 6)
    ]
    log, _ = killed.store.open(ORDERS)
    assert (log.flushed_offset, [facts.base_offset for facts in log.segments()]) == (8, [0, 2, 4, 6, 8])
    assert {segment(6, "index"), segment(6, "timeindex")} <= set(killed.files.names())
    assert segment(8, "index") not in killed.files.names()


@pytest.mark.parametrize(
    ("size", "first_ms", "begun_ms", "time_ms", "now_ms", "why"),
    [
        (0, -1, 0, 99, 99_999, ""),
        (60, -1, 0, 0, 500, ""),
        (60, -1, 0, 0, 501, "segment.ms"),
        (60, 1_000, 0, 1_500, 99_999, ""),
        (60, 1_000, 0, 1_501, 0, "segment.ms"),
        (61, 1_000, 0, 1_501, 0, "segment.bytes"),
    ],
)
def test_a_file_is_closed_by_size_then_by_the_time_of_its_records_or_else_its_own(
    size: int, first_ms: int, begun_ms: int, time_ms: int, now_ms: int, why: str
) -> None:
    active = Segment("orders-0/x.log", 0, begun_ms)
    active.size, active.first_ms = size, first_ms
    assert Rolling(100, 500).why(active, 40, time_ms, now_ms) == why


def test_after_a_kill_only_what_is_past_the_recovery_point_is_read(killed: Machine) -> None:
    killed.spoil(segment(2), lambda data: data[:70] + bytes([data[70] ^ 1]) + data[71:])  # nobody looks there
    killed.start()
    (trusted,) = killed.of(SegmentsTrusted)
    assert isinstance(trusted, SegmentsTrusted)
    assert (trusted.segments, trusted.recovery_point, trusted.scanned_from) == (4, 8, 8)
    assert (killed.recovered().why, killed.recovered().log_end_offset) == ("scanned", 10)
    assert killed.of(DamageFound) == []
    log, _ = killed.store.open(ORDERS)
    assert log.leader_epochs.entries() == ((0, 0), (1, 5))
    assert log.read(3, 1)[:8] == (3).to_bytes(8, "big")


def test_leader_epochs_that_ended_before_the_log_start_stay_forgotten(killed: Machine) -> None:
    """A crash kept the shorter log and lost the checkpoint that was written with it. Source: Kafka LogLoader."""
    killed.store.advance_start(ORDERS, 6)
    killed.spoil("orders-0/leader-epoch-checkpoint", lambda _data: b"0\n2\n0 0\n1 5\n")
    killed.start()
    log, _ = killed.store.open(ORDERS)
    assert (log.log_start_offset, log.leader_epochs.entries()) == (6, ((1, 6),))


@pytest.mark.parametrize(
    ("file", "change", "what"),
    [
        (segment(2, "index"), lambda data: data[:-3], "no whole number of entries"),
        (segment(2, "index"), lambda data: b"\xff" + data[1:], "check sum does not match"),
        (segment(4, "timeindex"), lambda data: data[:7] + bytes([data[7] ^ 1]) + data[8:], "check sum does not match"),
        (segment(2, "index"), lambda _data: b"", "no whole number of entries"),
        (segment(4, "timeindex"), lambda data: data[:-12], "check sum does not match"),
        (segment(4, "timeindex"), lambda data: data[:-1] + b"\x07", "check sum does not match"),
        (segment(2), lambda data: data[:-1], "does not end at 4"),
        ("orders-0/leader-epoch-checkpoint", lambda _data: b"0\n2\n0 0\n", "no list of rising epochs"),
        ("orders-0/leader-epoch-checkpoint", lambda _data: b"0\n2\n1 5\n0 0\n", "no list of rising epochs"),
        ("orders-0/leader-epoch-checkpoint", lambda _data: b"0\n1\n0 0\n", "does not know the leader epoch"),
        (RECOVERY_POINTS, lambda data: data[:-4], "no checkpoint"),
        (RECOVERY_POINTS, lambda _data: b"\x80\x81", "no checkpoint"),
    ],
)
def test_what_is_damaged_is_told_and_not_used(
    killed: Machine, file: str, change: Callable[[bytes], bytes], what: str
) -> None:
    killed.spoil(file, change)
    killed.start()
    damage = killed.of(DamageFound)[0]
    assert isinstance(damage, DamageFound)
    assert (damage.path, what in damage.what) == (file, True), damage
    cut = file.endswith(".log") and "does not end" in what
    assert killed.recovered().log_end_offset == ((3 if len(killed.of(DamageFound)) > 1 else 4) if cut else 10)
    log, _ = killed.store.open(ORDERS)
    assert log.leader_epochs.entries() == (((0, 0),) if cut else ((0, 0), (1, 5)))


def test_the_index_of_another_segment_is_told_and_not_used(killed: Machine) -> None:
    whole = indexes_of(3)
    for ending, what in (("timeindex", "do not fit the index"), ("index", "do not fit the segment")):
        killed.spoil(segment(2, ending), partial(put_in_place, whole[ending]))
        killed.start()
        (damage,) = killed.of(DamageFound)
        assert isinstance(damage, DamageFound)
        assert (damage.path, what in damage.what) == (segment(2, ending), True), damage
        assert killed.recovered().log_end_offset == 10
        killed.store.checkpoint()


def put_in_place(new: bytes, _old: bytes) -> bytes:
    return new


def indexes_of(batches: int) -> dict[str, bytes]:
    """The index files of a segment with so many batches, each far enough from the last to be in them."""
    disk, made = Disk(MemoryFiles()), Segment("orders-0/00000000000000000000.log", 0)
    for offset in range(batches):
        made.add(offset, 5000, 1000)
    write_indexes(disk, made, batches)
    return {name.rpartition(".")[2]: disk.read_whole(name) or b"" for name in index_names(made)}


def test_files_with_a_wrong_name_are_told_and_not_used(killed: Machine) -> None:
    for name in (segment(7, "index"), segment(7, "timeindex"), "orders-0/seven.log"):
        killed.files.create(name)
        killed.files.write(name, killed.files.read(segment(6, name.rpartition(".")[2]), 0, 1 << 20), 0)
    killed.start()
    told = [(event.path, event.what) for event in killed.of(DamageFound)]  # type: ignore[union-attr]
    assert told == [
        (segment(7, "index"), "no segment belongs to it"),
        (segment(7, "timeindex"), "no segment belongs to it"),
        ("orders-0/seven.log", "its name is no offset of twenty digits"),
    ]
    assert killed.recovered().log_end_offset == 10
    assert segment(7, "index") not in killed.files.names()


def test_segments_after_a_cut_one_are_told_and_dropped(killed: Machine) -> None:
    killed.spoil(segment(4), lambda data: data[:-1])
    killed.start()
    assert [event.path for event in killed.of(DamageFound)] == [  # type: ignore[union-attr]
        segment(4), segment(6), segment(8),
    ]  # fmt: skip
    assert not [name for name in killed.files.names() if name.startswith((segment(6, ""), segment(8, "")))]
    assert killed.recovered().log_end_offset == 5


def test_a_file_under_another_name_is_not_used(killed: Machine) -> None:
    data = killed.files.read(segment(6), 0, 1 << 20)
    killed.files.create(segment(7))
    killed.files.write(segment(7), data, 0)
    killed.start()
    assert killed.recovered().log_end_offset == 8
    assert segment(7) in [event.path for event in killed.of(DamageFound)]  # type: ignore[union-attr]


def test_indexes_that_could_not_be_used_are_written_anew(killed: Machine) -> None:
    killed.spoil(segment(2, "index"), lambda _data: b"")
    killed.start()
    killed.store.checkpoint()
    killed.start()
    assert killed.of(DamageFound) == []
    assert killed.of(SegmentsTrusted)[0].segments == 4  # type: ignore[union-attr]


def test_a_cut_below_the_recovery_point_takes_that_back_and_the_indexes_of_what_is_written_again(
    killed: Machine,
) -> None:
    killed.store.truncate(ORDERS, 3)
    names = killed.files.names()
    assert segment(2) in names and segment(2, "index") not in names and segment(4) not in names
    killed.write(1)
    killed.start()
    assert killed.of(SegmentsTrusted)[0].scanned_from == 2  # type: ignore[union-attr]
    assert killed.recovered().log_end_offset == 4


def test_a_file_of_deleted_records_goes_when_it_is_closed(killed: Machine) -> None:
    """Found by the swarm, seed 30422: its records were deleted while it was written to, and it stayed for good."""
    killed.store.advance_start(ORDERS, 10)
    log, _ = killed.store.open(ORDERS)
    assert [facts.base_offset for facts in log.segments()] == [8], "what is written to stays"
    killed.store.roll(ORDERS, "retention.ms")
    assert [facts.base_offset for facts in log.segments()] == [10]
    assert not [name for name in killed.files.names() if name.startswith(segment(8, ""))]


def test_what_is_deleted_from_the_front_takes_its_indexes_along(killed: Machine) -> None:
    killed.store.advance_start(ORDERS, 5)
    assert min(name for name in killed.files.names() if name.startswith("orders-0/0")) == segment(4, "index")
    killed.store.remove(ORDERS)
    assert not [name for name in killed.files.names() if name.startswith("orders-0")]


def test_a_segment_is_as_old_as_its_newest_record_or_else_its_file(killed: Machine) -> None:
    log, _ = killed.store.open(ORDERS)
    assert {facts.newest_ms for facts in log.segments()} == {1_000_000}
    killed.wall_ms = 2_000_000
    killed.write(1, time_ms=1_234_567)
    assert log.segments()[-1].newest_ms == 1_234_567
    killed.write(2, time_ms=1_200_000)
    killed.store.checkpoint()
    killed.start()
    log, _ = killed.store.open(ORDERS)
    assert [facts.newest_ms for facts in log.segments()][-2:] == [1_234_567, 1_200_000]
