"""Faults in force: numbers, what undoes them, what links and disks are told."""

from __future__ import annotations

import pytest

from cluster.faults.disks import DiskFull
from cluster.faults.fault import DiskFault, Fault
from cluster.faults.fault_book import FaultBook, Injected
from cluster.faults.grammar import parse_command
from cluster.faults.processes import DOWN

NODES = (101, 1, 2, 3)


def fault_of(text: str) -> Fault:
    command = parse_command(text)
    assert isinstance(command, Fault)
    return command


def book_of(*commands: str) -> FaultBook:
    book = FaultBook()
    for text in commands:
        book.add(book.open(fault_of(text)))
    return book


def numbers(book: FaultBook) -> list[int]:
    return [fault.fault_id for fault in book]


def test_faults_are_numbered_from_one_and_a_number_is_never_used_again() -> None:
    book = book_of("kill 1", "pause 2")
    second = book.get(2)
    assert second is not None
    book.remove(second)
    assert book.open(fault_of("cut 1>2")).fault_id == 3
    assert numbers(book) == [1]


def test_undo_takes_back_the_newest_that_is_in_force() -> None:
    book = book_of("kill 1", "pause 2", "cut 1>3")
    for expected in (3, 2, 1):
        newest = book.newest()
        assert newest is not None
        assert newest.fault_id == expected
        book.remove(newest)
    assert book.newest() is None
    assert len(book) == 0


def test_removing_twice_changes_nothing() -> None:
    book = book_of("kill 1", "pause 2")
    first = book.get(1)
    assert first is not None
    book.remove(first)
    book.remove(first)
    assert numbers(book) == [2]


@pytest.mark.parametrize(
    ("text", "kind", "arguments"),
    [
        ("pause 2", "Pause", "2"),
        ("cut 1>2", "Cut", "1>2"),
        ("cut 1-2", "Cut", "1-2"),
        ("cut 1>2,2-3", "CutLinks", "1>2,2>3,3>2"),
        ("partition 1,2|3", "Partition", "1,2|3"),
        ("fsync lie 3", "FsyncLie", "3"),
        ("fsync slow 3 500ms", "FsyncSlow", "3 500ms"),
        ("fsync lie-dir 3", "FsyncLieDir", "3"),
        ("clock skew 3 +2s", "SkewClock", "3 +2000ms"),
        ("crash 3 after vote", "CrashPoint", "3 after vote"),
        ("lose all 5%", "LoseMessages", "all 5%"),
        ("disk-full 1 4KiB", "DiskFull", "1 4096"),
        ("client drop-responses 1 15%", "ClientDropResponses", "1 0.15"),
        ("delay 1-2 200ms 50ms jitter", "Delay", "1-2 200ms 50ms jitter"),
        ("power-loss 1,2", "PowerLoss", "1,2"),
        ("freeze", "Freeze", ""),
    ],
)
def test_a_fault_is_written_as_the_readers_of_the_trace_expect_it(text: str, kind: str, arguments: str) -> None:
    fault = Injected(7, fault_of(text))
    told = fault.told()
    assert (told["kind"], told["arguments"]) == (kind, arguments)
    assert str(fault).startswith("7 ")


def test_faults_are_found_by_kind_and_node() -> None:
    book = book_of("kill 1", "power-loss 2,3", "fsync lie 3", "disk-full 1")
    assert [fault.fault_id for fault in book.find(DOWN, 3)] == [2]
    assert [fault.fault_id for fault in book.find((DiskFault,), 1)] == [4]
    assert [fault.fault_id for fault in book.find(DOWN)] == [1, 2]
    assert fault_of("power-loss 2,3").nodes == (2, 3)
    assert fault_of("cut 1>2").nodes == ()


def test_nodes_are_told_every_direction_of_every_link_fault_with_its_number() -> None:
    book = book_of("cut 1>2", "delay 1-3 20ms 5ms jitter", "slow-link 2>1 64KiB", "kill 3")
    assert book.rules(NODES) == [
        {"kind": "cut", "source": 1, "target": 2, "fault_id": 1},
        {"kind": "delay", "source": 1, "target": 3, "fault_id": 2, "delay_ms": 20, "jitter_ms": 5},
        {"kind": "delay", "source": 3, "target": 1, "fault_id": 2, "delay_ms": 20, "jitter_ms": 5},
        {"kind": "slow", "source": 2, "target": 1, "fault_id": 3, "bytes_per_second": 65536},
    ]


def test_isolating_a_node_cuts_it_from_all_others_both_ways() -> None:
    pairs = {(rule["source"], rule["target"]) for rule in book_of("isolate 2").rules(NODES)}
    assert pairs == {(2, 1), (1, 2), (2, 3), (3, 2), (2, 101), (101, 2)}


def test_healing_one_of_two_cuts_of_a_link_leaves_the_other() -> None:
    book = book_of("cut 1-2", "isolate 1")
    first = book.get(1)
    assert first is not None
    book.remove(first)
    assert {rule["fault_id"] for rule in book.rules(NODES)} == {2}
    assert (1, 2) in {(rule["source"], rule["target"]) for rule in book.rules(NODES)}


def test_a_disk_is_told_all_its_faults_at_once_and_the_smaller_budget_holds() -> None:
    book = book_of("fsync lie 1", "fsync slow 1 500ms", "disk-full 1 8KiB", "disk-full 1 4KiB", "fsync lie 2")
    honest = dict.fromkeys(("lying", "lying_dir", "failing", "misreading"), False) | {
        "slow_ms": 0,
        "budget_bytes": None,
    }
    assert book.disk(1) == {**honest, "lying": True, "slow_ms": 500, "budget_bytes": 4096}
    assert book.disk(2) == {**honest, "lying": True}
    assert book.disk(3) == honest
    assert book_of("fsync lie-dir 1", "fsync fail 1").disk(1) == {**honest, "lying_dir": True, "failing": True}
    assert book_of("misread 1", "misread 2").disk(1) == {**honest, "misreading": True}


def test_a_clock_is_told_the_sum_of_its_faults() -> None:
    book = book_of("clock skew 1 +2s", "clock skew 1 -500ms", "clock drift 1 10%", "clock drift 2 -20%")
    assert (book.clock(1), book.clock(2), book.clock(3)) == ((1500, 10), (0, -20), (0, 0))


def test_a_broker_is_told_all_that_stands_between_it_and_its_clients() -> None:
    book = book_of("client cut 1", "client slow 1 200ms", "client drop-responses 1 0.1", "client slow 2 1s")
    assert book.client_faults(1) == {"drop": 0.1, "slow_ms": 200, "cut": True}
    assert book.client_faults(2) == {"drop": 0.0, "slow_ms": 1000, "cut": False}
    assert book.client_faults(3) == {"drop": 0.0, "slow_ms": 0, "cut": False}


def test_a_disk_that_is_full_at_once_has_a_budget_of_nothing() -> None:
    command = parse_command("disk-full 1")
    assert isinstance(command, DiskFull)
    assert book_of("disk-full 1").disk(1)["budget_bytes"] == 0
