"""Decisions about a partition that do not follow from their numbers."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from cluster.model.ruling import Decision, Numbers
from tests.support.traces.decided import Case, cases, is_wrong, judged
from tests.support.traces.traces import Trace

WHERE: dict[str, Any] = {"topic": "orders", "partition": 0}
PROPOSED = ev.IsrProposed(isr=(7, 8), old_isr=(7,), leader_epoch=1, partition_epoch=3, why="", **WHERE)
LAG = {
    "replica_id": 8, "log_end_offset": 4, "leader_log_end_offset": 5, "not_caught_up_ms": 101, "silent_ms": 101,
    "replica.lag.time.max.ms": 100, "replica.lag.max.messages": 3,
}  # fmt: skip
ENDS = {"log_end_offset of 7": 6, "log_end_offset of 8": 5, "high_watermark": 4}
SEQUENCE = {
    "producer_id": 5, "producer_epoch": 1, "known_epoch": 1, "base_sequence": 3, "count": 2, "last_sequence": 7,
}  # fmt: skip


def risen(role: str = "leader") -> ev.HighWatermarkAdvanced:
    """To 5."""
    return ev.HighWatermarkAdvanced(high_watermark=5, leader_epoch=1, role=role, log_end_offsets=(), **WHERE)


def cut() -> ev.ReplicaTruncated:
    """To 5."""
    return ev.ReplicaTruncated(end_offset=5, old_end_offset=9, high_watermark=3, mode="fetch", why="diverging", **WHERE)


def refused(error: int) -> ev.ProduceRefused:
    """Of acks=all."""
    return ev.ProduceRefused(client_id="p", error=error, acks=-1, sequence=(5, 1, 3, 2), **WHERE)


@cases(
    Case(
        "advance_high_watermark",
        risen(),
        ENDS | {"isr_size": 2, "min.insync.replicas": 2},
        ({"log_end_offset of 8": 6}, {"log_end_offset of 8": 4}, {"high_watermark": 5}, {"isr_size": 1}),
        ({"log_end_offset of 7": 5}, {"isr_size": 3}),
    ),
    Case(
        "commit_by_majority",
        risen(),
        ENDS | {"replicas": 3, "majority": 2},
        ({"log_end_offset of 8": 6}, {"majority": 1}, {"high_watermark": 5}),
        ({"log_end_offset of 9": 0},),
    ),
    Case(
        "shrink_isr",
        PROPOSED,
        LAG,
        ({"not_caught_up_ms": 100}, {"log_end_offset": 5}),
        ({"not_caught_up_ms": 900},),
    ),
    Case(
        "shrink_isr",
        ev.ReplicaLagging(replica_id=8, lagging=False, **WHERE),
        LAG | {"not_caught_up_ms": 100},
        ({"not_caught_up_ms": 101},),
        ({"not_caught_up_ms": 900, "log_end_offset": 5},),
        granted=False,
    ),
    Case(
        "shrink_isr_by_messages",
        PROPOSED,
        LAG,
        ({"silent_ms": 100}, {"log_end_offset": 5}),
        ({"silent_ms": 0, "log_end_offset": 1},),
    ),
    Case(
        "shrink_isr_by_messages",
        ev.ReplicaLagging(replica_id=8, lagging=False, **WHERE),
        LAG | {"silent_ms": 100, "log_end_offset": 2},
        ({"silent_ms": 101}, {"log_end_offset": 1}),
        granted=False,
    ),
    Case(
        "expand_isr",
        PROPOSED,
        {
            "replica_id": 8, "log_end_offset": 5, "high_watermark": 5, "epoch_start_offset": 5, "broker_epoch": 3,
            "registered_broker_epoch": 3,
        },
        ({"log_end_offset": 4}, {"high_watermark": 6}, {"epoch_start_offset": 6}, {"registered_broker_epoch": 4}),
        ({"broker_epoch": -1}, {"log_end_offset": 9}),
    ),
    Case(
        "may_append",
        refused(ErrorCode.NOT_ENOUGH_REPLICAS),
        {"acks": -1, "isr": [7], "min.insync.replicas": 2},
        ({"isr": [7, 8]}, {"acks": 1}),
        granted=False,
    ),
    Case(
        "may_write_outside",
        refused(ErrorCode.INVALID_TXN_STATE),
        {"producer_id": 5, "open_from": 0},
        ({"open_from": -1},),
        granted=False,
    ),
    Case(
        "acknowledge_records",
        ev.ProduceAnswered(client_id="p", error=ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, acks=-1, base_offset=0,
                           count=1, **WHERE),
        {"acks": -1, "isr": [7], "min.insync.replicas": 2},
        ({"isr": [7, 8]}, {"acks": 1}),
        granted=False,
    ),
    Case(
        "check_sequence",
        refused(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        SEQUENCE,
        ({"base_sequence": 8}, {"producer_epoch": 2, "base_sequence": 0}, {"producer_epoch": 0}),
        ({"base_sequence": 9}, {"producer_epoch": 2}),
        granted=False,
    ),
    Case(
        "check_sequence",
        refused(ErrorCode.INVALID_PRODUCER_EPOCH),
        SEQUENCE | {"producer_epoch": 0},
        ({"producer_epoch": 1},),
        granted=False,
    ),
    Case(
        "check_sequence",
        ev.ProduceDuplicated(
            client_id="p", producer_id=5, producer_epoch=1, base_sequence=3, base_offset=40, count=2, **WHERE
        ),
        SEQUENCE | {"written_at": 40},
        ({"written_at": 41}, {"base_sequence": 8}, {"known_epoch": 2}),
        ({"base_sequence": 7},),
        granted=False,
    ),
    Case(
        "check_leader_epoch",
        ev.FetchRefused(replica_id=8, error=ErrorCode.UNKNOWN_LEADER_EPOCH, their_epoch=2, our_epoch=1, **WHERE),
        {"their_leader_epoch": 2, "our_leader_epoch": 1},
        ({"our_leader_epoch": 2}, {"our_leader_epoch": 3}),
        ({"their_leader_epoch": -1}, {"our_leader_epoch": 2, "is_replica": 0}),
        granted=False,
    ),
    Case(
        "check_leader_epoch",
        ev.FetchRefused(replica_id=-1, error=ErrorCode.UNKNOWN_LEADER_EPOCH, their_epoch=2, our_epoch=1, **WHERE),
        {"their_leader_epoch": 2, "our_leader_epoch": 1},
        ({"our_leader_epoch": 2, "is_replica": 0},),
        granted=False,
    ),
    Case(
        "check_leader_epoch",
        ev.FetchRefused(replica_id=8, error=ErrorCode.NOT_LEADER_OR_FOLLOWER, their_epoch=2, our_epoch=2, **WHERE),
        {"their_leader_epoch": 2, "our_leader_epoch": 2, "is_leader": 0},
        ({"is_leader": 1}, {"our_leader_epoch": 1}, {"our_leader_epoch": 3}),
        (),
        granted=False,
    ),
    Case(
        "adopt_epoch",
        ev.EpochAdopted(leader_epoch=2, epoch_start_offset=5, log_end_offset=5, **WHERE),
        {"adopted_epoch": 1, "leader_epoch": 2, "log_end_offset": 5, "epoch_start_offset": 5},
        ({"log_end_offset": 4}, {"adopted_epoch": 2}, {"epoch_start_offset": -1}),
        ({"log_end_offset": 6}, {"epoch_start_offset": 0}),
    ),
    Case(
        "diverging_epoch",
        ev.ReplicaDiverged(
            replica_id=8, fetch_offset=9, last_fetched_epoch=2, diverging_epoch=2, diverging_end_offset=8, **WHERE
        ),
        {"leader_has_epoch": 2, "which_ends_at": 8},
        ({"which_ends_at": 9},),
        ({"leader_has_epoch": 1, "which_ends_at": 9},),
    ),
    Case(
        "truncation_point",
        cut(),
        {
            "leader_epoch_found": 2, "which_ends_at": 5, "own_log_end_offset": 9, "own_epoch_found": 2,
            "own_epoch_ends_at": 7,
        },
        ({"which_ends_at": 6}, {"own_epoch_ends_at": 4}, {"own_epoch_found": 1}, {"own_log_end_offset": 4}),
        ({"own_epoch_found": 1, "own_epoch_ends_at": 5}, {"own_epoch_ends_at": 5, "which_ends_at": 8}),
    ),
    Case(
        "truncation_point_kip101",
        cut(),
        {"leader_answered": 5, "own_log_end_offset": 9, "own_high_watermark": 3},
        ({"leader_answered": 6}, {"leader_answered": -1}, {"own_log_end_offset": 4}),
        ({"leader_answered": -1, "own_high_watermark": 5},),
    ),
    Case("truncation_point_high_watermark", cut(), {"high_watermark": 5}, ({"high_watermark": 4},)),
    Case(
        "expire_by_time",
        ev.SegmentsExpired(
            setting="retention.ms",
            limit=100,
            segments=((0, 5, 50, 899),),
            kept_bytes=0,
            wall_ms=1_000,
            role="leader",
            **WHERE,
        ),
        {"retention_ms": 100, "wall_ms": 1_000, "high_watermark": 5, "newest_ms": 899, "end_offset": 5},
        ({"newest_ms": 900}, {"end_offset": 6}, {"retention_ms": 99}),
        ({"newest_ms": 0},),
    ),
    Case(
        "expire_by_size",
        ev.SegmentsExpired(
            setting="retention.bytes",
            limit=100,
            segments=((0, 5, 50, 899),),
            kept_bytes=100,
            wall_ms=1_000,
            role="leader",
            **WHERE,
        ),
        {"retention_bytes": 100, "size_bytes": 150, "high_watermark": 5, "kept_bytes": 100, "end_offset": 5},
        ({"retention_bytes": 101},),
    ),
)  # fmt: skip
def test_a_decision_about_a_partition_follows_from_its_numbers(case: Case) -> None:
    judged("P40", case)


def test_without_the_gate_a_high_watermark_rises_with_a_small_isr() -> None:
    numbers = {"log_end_offset of 7": 5, "high_watermark": 4, "isr_size": 1, "min.insync.replicas": 2}
    trace = Trace()
    trace.run(hw_gate=False)
    judged("P40", Case("advance_high_watermark", risen(), numbers, ({"high_watermark": 5},)), trace=trace)


@pytest.mark.parametrize("start", [0, 5])
def test_a_cut_named_inside_a_batch_takes_all_of_it_that_is_left(start: int) -> None:
    """The log is 0 to 2, 3 to 6, 7 to 8; a leader that deleted records below 6 says that the epoch ends there."""
    batches, end = ((0, 3, 1, "a1"), (3, 4, 1, "b1"), (7, 2, 1, "c1")), max(3, start)
    trace = Trace()
    trace.add(
        7,
        ev.ReplicaAppended(
            base_offset=0,
            count=9,
            end_offset=9,
            leader_epoch=1,
            batches=batches,
            role="follower",
            size_bytes=9,
            **WHERE,
        ),
    )
    if start:
        trace.add(
            7,
            ev.LogStartAdvanced(
                log_start_offset=start, old_log_start_offset=0, high_watermark=6, role="follower", **WHERE
            ),
        )
    numbers = {
        "leader_epoch_found": 1, "which_ends_at": 6, "own_log_end_offset": 9, "own_epoch_found": 1,
        "own_epoch_ends_at": 9,
    }  # fmt: skip
    event = ev.ReplicaTruncated(
        end_offset=end, old_end_offset=9, high_watermark=3, mode="fetch", why="diverging", **WHERE
    )
    judged("P40", Case("truncation_point", event, numbers, ({"which_ends_at": 7}, {"which_ends_at": 2})), trace=trace)


@pytest.mark.parametrize(("removed", "is_found"), [((1,), False), ((0,), True)])
def test_a_cut_takes_what_compaction_took_before_it(removed: tuple[int, ...], is_found: bool) -> None:
    """The log is 0, 1, 2, and the record at 1 is gone: nothing ends at 2 where the log is to be cut."""
    told: dict[str, Any] = {"base_offset": 0, "count": 3, "end_offset": 3, "leader_epoch": 1, "size_bytes": 3}
    batches = ((0, 1, 1, "a1"), (1, 1, 1, "b1"), (2, 1, 1, "c1"))
    trace = Trace()
    trace.add(7, ev.ReplicaAppended(batches=batches, role="follower", **told, **WHERE))
    passed: dict[str, Any] = {
        "dirty_offset": 0, "end_offset": 3, "segments_before": 1, "segments_after": 1, "bytes_before": 1,
        "bytes_after": 1, "record_count": 3, "records": (), "removed": removed, "removed_count": 1, "expired": (),
        "batches": (), "opaque_count": 0, "delete_retention_ms": 1, "wall_ms": 1,
    }  # fmt: skip
    trace.add(7, ev.LogCleaned(**passed, **WHERE))
    numbers: Numbers = {
        "leader_epoch_found": 1, "which_ends_at": 2, "own_log_end_offset": 3, "own_epoch_found": 1,
        "own_epoch_ends_at": 3,
    }  # fmt: skip
    cut = ev.ReplicaTruncated(end_offset=1, old_end_offset=3, high_watermark=0, mode="fetch", why="", **WHERE)
    trace.add(7, cut)
    trace.entries[-1].decision = Decision("truncation_point", True, "", "", numbers)
    assert bool(trace.violations("P40")) is is_found


def not_marked(error: ErrorCode) -> ev.MarkerRefused:
    return ev.MarkerRefused(producer_id=9, producer_epoch=4, committed=True, coordinator_epoch=2, error=error, **WHERE)


MARKED = {"producer_epoch": 4, "coordinator_epoch": 2, "known_epoch": 4, "known_coordinator_epoch": 2}
OLDER, REPLACED = {**MARKED, "known_epoch": 5}, {**MARKED, "known_coordinator_epoch": 3}


@cases(
    Case("may_write_marker", ev.MarkerWritten(producer_id=9, producer_epoch=4, committed=True, offset=9,
         first_offset=0, coordinator_epoch=2, **WHERE), MARKED, (OLDER, REPLACED, {"bumps epoch": 1}),
         ({"known_epoch": 3}, {"known_epoch": 3, "bumps epoch": 1})),
    Case("may_write_marker", not_marked(ErrorCode.NONE), MARKED, (OLDER,)),
    Case("may_write_marker", not_marked(ErrorCode.INVALID_PRODUCER_EPOCH), OLDER, (MARKED,), granted=False),
    Case("may_write_marker", not_marked(ErrorCode.TRANSACTION_COORDINATOR_FENCED), REPLACED, (MARKED,), granted=False),
    Case("may_append", not_marked(ErrorCode.NOT_ENOUGH_REPLICAS), {"acks": -1, "isr": [7], "min.insync.replicas": 2},
         ({"isr": [7, 8]}, {"acks": 1}), granted=False),
)  # fmt: skip
def test_what_becomes_of_a_marker_follows_from_its_numbers(case: Case) -> None:
    judged("P40", case)


def test_what_is_compacted_is_closed_decided_and_new_enough() -> None:
    numbers = {"dirty_bytes": 50, "dirty_percent": 50, "least_percent": 50, "last_stable_offset": 5}
    wrong = ({"dirty_bytes": 0}, {"dirty_percent": 49}, {"last_stable_offset": 4})
    for dirty, active, more in ((0, 5, wrong), (0, 4, None), (5, 5, None)):
        began = ev.CleaningBegan(
            dirty_offset=dirty, end_offset=5, high_watermark=9, active_offset=active, role="leader", **WHERE
        )
        if more is None:
            is_wrong("P40", Case("may_clean", began, numbers, ()))
        else:
            judged("P40", Case("may_clean", began, numbers, more, ({"last_stable_offset": 6}, {"dirty_percent": 90})))


def test_a_marker_that_is_refused_by_a_yes_is_none() -> None:
    is_wrong("P40", Case("may_write_marker", not_marked(ErrorCode.INVALID_PRODUCER_EPOCH), OLDER, ()))


def test_a_consumer_is_sent_to_a_replica_in_its_rack_that_holds_the_offset() -> None:
    chosen = ev.ReadReplicaChosen(leader_epoch=1, rack="r2", replica_id=8, fetch_offset=5, **WHERE)
    numbers = {"rack": "r2", "leader_rack": "r1", "fetch_offset": 5, "its_log_end_offset": 5}
    wrong = ({"rack": "r1"}, {"leader_rack": "r2"}, {"its_log_end_offset": 4})
    judged("P40", Case("select_read_replica", chosen, numbers, wrong))
    nowhere = ev.ReadReplicaChosen(leader_epoch=1, rack="r2", replica_id=-1, fetch_offset=5, **WHERE)
    is_wrong("P40", Case("select_read_replica", nowhere, numbers, ()))


@pytest.mark.parametrize(("ends_at", "is_found"), [(4, False), (3, True)])
def test_a_leader_tells_where_an_epoch_ends_in_its_own_log(ends_at: int, is_found: bool) -> None:
    trace = Trace()
    trace.start(7)
    batches = ((0, 4, 1, "aa"), (4, 2, 2, "bb"))
    trace.add(7, ev.ReplicaAppended(base_offset=0, count=6, end_offset=6, leader_epoch=2, batches=batches,
                                    role="leader", size_bytes=9, **WHERE))  # fmt: skip
    event = ev.ReplicaDiverged(
        replica_id=8, fetch_offset=5, last_fetched_epoch=1, diverging_epoch=1, diverging_end_offset=ends_at, **WHERE
    )
    case = Case("diverging_epoch", event, {"leader_has_epoch": 1, "which_ends_at": ends_at}, ())
    if is_found:
        is_wrong("P40", case, trace=trace)
    else:
        judged("P40", case, trace=trace)
