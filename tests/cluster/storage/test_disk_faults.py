"""What faults do to a disk."""

from __future__ import annotations

import pytest

from cluster.faults.disks import DISK_FAULTS
from cluster.faults.fault import DiskFault
from cluster.faults.fault_book import FaultBook, Injected
from cluster.faults.grammar import parse_command
from cluster.storage.disk_faults import DiskFaults


def in_force(*commands: str) -> DiskFaults:
    """What the book of faults tells the disk of node 1."""
    book = FaultBook()
    for number, text in enumerate(commands, start=1):
        fault = parse_command(text)
        assert isinstance(fault, DiskFault)
        book.add(Injected(number, fault, nodes=(1,)))
    return DiskFaults.of(book.disk(1))


@pytest.mark.parametrize("kind", DISK_FAULTS, ids=lambda kind: kind.__name__)
def test_each_fault_of_a_disk_changes_something_of_it(kind: type[DiskFault]) -> None:
    text = f"{kind.verb} 1 {'500ms' if kind.verb == 'fsync slow' else ''}"
    assert in_force(text) != in_force() == DiskFaults()


def test_delays_add_up_and_the_smallest_room_holds() -> None:
    faults = in_force("fsync slow 1 500ms", "fsync slow 1 100ms", "disk-full 1 64KiB", "disk-full 1 4096")
    assert (faults.slow_ms, faults.budget_bytes) == (600, 4096)


def test_what_is_written_takes_room_until_there_is_none() -> None:
    faults = DiskFaults(budget_bytes=7)
    assert [faults.take(5), faults.take(5), faults.take(5)] == [5, 2, 0]
    faults.give_back(3)
    assert faults.take(9) == 3 and DiskFaults().take(9) == 9


def test_a_wrong_bit_comes_with_what_is_read_and_no_other() -> None:
    assert DiskFaults(misreading=True).as_read(b"ab") == b"ac" and DiskFaults(misreading=True).as_read(b"") == b""
    assert DiskFaults().as_read(b"ab") == b"ab"


def test_a_folder_may_lie_alone() -> None:
    assert in_force("fsync lie-dir 1").lies and in_force("fsync lie 1").lies and not in_force("misread 1").lies
