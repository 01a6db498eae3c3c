"""Spark reads trace files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.trace.entry import encode_entry
from tests.support.traces.made_events import RUN, rows, write_run
from workbench.analysis.reading.columns import READ_EVENT
from workbench.analysis.reading.decode import TOO_LARGE
from workbench.analysis.reading.ranges import Range, examine
from workbench.analysis.store.ledger import Ledger, new_ranges

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
START = ev.RunStarted(config="{}", world="processes", title="t")
END = ev.RunEnded(clean=True)
APPENDED = ev.ReplicaAppended(
    topic="t",
    partition=0,
    base_offset=4,
    count=2,
    end_offset=6,
    leader_epoch=3,
    role="leader",
    batches=((4, 1, 2, "aa"), (5, 1, 3, "bb")),
    size_bytes=80,
)


def test_every_event_of_every_file_is_a_row_with_its_fields(spark: SparkSession, tmp_path: Path) -> None:
    from workbench.analysis.store.read import read_ranges

    source = examine(write_run(tmp_path, {"0-0": [START, END], "1-0": [APPENDED] * 3, "2-0": []}))
    ranges = [
        Range(RUN, source.start_ns, str(tmp_path / "trace" / name), name, 0, size, 0, None)
        for name, size in source.sizes.items()
    ]
    found = read_ranges(spark, ranges).cache()
    names = ("event", "file", "t_ms", "node", "entry_count")
    assert rows(found.where("node <> 1 OR node IS NULL"), *names) == [
        ("run.ended", "0-0.trace", 1.0, 0, None),
        ("run.started", "0-0.trace", 0.0, 0, None),
        (READ_EVENT, "0-0.trace", None, 0, 2),
        (READ_EVENT, "2-0.trace", None, None, 0),
    ]
    batch = found.where("event = 'rep.appended'").selectExpr("seq", "end_offset", "rep_appended_batches[1] b")
    assert [tuple(row.b) for row in batch.orderBy("seq").collect()] == [(5, 1, 3, "bb")] * 3


def test_a_number_too_large_for_its_column_ends_its_own_file_only(spark: SparkSession, tmp_path: Path) -> None:
    from workbench.analysis.store.read import read_ranges

    wide = structs.replace(APPENDED, end_offset=1 << 63)
    many = [APPENDED] * 3000
    source = examine(write_run(tmp_path, {"0-0": [START, *many, END], "1-0": [APPENDED, wide, APPENDED]}))
    found = read_ranges(spark, new_ranges(Ledger(), [source])).cache()
    assert found.where("event = 'rep.appended'").groupBy("node").count().orderBy("node").collect() == [
        (0, 3000),
        (1, 1),
    ]
    told = found.where(f"event = '{READ_EVENT}'").select("file", "entry_count", "bad_why")
    assert rows(told, "file", "entry_count", "bad_why") == [("0-0.trace", 3002, None), ("1-0.trace", 1, TOO_LARGE)]


def test_of_a_run_in_progress_nothing_is_used_whose_cause_may_not_be_read(spark: SparkSession, tmp_path: Path) -> None:
    from workbench.analysis.store.publish import Store
    from workbench.analysis.store.read import read_events

    source = examine(write_run(tmp_path / "run", {"0-0": [START], "1-0": [APPENDED] * 5}))
    store = Store(tmp_path / "out")
    store.read(spark, [replace(source, until_ns=8_000_000)])
    until = store.ledger.runs[RUN].until_ns
    events, readings = read_events(spark, store.data / "events", store.ledger.reads, {RUN: until})
    assert rows(events, "t_ns") == [(6_000_000,), (7_000_000,), (8_000_000,)]
    assert readings.count() == 2
    assert not store.is_current([source]), "it is over now"
    store.read(spark, [source])
    assert store.ledger.runs[RUN].until_ns is None


def test_a_stream_finds_a_clock_or_a_node_that_goes_wrong_where_it_went_on(tmp_path: Path) -> None:
    from workbench.analysis.reading.source import Followed, TracePart, TraceStreamReader

    path = write_run(tmp_path, {"1-0": [APPENDED] * 3, "2-0": [APPENDED]}) / "trace" / "1-0.trace"
    reader = TraceStreamReader([Followed(str(tmp_path), RUN, 6_000_000, "")], {}, 1, "", ())
    first = reader.latestOffset({}, None)
    good = path.read_bytes()
    for made, why in (
        (Entry(RUN, 1, 0, 3, 7, 7, 3, None, "", None, END), "event 1-0#3: its clock goes back from 8000000 to 7 ns"),
        (Entry(RUN, 1, 1, 3, 9_000_000, 7, 3, None, "", None, END), "node 1-1 in the file of another"),
    ):
        path.write_bytes(good + encode_entry(made))
        latest = json.loads(json.dumps(reader.latestOffset(first, None)))
        (part,) = reader.partitions(json.loads(json.dumps(first)), latest)
        assert isinstance(part, TracePart)
        (told,) = [row for batch in reader.read(part) for row in batch.to_pylist() if row["event"] == READ_EVENT]
        assert (told["bad_byte"], told["bad_why"]) == (len(good), why)
