"""Entries of a run in progress, in order of time across its files."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from cluster.model.entry import Entry
from cluster.model.events import ProcessReady
from cluster.trace.entry import encode_entry
from cluster.trace.reader import TraceFolder
from workbench.session import follow
from workbench.session.follow import HOLD_BACK_MOST_NS, HOLD_BACK_NS, Follower

MS = 1_000_000


class Files:
    """Trace files that grow by hand-made entries."""

    def __init__(self, run_folder: Path) -> None:
        self.folder = run_folder / "trace"
        self.folder.mkdir()
        self._counts: dict[int, int] = {}

    def tell(self, node: int, t_ms: int) -> None:
        seq = self._counts.get(node, 0)
        self._counts[node] = seq + 1
        event = ProcessReady(node_id=node, port=1)
        entry = Entry("run", node, 0, seq, t_ms * MS, 0, 0, None, "", None, event)
        with (self.folder / f"{node}-0.trace").open("ab") as file:
            file.write(encode_entry(entry))


def test_young_entries_wait_for_older_ones_of_slower_writers(tmp_path: Path) -> None:
    files, taken = Files(tmp_path), list[Entry]()
    follower = Follower(tmp_path, taken.extend)
    files.tell(1, 1_000)
    assert follower.poll(1_000 * MS + HOLD_BACK_NS - 1) == 0
    files.tell(2, 999)
    assert follower.poll(1_000 * MS + HOLD_BACK_NS) == 2
    assert [entry.node for entry in taken] == [2, 1]


def test_a_late_entry_makes_the_wait_longer_and_punctual_ones_shorter_again(tmp_path: Path) -> None:
    files, taken = Files(tmp_path), list[Entry]()
    follower = Follower(tmp_path, taken.extend)
    files.tell(1, 1_000)
    follower.poll(1_050 * MS)
    files.tell(2, 970)
    follower.poll(1_060 * MS)
    assert [entry.node for entry in taken] == [1, 2], "what is too late is shown all the same"
    files.tell(1, 1_070)
    assert follower.poll(1_070 * MS + 2 * HOLD_BACK_NS) == 0, "the wait covers 30 ms of delay now"
    assert follower.poll(1_070 * MS + HOLD_BACK_MOST_NS) == 1
    for t_ms in range(2_000, 2_400):
        files.tell(1, t_ms)
        follower.poll((t_ms + 100) * MS)
    files.tell(1, 3_000)
    assert follower.poll(3_000 * MS + HOLD_BACK_NS) == 1


def test_another_run_begins_with_the_shortest_wait(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    first, second = Files(tmp_path / "one"), Files(tmp_path / "two")
    taken = list[Entry]()
    follower = Follower(tmp_path / "one", taken.extend)
    first.tell(1, 1_000)
    follower.poll(None)
    first.tell(2, 1)
    follower.poll(None)
    follower.follow(tmp_path / "two")
    second.tell(3, 500)
    assert follower.poll(500 * MS + HOLD_BACK_NS) == 1
    assert [entry.node for entry in taken] == [1, 2, 3]


def open_files(folder: Path) -> list[str]:
    """Trace files of a run that this process has open."""
    links = Path("/proc/self/fd")
    return [name for link in links.iterdir() if (name := read_link(link)).startswith(str(folder))]


def read_link(link: Path) -> str:
    """What a descriptor is of; nothing of one that was closed meanwhile, as that of the listing itself."""
    try:
        return os.readlink(link)
    except FileNotFoundError:
        return ""


def test_the_files_of_a_run_are_closed_once_another_one_is_followed(tmp_path: Path) -> None:
    """Nobody polled at that moment, and only who polled closed them."""
    files = Files(tmp_path)
    follower = Follower(tmp_path, list[Entry]().extend)
    files.tell(1, 1_000)
    follower.poll(None)
    files.tell(1, 1_001)
    assert follower.poll(None) == 1 and open_files(tmp_path)
    follower.follow(Path())
    assert not open_files(tmp_path)


async def test_files_that_are_being_read_are_closed_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Files(tmp_path)
    follower = Follower(tmp_path, list[Entry]().extend)
    files.tell(1, 1_000)
    follower.poll(None)
    reads, may_go_on, read = threading.Event(), threading.Event(), TraceFolder.poll

    def slow_poll(reader: TraceFolder) -> list[Entry]:
        reads.set()
        may_go_on.wait(10)
        return read(reader)

    monkeypatch.setattr(TraceFolder, "poll", slow_poll)
    reading = asyncio.create_task(asyncio.to_thread(follower.poll, None))
    await asyncio.to_thread(reads.wait, 10)
    following = asyncio.create_task(asyncio.to_thread(follower.follow, Path()))
    await asyncio.sleep(0)
    may_go_on.set()
    await asyncio.gather(reading, following)
    assert not open_files(tmp_path)


async def test_what_a_closing_screen_had_just_read_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by the free lab: the end of a node was read while `q` closed the screen, and nobody ever heard of it."""
    files, taken = Files(tmp_path), list[Entry]()
    follower = Follower(tmp_path, taken.extend)
    files.tell(1, 1_000)
    has_read, may_return, read = threading.Event(), threading.Event(), TraceFolder.poll

    def slow_poll(reader: TraceFolder) -> list[Entry]:
        entries = read(reader)
        has_read.set()
        may_return.wait(10)
        return entries

    async def close_while_it_reads() -> None:
        following = asyncio.create_task(follower.run())
        await asyncio.to_thread(has_read.wait, 10)
        following.cancel()
        await asyncio.wait({following})
        may_return.set()

    with monkeypatch.context() as patch:
        patch.setattr(TraceFolder, "poll", slow_poll)
        patch.setattr(follow, "AT_ONCE_BYTES", -1)  # in a thread, however little it is
        await close_while_it_reads()
    files.tell(1, 1_001)
    follower.poll(None)
    assert [entry.seq for entry in taken] == [0, 1]


