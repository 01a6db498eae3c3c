"""Runs, scripts and faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.made_events import at, by_script, ended, frame, readings_frame, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
EVENTS = [
    at(0, 0, ev.RunStarted(config="{}", world="processes", title="A lesson")),
    at(1, 0, ev.ProcessStarted(node_id=1, roles=("broker",), incarnation_number=0, pid=1)),
    at(20, 0, ev.FaultInjected(**fault_fields(1, "Kill", "1"), command="kill 1")),
    at(21, 0, ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=-9, expected=True)),
    at(22, 0, ev.FaultApplied(**fault_fields(1, "Kill", "1"))),
    at(30, 101, ev.LeaderElected(epoch=2, epoch_start_offset=0, votes=(101,))),
    at(40, 0, ev.FaultReverted(**fault_fields(1, "Kill", "1"))),
    at(41, 0, ev.ProcessStarted(node_id=1, roles=("broker",), incarnation_number=1, pid=2)),
    at(50, 0, ev.FaultInjected(**fault_fields(2, "Cut", "1>2"), command="cut 1>2")),
    at(51, 0, ev.FaultApplied(**fault_fields(2, "Cut", "1>2"))),
    at(60, 9001, ev.ExpectationChecked(text="expect x", held=False, seen="y")),
    at(80, 0, ev.ProcessExited(node_id=1, incarnation_number=1, exit_code=-9, expected=True)),
    at(95, 0, ev.RunEnded(clean=True)),
]


NOTHING = {"unknown_count": 0, "torn_bytes": 0}


def test_a_run_is_observed_until_its_lab_begins_to_end_it(spark: SparkSession) -> None:
    from workbench.analysis.tables.runs import runs

    whole = [NOTHING | {"file": f"{node}-0.trace", "to_byte": 9} for node in (0, 1)]
    found = runs(frame(spark, EVENTS), readings_frame(spark, *whole))
    names = (
        "title",
        "observed_ms",
        "is_complete",
        "has_ended",
        "node_count",
        "incarnations",
        "fault_count",
        "file_count",
    )
    assert rows(found, *names) == [("A lesson", 80.0, True, True, 1, 2, 2, 2)]


def test_a_process_that_ended_unasked_does_not_end_the_observation(spark: SparkSession) -> None:
    from workbench.analysis.tables.common import OBSERVED, asked

    crash = at(70, 0, ev.ProcessExited(node_id=1, incarnation_number=1, exit_code=1, expected=False))
    assert rows(asked(OBSERVED, events=frame(spark, [*EVENTS, crash])), "observed_ms") == [(80.0,)]


def test_a_file_that_broke_is_named_and_its_run_is_not_whole(spark: SparkSession) -> None:
    from workbench.analysis.tables.runs import runs

    told = (
        {"file": "0-0.trace", "to_byte": 9, "torn_bytes": 7, "unknown_count": 2},
        {"file": "0-0.trace", "to_byte": 20, "torn_bytes": 3, "unknown_count": 1},
        {"file": "1-0.trace", "to_byte": 64, "bad_byte": 64, "bad_why": "not an entry"},
    )
    found = runs(frame(spark, EVENTS), readings_frame(spark, *(NOTHING | row for row in told)))
    expected = [(False, ["1-0.trace byte 64 not an entry"], 3, 3, 2)]
    assert rows(found, "is_complete", "bad_files", "torn_bytes", "unknown_count", "file_count") == expected


def test_a_fault_has_what_came_before_the_next_one(spark: SparkSession) -> None:
    from workbench.analysis.tables.faults import faults
    from workbench.analysis.tables.isr_history import isr_history

    first = next(entry for entry in EVENTS if isinstance(entry.event, ev.FaultInjected))
    told = [by_script(entry) if entry is first else entry for entry in EVENTS]
    made, runs = frame(spark, told), ended(spark, 80.0)
    found = faults(made, isr_history(made, runs), runs)
    names = (
        "command",
        "applied_ms",
        "duration_ms",
        "until_ms",
        "quorum_leaders_elected",
        "first_effect",
        "first_effect_ms",
        "commanded_by",
    )
    assert rows(found, *names) == [
        ("cut 1>2", 51.0, 29.0, 80.0, 0, None, None, ""),
        ("kill 1", 22.0, 18.0, 51.0, 1, "raft.leader_elected", 8.0, "script"),
    ]


def test_a_script_is_its_steps_checks_and_answers(spark: SparkSession) -> None:
    from workbench.analysis.tables.runs import script

    assert rows(script(frame(spark, EVENTS)), "t_ms", "what", "text", "held", "seen") == [
        (60.0, "checked", "expect x", False, "y")
    ]
