"""The verdicts of the checker as a table: on literal events, and up to the damage of a broken file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cluster.invariants.checker import check
from cluster.model import events as ev
from cluster.model.entry import EventId
from tests.support.traces.made_events import at, frame, readings_frame, rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
TWO_LEADERS = [
    at(1, 101, ev.LeaderElected(epoch=3, epoch_start_offset=0, votes=(101, 102)), seq=0),
    at(2, 102, ev.LeaderElected(epoch=3, epoch_start_offset=0, votes=(102, 103)), seq=0),
    at(3, 1, ev.ReplicaAppended(
        topic="t", partition=0, base_offset=0, count=1, end_offset=1, leader_epoch=0, batches=((0, 1, 0, "aa"),),
        role="leader", size_bytes=80,
    ), seq=0),
]  # fmt: skip


def _readings(spark: SparkSession, *listed: dict[str, Any]) -> DataFrame:
    return readings_frame(spark, *({"file": "0-0.trace"} | row for row in listed))


@pytest.mark.first
def test_the_table_says_what_the_checker_says_rule_by_rule(spark: SparkSession) -> None:
    from workbench.analysis.tables.verdicts import verdicts

    found = verdicts(frame(spark, TWO_LEADERS), _readings(spark, {}))
    names = ("rule", "title", "verdict", "check_count", "violation_count", "sentence")
    told = [
        (line.info.id, line.info.title, str(line.verdict), line.checks, line.violation_count,
         line.violations[0].sentence if line.violations else None)
        for line in check(TWO_LEADERS)
    ]  # fmt: skip
    assert sorted(rows(found, *names)) == sorted(told)
    assert rows(found.where("rule = 'R1'"), "verdict", "t_ms", "excuse") == [("VIOLATED", 2.0, None)]


def test_after_the_damage_of_one_file_nothing_is_judged(spark: SparkSession) -> None:
    from workbench.analysis.tables.verdicts import verdicts

    damaged = {"file": "101-0.trace", "bad_byte": 9, "bad_why": "not an entry"}
    found = verdicts(frame(spark, TWO_LEADERS), _readings(spark, {}, damaged))
    told = {line.info.id: (str(line.verdict), line.checks) for line in check(TWO_LEADERS[:1])}
    assert {row[0]: row[1:] for row in rows(found, "rule", "verdict", "check_count")} == told
    assert told["R1"] == ("HOLDS", 1), "the second leader is not heard of"


def test_what_a_torn_end_has_taken_is_not_evaluated(spark: SparkSession) -> None:
    from workbench.analysis.tables.verdicts import verdicts

    gone = EventId(101, 0, 1)
    events = [TWO_LEADERS[0], at(4, 102, ev.RunEnded(clean=True), seq=0, cause=gone)]
    earlier = {"file": "101-0.trace", "to_byte": 9, "torn_bytes": 0}
    for torn_bytes, verdict in ((7, "NOT EVALUATED"), (0, "VIOLATED")):
        read = _readings(spark, earlier, earlier | {"to_byte": 20, "torn_bytes": torn_bytes})
        found = verdicts(frame(spark, events), read)
        assert rows(found.where("rule = 'T3'"), "verdict") == [(verdict,)]
