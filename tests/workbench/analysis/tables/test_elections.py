"""Elections and vote rounds of the quorum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cluster.model import events as ev
from tests.support.traces.made_events import QUORUM, RUN, at, fixed, frame, rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
VOTERS = (101, 102, 103)


def _asks(t_ms: float, node: int, epoch: int, *, pre_vote: bool = False) -> Any:
    return at(
        t_ms, node, ev.ElectionStarted(epoch=epoch, pre_vote=pre_vote, last_epoch=0, last_offset=0, voters=VOTERS)
    )


def _counts(t_ms: float, node: int, epoch: int, granted: int, rejected: int, *, pre_vote: bool = False) -> Any:
    numbers = {"granted_count": granted, "rejected_count": rejected, "needed": 2}
    return at(t_ms, node, ev.VoteReceived(epoch=epoch, voter_id=9, pre_vote=pre_vote, granted=True, **numbers))


def _wins(t_ms: float, node: int, epoch: int) -> Any:
    return at(t_ms, node, ev.LeaderElected(epoch=epoch, epoch_start_offset=0, votes=(101, 102)))


def _turns(t_ms: float, node: int, epoch: int, role: str) -> Any:
    return at(t_ms, node, ev.RoleChanged(role=role, epoch=epoch, leader_id=-1, voted_for=-1, why="x"))


def _offices(spark: SparkSession, *listed: tuple[int, float]) -> DataFrame:
    made = [(RUN, QUORUM, epoch, until) for epoch, until in listed]
    return spark.createDataFrame(made, "run string, topic string, epoch bigint, until_ms double")


def test_an_epoch_is_won_split_or_without_majority(spark: SparkSession) -> None:
    from workbench.analysis.tables.elections import elections

    events = [_asks(10, 101, 1), _wins(14, 101, 1)]
    events += [_asks(50, 102, 2), _asks(51, 103, 2), _asks(90, 103, 3)]
    found = elections(frame(spark, events), _offices(spark))
    expected = [
        (1, "won", 101, [101], 4.0),
        (2, "split", None, [102, 103], None),
        (3, "no majority", None, [103], None),
    ]
    assert rows(found, "epoch", "outcome", "leader", "candidates", "duration_ms") == expected


def test_leaderless_time_runs_from_when_the_last_leader_left_office(spark: SparkSession) -> None:
    from workbench.analysis.tables.elections import elections

    events = [
        _asks(10, 101, 1),
        _wins(14, 101, 1),
        _asks(90, 102, 3),
        _wins(95, 102, 3),
        _asks(99, 103, 4),
        _wins(99.5, 103, 4),
    ]
    found = elections(frame(spark, events), _offices(spark, (1, 30.0), (3, 200.0), (4, 200.0)))
    assert rows(found, "epoch", "leaderless_ms") == [(1, 14.0), (3, 65.0), (4, 0.0)]


def test_a_round_counts_what_its_candidate_counted_itself_included(spark: SparkSession) -> None:
    from workbench.analysis.tables.elections import elections, vote_rounds

    events = [
        *(_asks(10, 101, 0, pre_vote=True), _counts(11, 101, 0, 2, 0, pre_vote=True), _turns(12, 101, 1, "candidate")),
        *(_asks(12.1, 101, 1), _counts(13, 101, 1, 2, 0), _turns(14, 101, 1, "leader"), _wins(14.1, 101, 1)),
        *(_asks(12.2, 102, 1), _counts(13.5, 102, 1, 1, 1), _turns(15, 102, 1, "follower")),
        *(_asks(50, 102, 2), _counts(51, 102, 2, 1, 1), _asks(50.5, 103, 2)),
    ]
    made = frame(spark, events)
    found = vote_rounds(made, fixed(elections(made, _offices(spark))))
    expected = [
        (0, 101, True, "won", 2, 0, 2.0),
        (1, 101, False, "won", 2, 0, 1.9),
        (1, 102, False, "beaten", 1, 1, 2.8),
        (2, 102, False, "split", 1, 1, None),
        (2, 103, False, "split", 1, 0, None),
    ]
    names = ("epoch", "candidate", "pre_vote", "outcome", "granted_count", "rejected_count")
    shown = rows(found.withColumn("_ms", found["duration_ms"].cast("decimal(9,1)").cast("double")), *names, "_ms")
    assert shown == expected
    assert rows(found.select("needed").distinct(), "needed") == [(2,)]
