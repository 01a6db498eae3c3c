"""ISR history, leaderships, outages and availability, which build on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.made_events import QUORUM, at, ended, fixed, frame, rows
from workbench.analysis.report.rows import partition_sentence

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def _state(kind: Any, leader: int, leader_epoch: int, partition_epoch: int, isr: tuple[int, ...], **more: Any) -> Any:
    numbers = {"leader": leader, "leader_epoch": leader_epoch, "partition_epoch": partition_epoch}
    fixed = {"topic": "t", "partition": 0, "elr": (), "replicas": (1, 2, 3), "min_insync_replicas": 2}
    return kind(isr=isr, **numbers, **fixed, **more)


def _applied(t_ms: float, node: int, *state: Any) -> Any:
    return at(t_ms, node, _state(ev.PartitionApplied, *state))


HISTORY = [
    at(9, 101, _state(ev.PartitionDecided, 1, 0, 0, (1, 2, 3), why="created", unclean=False)),
    _applied(10, 1, 1, 0, 0, (1, 2, 3)),
    _applied(11, 2, 1, 0, 0, (1, 2, 3)),
    at(29, 101, _state(ev.PartitionDecided, 1, 0, 1, (1,), why="shrink", unclean=False)),
    _applied(30, 1, 1, 0, 1, (1,)),
    _applied(60, 2, 2, 1, 2, (2, 3)),
    # Broker 1 comes back and applies old states again; they began earlier.
    _applied(70, 1, 1, 0, 1, (1,)),
    _applied(80, 2, -1, 2, 3, (2,)),
]
DEATH = [
    at(1, 0, ev.ProcessStarted(node_id=1, roles=("broker",), incarnation_number=0, pid=1)),
    at(2, 0, ev.ProcessStarted(node_id=2, roles=("broker",), incarnation_number=0, pid=1)),
    at(40, 0, ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=-9, expected=True)),
    at(65, 1, ev.ProcessReady(node_id=1, port=1), incarnation=1, seq=1),
    at(62, 0, ev.FaultApplied(**fault_fields(1, "Pause", "2"))),
    at(64, 0, ev.FaultReverted(**fault_fields(1, "Pause", "2"))),
    at(66, 0, ev.FaultApplied(**fault_fields(2, "Stutter", "2 200ms 50ms"))),
    at(73, 0, ev.FaultReverted(**fault_fields(2, "Stutter", "2 200ms 50ms"))),
]


def test_a_state_lasts_from_its_first_application_to_that_of_the_next(spark: SparkSession) -> None:
    from workbench.analysis.tables.isr_history import isr_history

    found = isr_history(frame(spark, HISTORY), ended(spark, 100.0))
    names = (
        "partition_epoch",
        "change",
        "leader",
        "isr",
        "under_min_isr",
        "joined",
        "left",
        "why",
        "from_ms",
        "until_ms",
    )
    assert rows(found, *names) == [
        (0, "created", 1, [1, 2, 3], False, [1, 2, 3], [], "created", 10.0, 30.0),
        (1, "shrunk", 1, [1], True, [], [2, 3], "shrink", 30.0, 60.0),
        (2, "leader", 2, [2, 3], False, [2, 3], [1], None, 60.0, 80.0),
        (3, "leaderless", -1, [2], True, [], [3], None, 80.0, 100.0),
    ]


def test_a_quorum_leader_leads_until_it_says_otherwise_or_is_gone(spark: SparkSession) -> None:
    from workbench.analysis.tables.isr_history import isr_history
    from workbench.analysis.tables.leaderships import leaderships

    events = [
        at(10, 101, ev.LeaderElected(epoch=1, epoch_start_offset=0, votes=(101, 102))),
        at(11, 101, ev.RoleChanged(role="leader", epoch=1, leader_id=101, voted_for=101, why="x")),
        at(30, 102, ev.LeaderElected(epoch=2, epoch_start_offset=0, votes=(102, 103))),
        at(40, 101, ev.RoleChanged(role="resigned", epoch=1, leader_id=-1, voted_for=-1, why="nobody fetches")),
        at(50, 0, ev.ProcessExited(node_id=102, incarnation_number=0, exit_code=-9, expected=True)),
        at(60, 103, ev.LeaderElected(epoch=3, epoch_start_offset=0, votes=(101, 103))),
    ]
    made, runs = frame(spark, events), ended(spark, 90.0)
    found = leaderships(made, fixed(isr_history(made, runs)), runs)
    assert rows(found, "epoch", "leader", "from_ms", "until_ms", "ended_by") == [
        (1, 101, 10.0, 40.0, "nobody fetches"),
        (2, 102, 30.0, 50.0, "its process is gone"),
        (3, 103, 60.0, 90.0, "end of the run"),
    ]


def test_outages_tell_what_was_missing_and_availability_adds_them_up(spark: SparkSession) -> None:
    from workbench.analysis.tables.isr_history import isr_history
    from workbench.analysis.tables.leaderships import leaderships
    from workbench.analysis.tables.outages import availability, outages

    made, runs = frame(spark, HISTORY + DEATH), ended(spark, 100.0)
    history = fixed(isr_history(made, runs))
    offices = fixed(leaderships(made, history, runs))
    assert rows(offices, "topic", "epoch", "leader", "from_ms", "until_ms") == [
        ("t", 0, 1, 10.0, 60.0),
        ("t", 1, 2, 60.0, 80.0),
    ]
    found = fixed(outages(made, offices, history, runs))
    assert rows(found, "kind", "leader", "from_ms", "until_ms") == [
        ("leader down", 1, 40.0, 60.0),
        ("leader paused", 2, 62.0, 64.0),
        ("leader stuttering", 2, 66.0, 73.0),
        ("leaderless", None, 80.0, 100.0),
        ("under min.insync", None, 30.0, 60.0),
    ]
    sums = ("observed_ms", "leaderless_ms", "leader_away_ms", "under_min_isr_ms", "no_write_ms", "no_acks_all_ms")
    assert rows(availability(found, offices, runs), *sums) == [(90.0, 20.0, 22.0, 30.0, 42.0, 52.0)]


def test_the_quorum_is_leaderless_between_leaders_that_do_not_overlap(spark: SparkSession) -> None:
    from workbench.analysis.tables.isr_history import isr_history
    from workbench.analysis.tables.outages import availability, outages

    offices = [(QUORUM, 1, 101, 10.0, 40.0), (QUORUM, 2, 102, 30.0, 50.0), (QUORUM, 3, 103, 70.0, 90.0)]
    schema = "topic string, epoch bigint, leader bigint, from_ms double, until_ms double"
    led = spark.createDataFrame(offices, schema).selectExpr("'20260101-000000-000aa' run", "0L partition", "*")
    made, runs = frame(spark, HISTORY[:0] + DEATH[:1]), ended(spark, 90.0)
    found = outages(made, led, fixed(isr_history(made, runs)), runs)
    assert rows(found, "kind", "from_ms", "until_ms") == [("leaderless", 50.0, 70.0)], "not before there was one"
    told = rows(availability(fixed(found), led, runs), "observed_ms", "leaderless_ms")
    assert told == [(80.0, sum(until - since for _, since, until in rows(found, "kind", "from_ms", "until_ms")))]


def test_a_partition_stands_as_its_newest_state_says_and_what_must_never_be_is_counted(spark: SparkSession) -> None:
    from workbench.analysis.tables.partitions import PARTITIONS_COLUMNS, partitions

    def advanced(epoch: int, high_watermark: int, role: str = "leader") -> Any:
        log: dict[str, Any] = {"topic": "t", "partition": 0, "leader_epoch": epoch, "role": role, "log_end_offsets": ()}
        return ev.HighWatermarkAdvanced(high_watermark=high_watermark, **log)

    def leads(node: int, epoch: int, topic: str = "t") -> Any:
        log: dict[str, Any] = {
            "topic": topic,
            "partition": 0,
            "leader_epoch": epoch,
            "epoch_start_offset": 0,
            "high_watermark": 0,
        }
        return at(90 + node, node, ev.BecameLeader(isr=(node,), **log))

    forked = _applied(85, 3, 3, 2, 3, (3,))
    watermarks = [
        at(31, 1, advanced(0, 50)),
        at(61, 2, advanced(1, 40)),
        at(62, 3, advanced(1, 99, "follower")),
    ]
    found = partitions(
        frame(spark, [*HISTORY, forked, *watermarks, leads(2, 1), leads(3, 1), leads(1, 0), leads(1, 0, "u")])
    )
    table = rows(found, *PARTITIONS_COLUMNS[1:])
    assert table == [
        ("t", 0, 3, 2, 3, [3], True, 40, 1, 1),
        ("u", 0, None, None, None, None, None, None, 0, 0),
    ]


def test_a_sentence_tells_what_is_wrong() -> None:
    row: dict[str, Any] = {"topic": "o\x1b", "partition": 1, "leader": 2, "leader_epoch": 1, "isr": [2]}
    row |= {"high_watermark": 7, "under_min_isr": True, "epochs_with_two_leaders": 0, "epochs_with_two_states": 0}
    told = partition_sentence(row)
    assert told.endswith("-1: leader 2 in epoch 1; ISR 2; high watermark 7; below min.insync.replicas")
    assert "\x1b" not in told
    twice = partition_sentence(
        row | {"under_min_isr": False, "epochs_with_two_leaders": 1, "epochs_with_two_states": 2}
    )
    assert twice.endswith("7; TWO LEADERS IN ONE EPOCH; TWO STATES UNDER ONE PARTITION EPOCH")
    nobody = partition_sentence(row | {"leader": -1, "isr": [], "high_watermark": None})
    assert nobody.endswith("-1: no leader in epoch 1; ISR empty; below min.insync.replicas")
    assert partition_sentence(row | {"leader": None}).endswith("-1: no state was committed yet")
