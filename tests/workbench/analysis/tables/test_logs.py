"""Log positions, cells, truncations and record fates, which build on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from cluster.model import events as ev
from cluster.model.entry import EventId
from tests.support.traces.made_events import RUN, at, ended, fixed, frame, rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
CLIENT = 1001
_HISTORY = "run string, topic string, partition bigint, partition_epoch bigint, leader bigint"
_CELLS = """run string, topic string, partition bigint, node bigint, base_offset bigint, count bigint,
leader_epoch bigint, digest string, role string, cause_node bigint, cause_incarnation bigint, cause_seq bigint,
written_ms double,
committed_ms double, removed_ms double"""


def _appended(
    t_ms: float, node: int, base: int, epoch: int, digest: str, role: str, cause: Any = None, **more: Any
) -> Any:
    batch = (base, 1, epoch, digest)
    event = ev.ReplicaAppended(
        topic="t",
        partition=0,
        base_offset=base,
        count=1,
        end_offset=base + 1,
        leader_epoch=epoch,
        batches=(batch,),
        role=role,
        size_bytes=80,
    )
    return at(t_ms, node, event, cause=cause, **more)


def _marked(t_ms: float, node: int, mark: int, epoch: int, role: str = "leader") -> Any:
    numbers: dict[str, Any] = {"high_watermark": mark, "leader_epoch": epoch, "role": role, "log_end_offsets": ()}
    return at(t_ms, node, ev.HighWatermarkAdvanced(topic="t", partition=0, **numbers))


def _truncated(t_ms: float, node: int, old: int, new: int, mark: int) -> Any:
    words: dict[str, Any] = {"mode": "fetch", "why": "shared epoch ends"}
    event = ev.ReplicaTruncated(
        topic="t", partition=0, end_offset=new, old_end_offset=old, high_watermark=mark, **words
    )
    return at(t_ms, node, event)


def _recovered(t_ms: float, node: int, end: int, incarnation: int) -> Any:
    numbers = {"valid_bytes": 1, "dropped_bytes": 0, "log_end_offset": end, "high_watermark": 0}
    event = ev.LogRecovered(topic="t", partition=0, batches=(), why="scanned", **numbers)
    return at(t_ms, node, event, incarnation=incarnation, seq=0)


def _asks(t_ms: float, seq: int, number: int, acks: int = -1) -> Any:
    told: dict[str, Any] = {"function": "produce", "topic": "t", "partition": 0, "acks": acks, "value": f"v{number}"}
    return at(t_ms, CLIENT, ev.OperationInvoked(client_id="p", operation_id=number, **told), seq=seq)


def _hears(t_ms: float, seq: int, number: int, base: int, digest: str) -> Any:
    told: dict[str, Any] = {
        "function": "produce",
        "topic": "t",
        "partition": 0,
        "base_offset": base,
        "count": 1,
        "values": (digest,),
    }
    return at(t_ms, CLIENT, ev.OperationSucceeded(client_id="p", operation_id=number, **told), seq=seq)


def _client(seq: int) -> EventId:
    return EventId(CLIENT, 0, seq)


# Leader 1 of epoch 0 commits a, writes b and c that nobody fetches; broker 2 leads epoch 1 and writes d at b's offset;
# 1 comes back and is cut. What is committed at offset 1 is d, never b.
STORY = [
    *(_asks(1, 0, 1), _appended(2, 1, 0, 0, "aa", "leader", _client(0)), _appended(3, 2, 0, 0, "aa", "follower")),
    *(_marked(4, 1, 1, 0), _hears(5, 1, 1, 0, "aa"), _asks(6, 2, 2, acks=1)),
    *(_appended(7, 1, 1, 0, "bb", "leader", _client(2)), _hears(8, 3, 2, 1, "bb"), _asks(9, 4, 3)),
    *(_appended(10, 1, 2, 0, "cc", "leader", _client(4)), _asks(20, 5, 4)),
    *(_appended(21, 2, 1, 1, "dd", "leader", _client(5)), _marked(22, 2, 2, 1), _hears(23, 6, 4, 1, "dd")),
    *(_recovered(30, 1, 3, incarnation=1), at(31, 1, _truncated(31, 1, 3, 1, 0).event, incarnation=1, seq=1)),
]


@pytest.fixture(scope="module")
def story(spark: SparkSession) -> tuple[DataFrame, DataFrame, DataFrame]:
    """The story as events, log positions and log cells."""
    made = frame(spark, STORY)
    places = _positions(made)
    return made, places, _cells(made, places)


def _cells(made: DataFrame, places: DataFrame) -> DataFrame:
    from workbench.analysis.tables.log_cells import log_cells

    return fixed(log_cells(made, places))


def _positions(made: DataFrame) -> DataFrame:
    from workbench.analysis.tables.log_positions import log_positions

    return fixed(log_positions(made))


def test_ends_and_high_watermarks_are_carried_on_until_they_change(story: tuple[DataFrame, ...]) -> None:
    found = story[1].where("node = 1")
    names = ("t_ms", "old_log_end_offset", "log_end_offset", "high_watermark", "lag")
    assert rows(found, *names) == [
        (2.0, 0, 1, None, None),
        (4.0, 1, 1, 1, 0),
        (7.0, 1, 2, 1, 1),
        (10.0, 2, 3, 1, 2),
        (30.0, 3, 3, 0, 3),
        (31.0, 3, 1, 0, 1),
    ]


def test_a_batch_is_committed_by_a_leader_that_held_it_not_by_its_offset(story: tuple[DataFrame, ...]) -> None:
    found = story[2]
    assert rows(found, "node", "base_offset", "digest", "written_ms", "committed_ms", "removed_ms", "removed_by") == [
        (1, 0, "aa", 2.0, 4.0, None, None),
        (1, 1, "bb", 7.0, None, 31.0, "truncated"),
        (1, 2, "cc", 10.0, None, 31.0, "truncated"),
        (2, 0, "aa", 3.0, 4.0, None, None),
        (2, 1, "dd", 21.0, 22.0, None, None),
    ]


def test_a_cut_tells_how_much_of_it_was_acknowledged_and_committed(story: tuple[DataFrame, ...]) -> None:
    from workbench.analysis.tables.truncations import truncations

    found = truncations(*story)
    names = (
        "node",
        "kind",
        "why",
        "old_end_offset",
        "end_offset",
        "removed_count",
        "committed_count",
        "acknowledged_count",
    )
    assert rows(found, *names) == [(1, "truncated", "shared epoch ends", 3, 1, 2, 0, 1)]


def test_a_committed_record_that_a_disk_lost_is_told_as_such(spark: SparkSession) -> None:
    from workbench.analysis.tables.truncations import truncations

    events = [
        _asks(1, 0, 1),
        _appended(2, 1, 0, 0, "aa", "leader", _client(0)),
        _marked(3, 1, 1, 0),
        _hears(4, 1, 1, 0, "aa"),
    ]
    made = frame(spark, [*events, _recovered(9, 1, 0, incarnation=1)])
    places = _positions(made)
    found = truncations(made, places, _cells(made, places))
    assert rows(found, "kind", "removed_count", "committed_count", "acknowledged_count") == [("lost", 1, 1, 1)]


def test_cuts_of_one_instant_are_told_apart(spark: SparkSession) -> None:
    """In a simulated run a step takes no time: a node may cut several logs, or one log twice, at one moment."""
    from workbench.analysis.tables.truncations import truncations

    first = _truncated(9, 1, 3, 2, 1)
    other = replace(first.event, topic="u", old_end_offset=1, end_offset=0, high_watermark=0, why="other")
    again = replace(first.event, old_end_offset=2, end_offset=1, why="again")
    written = [_appended(2, 1, base, 0, f"a{base}", "leader") for base in range(3)]
    elsewhere = at(3, 1, replace(_appended(3, 1, 0, 0, "u0", "leader").event, topic="u"), seq=10)
    cuts = [at(9, 1, event, seq=90 + place) for place, event in enumerate((first.event, other, again))]
    written = [at(2, 1, entry.event, seq=place) for place, entry in enumerate(written)]
    made = frame(spark, [*written, elsewhere, *cuts])
    places = _positions(made)
    found = truncations(made, places, _cells(made, places))
    assert rows(found, "topic", "end_offset", "why", "high_watermark", "removed_count") == [
        ("t", 1, "again", 1, 1),
        ("t", 2, "shared epoch ends", 1, 1),
        ("u", 0, "other", 0, 1),
    ]


def _fates(spark: SparkSession, events: list[Any], leader: int = 2) -> DataFrame:
    """The fates when broker 1 led first, `leader` last, and nobody at the end."""
    from workbench.analysis.tables.operations import operations
    from workbench.analysis.tables.record_fates import record_fates

    made = frame(spark, events)
    history = spark.createDataFrame([(RUN, "t", 0, 0, 1), (RUN, "t", 0, 1, leader), (RUN, "t", 0, 2, -1)], _HISTORY)
    cells = _cells(made, _positions(made))
    return record_fates(fixed(operations(made)), made, cells, history, ended(spark, 99.0))


def test_each_operation_has_its_fate_in_the_log_of_the_last_leader(spark: SparkSession) -> None:
    refused: dict[str, Any] = {"function": "produce", "topic": "t", "partition": 0, "error": 19}
    more = [
        *(_asks(40, 7, 5), at(41, CLIENT, ev.OperationFailed(client_id="p", operation_id=5, **refused), seq=8)),
        *(_asks(42, 9, 6), at(49, CLIENT, ev.OperationUnknown(client_id="p", operation_id=6, **refused), seq=10)),
        _appended(43, 2, 2, 1, "ff", "leader", _client(9)),
    ]
    found = _fates(spark, STORY + more)
    assert rows(found, "operation_id", "outcome", "fate", "is_in_log", "visible_ms", "base_offset") == [
        (1, "acknowledged", "visible", True, 4.0, 0),
        (2, "acknowledged", "lost", False, None, 1),
        (3, "no answer", "in doubt", False, None, None),
        (4, "acknowledged", "visible", True, 22.0, 1),
        (5, "refused", "refused", False, None, None),
        (6, "unknown", "in doubt", True, None, None),
    ]


def _deleted(t_ms: float, node: int, start: int) -> Any:
    numbers: dict[str, Any] = {
        "log_start_offset": start,
        "old_log_start_offset": 0,
        "high_watermark": 2,
        "role": "leader",
    }
    return at(t_ms, node, ev.LogStartAdvanced(topic="t", partition=0, **numbers))


def test_what_was_deleted_is_not_lost_and_what_was_lost_before_is_not_deleted(spark: SparkSession) -> None:
    """Offset 0 and what stood at 1 in the end are deleted; b, which stood there first, was lost."""
    found = _fates(spark, [*STORY, _deleted(50, 2, 2)])
    assert rows(found.where("outcome = 'acknowledged'"), "operation_id", "fate", "is_in_log") == [
        (1, "deleted", False),
        (2, "lost", False),
        (4, "deleted", False),
    ]
    elsewhere = _fates(spark, [*STORY, _deleted(50, 1, 2)])
    assert rows(elsewhere.where("fate = 'deleted'"), "operation_id") == [], "only the last leader's log counts"


def test_what_a_last_leader_never_held_because_it_was_deleted_before_is_deleted(spark: SparkSession) -> None:
    events = [
        *(_asks(1, 0, 1), _appended(2, 1, 0, 0, "aa", "leader", _client(0)), _hears(5, 1, 1, 0, "aa")),
        *(_deleted(6, 2, 1), _asks(7, 2, 2), _appended(8, 2, 1, 1, "bb", "leader", _client(2))),
        *(_hears(9, 3, 2, 1, "bb"), _marked(10, 2, 2, 1)),
    ]
    assert rows(_fates(spark, events), "operation_id", "fate") == [(1, "deleted"), (2, "visible")]


def test_a_retry_written_again_is_a_duplicate_and_the_same_bytes_of_another_operation_are_none(
    spark: SparkSession,
) -> None:
    retried = ev.OperationRetried(client_id="p", operation_id=1, error=-1, attempt=2, target=2)
    events = [
        *(_asks(1, 0, 1), _appended(2, 2, 0, 0, "aa", "leader", _client(0)), at(5, CLIENT, retried, seq=1)),
        *(_appended(6, 2, 1, 0, "aa", "leader", _client(1)), _hears(8, 2, 1, 1, "aa"), _asks(9, 3, 2)),
        *(_appended(10, 2, 2, 0, "aa", "leader", _client(3)), _hears(11, 4, 2, 2, "aa"), _marked(12, 2, 3, 0)),
    ]
    assert rows(_fates(spark, events), "operation_id", "attempts", "copies", "fate") == [
        (1, 2, 2, "duplicated"),
        (2, 1, 1, "visible"),
    ]


def test_nothing_is_said_of_records_when_a_trace_is_not_whole(spark: SparkSession) -> None:
    from workbench.analysis.tables.operations import operations
    from workbench.analysis.tables.record_fates import record_fates

    made = frame(spark, [_asks(1, 0, 1), _hears(5, 1, 1, 0, "aa")])
    cells = spark.createDataFrame([], _CELLS)
    history = spark.createDataFrame([(RUN, "t", 0, 0, 1)], _HISTORY)
    torn = ended(spark, 9.0).selectExpr("run", "observed_ms", "false is_complete")
    asked = fixed(operations(made))
    assert rows(record_fates(asked, made, cells, history, torn), "fate") == [("not evaluated",)]
    assert rows(record_fates(asked, made, cells, history, ended(spark, 9.0)), "fate") == [("lost",)]