def test_without_a_run_nothing_is_followed_whatever_lies_where_we_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Files(tmp_path).tell(1, 1_000)
    monkeypatch.chdir(tmp_path)
    told: list[Entry] = []
    assert Follower(Path(), told.extend).poll(None) == 0 and not told
    assert Follower(tmp_path, told.extend).poll(None) == len(told) == 1


def test_who_has_much_to_hand_on_is_behind_until_it_is_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "BEHIND", 2)
    files, taken = Files(tmp_path), list[Entry]()
    follower = Follower(tmp_path, taken.extend)
    for t_ms in (1_000, 1_001):
        files.tell(1, t_ms)
    assert follower.poll(0) == 0 and follower.behind == 0, "so many the hold-back leaves waiting"
    files.tell(1, 1_002)
    assert follower.poll(0) == 0 and follower.behind == 3
    assert follower.poll(None) == 3 and follower.behind == 0


async def test_it_tells_what_share_is_read_until_what_came_meanwhile_is_handed_on_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, taken = Files(tmp_path), list[Entry]()
    monkeypatch.setattr(follow, "SLICE", 1)
    for t_ms in (1_000, 1_001, 1_002, 1_003):
        files.tell(1, t_ms)
    shares = list[float | None]()

    def take_while_it_grows(batch: list[Entry]) -> None:
        taken.extend(batch)
        files.tell(2, 2_000)

    follower = Follower(tmp_path, take_while_it_grows)
    assert (Follower(Path(), taken.extend).share_read, follower.share_read) == (None, 0.0)
    await follower.read_past(tell=lambda _: shares.append(follower.share_read))
    known = [share for share in shares if share is not None]
    assert known == sorted(known) and 0.0 < known[0] < 1.0 and len(known) == len(shares), "what came meanwhile waits"
    follower.poll(None)
    assert follower.share_read is None and len(taken) > 4
    follower.follow(tmp_path)
    assert follower.share_read == 0.0, "another run is to be read"
