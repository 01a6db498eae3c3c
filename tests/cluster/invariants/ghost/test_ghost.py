"""What is rebuilt from events."""

from __future__ import annotations

from cluster.invariants.checker import Checker
from cluster.invariants.ghost.ghost import Ghost
from cluster.model.identifiers import METADATA, TopicPartition
from tests.support.traces.partition_traces import advanced, appended, decided, orders
from tests.support.traces.quorum_traces import led
from tests.support.traces.traces import Trace, recovered

ORDERS = TopicPartition("orders", 0)


def ghost_of(trace: Trace) -> Ghost:
    checker = Checker()
    for entry in trace.entries:
        checker.feed(entry)
    checker.finish()
    return checker.ghost


def test_what_is_committed_is_taken_from_the_leader_that_says_so() -> None:
    ghost = ghost_of(orders()).partitions[ORDERS]
    assert ghost.true_high_watermark == 2
    assert ghost.committed.end_offset == 2
    assert ghost.committed.digest == ghost.logs[2].digest


def test_nobody_but_the_appointed_leader_commits() -> None:
    trace = orders()
    trace.add(2, advanced(3, 0))
    trace.add(1, advanced(3, 7))
    trace.add(2, advanced(3, 0, "follower"))
    assert ghost_of(trace).partitions[ORDERS].true_high_watermark == 2


def test_the_true_high_watermark_never_falls_and_committed_records_stay() -> None:
    trace = orders()
    trace.add(101, decided(2, 1))
    trace.add(2, advanced(1, 1))
    ghost = ghost_of(trace).partitions[ORDERS]
    assert (ghost.true_high_watermark, ghost.logs[2].high_watermark) == (2, 1)
    trace.add(2, appended(2, (2, 1, "c")))
    trace.add(2, advanced(4, 1))
    ghost = ghost_of(trace).partitions[ORDERS]
    assert [ghost.committed.batch(index).crc for index in range(2)] == [0xA, 0xC]


def test_a_restart_keeps_what_the_files_keep_and_learns_what_the_trace_had_lost() -> None:
    trace = orders()
    trace.exit(1)
    trace.start(1)
    trace.add(1, recovered(5, ((0, 2, 0, ("a",)), (2, 1, 0, ("b",)), (3, 2, 0, ("d",))), topic="orders"))
    log = ghost_of(trace).partitions[ORDERS].logs[1]
    assert log.end_offset == 5 and log.is_known
    assert log.batch(2) == (3, 5, 0, 0xD)


def test_a_restart_that_finds_less_cuts_whole_batches() -> None:
    trace = orders()
    trace.exit(1)
    trace.start(1)
    trace.add(1, recovered(2, ((0, 2, 0, ("a",)),), topic="orders"))
    log = ghost_of(trace).partitions[ORDERS].logs[1]
    assert (log.end_offset, len(log)) == (2, 1)


def test_only_the_newest_batches_are_told_at_a_restart_and_the_older_ones_are_remembered() -> None:
    trace = orders()
    trace.exit(1)
    trace.start(1)
    trace.add(1, recovered(3, ((2, 1, 0, ("b",)),), topic="orders"))
    log = ghost_of(trace).partitions[ORDERS].logs[1]
    assert len(log) == 2 and log.is_known


def test_what_a_restart_finds_changed_is_another_log() -> None:
    trace = orders()
    before = ghost_of(trace).partitions[ORDERS].logs[1].digest
    trace.exit(1)
    trace.start(1)
    trace.add(1, recovered(3, ((0, 2, 0, ("f",)), (2, 1, 0, ("b",))), topic="orders"))
    log = ghost_of(trace).partitions[ORDERS].logs[1]
    assert (log.end_offset, len(log)) == (3, 2)
    assert log.digest != before


def test_nodes_go_up_and_down() -> None:
    trace = led()
    gone = trace.exit(103)
    ghost = ghost_of(trace)
    assert ghost.voting.voters == (101, 102, 103)
    assert (ghost.nodes[101].role, ghost.nodes[101].is_running) == ("leader", True)
    assert (ghost.nodes[103].role, ghost.nodes[103].exit_event) == ("", gone)
    assert ghost.partitions[METADATA] is ghost.quorum
