"""Snapshots and log starts: what is quiet and what is caught."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.quorum_traces import QuorumTrace, led
from tests.support.traces.traces import fsynced, recovered


def committed() -> QuorumTrace:
    """101 leads epoch 1 and has committed [0,4); 102 knows so, 103 has been away since offset 1."""
    trace = led()
    for name in ("x", "y"):
        trace.write(101, name)
    trace.fetch(102, 101)
    trace.advance(101, 4)
    trace.advance(102, 4, role="follower")
    return trace


def write(trace: QuorumTrace, node: int, end: int, digest: str = "aa", epoch: int = 1) -> None:
    trace.add(node, ev.SnapshotWritten(end_offset=end, epoch=epoch, size_bytes=9, record_count=1, digest=digest))


def load(trace: QuorumTrace, node: int, end: int, digest: str = "aa", kept: tuple[int, ...] = ()) -> None:
    told = tuple((one, 1) for one in kept or (end,))
    trace.add(node, ev.SnapshotLoaded(end_offset=end, epoch=1, record_count=1, digest=digest, kept=told))


def delete_before(trace: QuorumTrace, node: int, start: int, old: int = 0) -> None:
    end = trace.end(node)
    event = ev.MetadataLogStartAdvanced(log_start_offset=start, old_log_start_offset=old, log_end_offset=end)
    trace.add(node, event)


def drop(trace: QuorumTrace, node: int, end: int) -> None:
    trace.add(node, ev.SnapshotDeleted(end_offset=end, epoch=1))


def install(trace: QuorumTrace, node: int, end: int) -> None:
    """The log of the node is empty now and begins at end."""
    event = ev.SnapshotInstalled(
        end_offset=end, epoch=1, size_bytes=9, old_log_start_offset=0, old_end_offset=trace.end(node), leader_id=101
    )
    trace.add(node, event)
    trace.logs[node] = [batch for batch in trace.logs[101] if batch[1] <= end]
    trace.add(node, fsynced(end))


def test_a_log_that_is_cut_behind_a_snapshot_and_a_follower_that_gets_it_are_legal() -> None:
    trace = committed()
    for node in (101, 102):
        write(trace, node, 2)
        write(trace, node, 4, "bb")
        delete_before(trace, node, 4)
        drop(trace, node, 2)
    trace.add(101, ev.SnapshotOffered(
        replica_id=103, fetch_offset=1, last_fetched_epoch=1, log_start_offset=4, end_offset=4, epoch=1))  # fmt: skip
    install(trace, 103, 4)
    load(trace, 103, 4, "bb")
    trace.advance(103, 4, role="follower")
    trace.write(101, "after")
    trace.fetch(103, 101)
    trace.advance(101, 5)
    trace.advance(103, 5, role="follower")
    verdicts = trace.verdicts()
    assert trace.bad() == {}
    for invariant in ("R8", "R10", "R11", "R12", "R15", "R17"):
        assert verdicts[invariant].verdict is Verdict.HOLDS, invariant


def test_what_a_snapshot_stands_for_counts_for_a_majority() -> None:
    """103 leads next: it holds what is committed, though its log begins there."""
    trace = committed()
    write(trace, 101, 4)
    install(trace, 103, 4)
    load(trace, 103, 4)
    trace.elect(103, 2, 102)
    trace.follow(102, 103)
    trace.fetch(102, 103)
    trace.advance(103, 5)
    assert trace.bad() == {}
    assert trace.verdicts()["R9"].verdict is Verdict.HOLDS


def test_a_restart_behind_a_cut_log_is_legal() -> None:
    trace = committed()
    write(trace, 102, 4)
    delete_before(trace, 102, 4)
    trace.exit(102)
    trace.start(102, "controller")
    trace.add(102, _begins_at(4))
    load(trace, 102, 4)
    trace.add(102, _booted(4))
    assert trace.bad() == {}


def _begins_at(start: int, end: int = 4) -> ev.LogRecovered:
    plain = recovered(end, ())
    return replace(plain, log_start_offset=start)


def _booted(end: int) -> ev.QuorumBooted:
    return ev.QuorumBooted(
        epoch=1, voted_for=101, leader_id=-1, log_end_offset=end, last_epoch=1, voters=(101, 102, 103)
    )


def test_a_restart_behind_a_cut_log_without_a_snapshot_is_caught() -> None:
    trace = committed()
    trace.exit(102)
    trace.start(102, "controller")
    trace.add(102, _begins_at(2))
    trace.add(102, _booted(4))
    assert "has loaded no snapshot" in trace.violations("R15")[0].sentence


def _begin_anew_with_old_ones(trace: QuorumTrace) -> None:
    trace.exit(102)
    trace.start(102, "controller")
    trace.add(102, _begins_at(4))
    load(trace, 102, 4, kept=(2, 4))


Broken = tuple[str, Any, str]
BROKEN: tuple[Broken, ...] = (
    ("past the high watermark", lambda trace: write(trace, 102, 5), "it knows 4 to be committed"),
    ("of another epoch", lambda trace: write(trace, 102, 4, epoch=3), "in epoch 3; its log says 1"),
    ("where none ends", lambda trace: delete_before(trace, 102, 3), "where no snapshot of it ends"),
    ("loaded by a leader", lambda trace: load(trace, 101, 4), "while it leads"),
    ("installed by a leader", lambda trace: install(trace, 101, 4), "while it leads"),
    ("kept from before the log", _begin_anew_with_old_ones, "keeps snapshots that end at [2]"),
    ("the last one", lambda trace: drop(trace, 102, 4), "its last one"),
)


@pytest.mark.parametrize(("_what", "breaks", "sentence"), BROKEN, ids=[what for what, _, _ in BROKEN])
def test_r15_a_snapshot_out_of_place(_what: str, breaks: Any, sentence: str) -> None:
    trace = committed()
    breaks(trace)
    assert any(sentence in found.sentence for found in trace.violations("R15"))


def test_r15_a_snapshot_of_what_is_not_committed() -> None:
    trace = committed()
    trace.write(101, "open")
    install(trace, 103, 5)
    assert "only 4 is committed" in trace.violations("R15")[0].sentence


def test_r15_an_offer_of_what_is_not_there() -> None:
    trace = committed()
    trace.add(101, ev.SnapshotOffered(
        replica_id=103, fetch_offset=1, last_fetched_epoch=1, log_start_offset=4, end_offset=4, epoch=1))  # fmt: skip
    assert "that it does not have" in trace.violations("R15")[0].sentence


def test_r15_a_snapshot_that_has_gone_bad_is_none() -> None:
    trace = committed()
    write(trace, 102, 4)
    path = "__cluster_metadata-0/00000000000000000004-0000000001.checkpoint"
    trace.add(102, ev.SnapshotRejected(path=path, why="a bit flipped", source=-1))
    delete_before(trace, 102, 4)
    assert "where no snapshot of it ends" in trace.violations("R15")[0].sentence


def test_r15_the_snapshot_at_the_log_start_is_deleted() -> None:
    trace = committed()
    write(trace, 102, 2)
    write(trace, 102, 4, "bb")
    delete_before(trace, 102, 2)
    drop(trace, 102, 2)
    assert "with which its log begins" in trace.violations("R15")[0].sentence


@pytest.mark.parametrize(("most", "is_found"), [(8, True), (9, False)])
def test_r15_old_snapshots_stay_that_take_more_room_than_is_allowed(most: int, is_found: bool) -> None:
    """The newest three may be on their way out."""
    trace = committed()
    trace.run(metadata_max_retention_bytes=most)
    for end in (1, 2, 3, 4):
        write(trace, 101, end, str(end))
    assert not trace.violations("R15")
    write(trace, 101, 4, "4")
    assert bool(trace.violations("R15")) is is_found


def test_r10_two_images_of_one_offset() -> None:
    trace = committed()
    write(trace, 101, 4)
    write(trace, 102, 4, "bb")
    assert "has another image of what is below metadata offset 4" in trace.violations("R10")[0].sentence


def test_r10_a_snapshot_that_says_something_else_when_it_is_loaded() -> None:
    trace = committed()
    write(trace, 101, 4)
    install(trace, 103, 4)
    load(trace, 103, 4, "bb")
    assert len(trace.violations("R10")) == 1


def test_r12_a_snapshot_that_takes_back_what_a_voter_has_committed() -> None:
    trace = committed()
    write(trace, 101, 2)
    install(trace, 102, 2)
    assert "fell from offset 4 to 2" in trace.violations("R12")[0].sentence
