"""Spark reads trace files."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from msgspec import structs

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.runtime.run.folder import LOCK, take_lock
from cluster.trace.entry import encode_entry
from tests.support.traces.made_events import RUN, rows, write_run
from workbench.analysis.reading.columns import FIELDS, READ_EVENT
from workbench.analysis.reading.ranges import examine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.analysis.reading.source import TraceStreamReader

pytestmark = pytest.mark.spark
START = ev.RunStarted(config="{}", world="processes", title="t")
END = ev.RunEnded(clean=True)
TOO_LARGE = "a number of more than 64 bits in the entry that ends there"
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


@pytest.mark.first
def test_every_event_of_every_file_is_a_row_with_its_fields(spark: SparkSession, tmp_path: Path) -> None:
    from workbench.analysis.store.rows import readings_of
    from workbench.analysis.store.tables import Store
    from workbench.analysis.tables.common import of

    source = examine(write_run(tmp_path / "run", {"0-0": [START, END], "1-0": [APPENDED] * 3, "2-0": []}))
    store = Store(tmp_path / "out")
    assert store.read(spark, [source]) == 5
    events, readings = store.input(spark, [source])
    assert rows(events.where("node <> 1"), "event", "file", "t_ms", "node") == [
        ("run.ended", "0-0.trace", 1.0, 0),
        ("run.started", "0-0.trace", 0.0, 0),
    ]
    batch = of(events, "rep.appended").selectExpr("seq", "end_offset", "batches[1] b")
    assert [tuple(row.b) for row in batch.orderBy("seq").collect()] == [(5, 1, 3, "bb")] * 3
    told = [("0-0.trace", 2, 0), ("1-0.trace", 3, 0), ("2-0.trace", 0, 0)]
    assert rows(readings, "file", "entry_count", "torn_bytes") == told
    assert [row["file"] for row in readings_of(store.data, [RUN])] == [name for name, _, _ in told]


def test_a_number_too_large_for_its_column_ends_its_own_file_only(spark: SparkSession, tmp_path: Path) -> None:
    from workbench.analysis.store.tables import Store

    wide = structs.replace(APPENDED, end_offset=1 << 63)
    many = [APPENDED] * 3000
    source = examine(write_run(tmp_path / "run", {"0-0": [START, *many, END], "1-0": [APPENDED, wide, APPENDED]}))
    store = Store(tmp_path / "out")
    store.read(spark, [source])
    events, readings = store.input(spark, [source])
    appended = events.where("event = 'rep.appended'").groupBy("node").count()
    assert rows(appended, "node", "count") == [(0, 3000), (1, 1)]
    assert rows(readings, "file", "entry_count", "bad_why") == [("0-0.trace", 3002, None), ("1-0.trace", 1, TOO_LARGE)]


def test_of_a_run_in_progress_nothing_is_used_whose_cause_may_not_be_read(spark: SparkSession, tmp_path: Path) -> None:
    from workbench.analysis.store.tables import Store

    folder = write_run(tmp_path / "run", {"0-0": [START], "1-0": [APPENDED] * 5})
    (folder / LOCK).touch()
    lock = take_lock(folder)
    assert lock is not None
    store = Store(tmp_path / "out")
    store.read(spark, [examine(folder)])
    over = replace(examine(folder), until_ns=None)
    with patch("workbench.analysis.store.tables.newest_clock", lambda _readings, _run: 8_000_000):
        events, readings = store.input(spark, [examine(folder)])
        assert rows(events, "t_ns") == [(6_000_000,), (7_000_000,), (8_000_000,)]
    assert all(row["until_ns"] > 8_000_000 for row in readings.collect())
    assert len(rows(store.input(spark, [over])[0], "t_ns")) == 6, "it is over"
    os.close(lock)


def _reader(folder: Path) -> TraceStreamReader:
    from workbench.analysis.reading.source import TraceStreamReader

    return TraceStreamReader([{"run": RUN, "folder": str(folder), "start_ns": 6_000_000, "entry_run": ""}], 1)


def _told(reader: TraceStreamReader, start: Any, end: Any) -> dict[str, Any]:
    """How the reading of one file went between two offsets, as a checkpoint has them."""
    (part,) = reader.partitions(json.loads(json.dumps(start)), json.loads(json.dumps(end)))
    (told,) = [row for batch in reader.read(part) for row in batch.to_pylist() if row["event"] == READ_EVENT]
    found: dict[str, Any] = json.loads(told[FIELDS])
    return found


def test_a_stream_finds_a_clock_or_a_node_that_goes_wrong_where_it_went_on(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"1-0": [APPENDED] * 3, "2-0": [APPENDED]}) / "trace" / "1-0.trace"
    reader = _reader(tmp_path)
    first = reader.latestOffset({}, None)
    good = path.read_bytes()
    for made, why in (
        (Entry(RUN, 1, 0, 3, 7, 7, 3, None, "", None, END), "event 1-0#3: its clock goes back from 8000000 to 7 ns"),
        (Entry(RUN, 1, 1, 3, 9_000_000, 7, 3, None, "", None, END), "node 1-1 in the file of another"),
    ):
        path.write_bytes(good + encode_entry(made))
        told = _told(reader, first, reader.latestOffset(first, None))
        assert (told["bad_byte"], told["bad_why"]) == (len(good), why)


def test_a_torn_tail_is_told_once_and_read_when_it_is_whole(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"1-0": [APPENDED] * 3}) / "trace" / "1-0.trace"
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    reader = _reader(tmp_path)
    torn = reader.latestOffset({}, None)
    told = _told(reader, {}, torn)
    assert (told["entry_count"], told["torn_bytes"]) == (2, len(whole) // 3 - 5)
    assert reader.latestOffset(torn, None) == torn and reader.partitions(torn, torn) == []
    path.write_bytes(whole)
    told = _told(reader, torn, reader.latestOffset(torn, None))
    assert (told["entry_count"], told["torn_bytes"], told["next_seq"]) == (1, 0, 3)


def test_a_file_that_shrank_or_went_is_told_and_other_runs_stay_where_they_are(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"1-0": [APPENDED] * 3}) / "trace" / "1-0.trace"
    reader, other = _reader(tmp_path), {"other": {"folder": "/gone", "files": {"0-0.trace": [9, 1, 1, [0, 0], 9]}}}
    first = reader.latestOffset(other, None)
    assert first["other"] == other["other"] and path.name in first[RUN]["files"]
    path.write_bytes(path.read_bytes()[:20])
    assert _told(reader, first, reader.latestOffset(first, None))["bad_why"] == "cut shorter since it was read"
    path.unlink()
    assert _told(reader, first, reader.latestOffset(first, None))["bad_why"] == "deleted since it was read"


def test_a_query_that_takes_what_is_there_ends_where_it_began_to_look(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"1-0": [APPENDED] * 3}) / "trace" / "1-0.trace"
    reader = _reader(tmp_path)
    reader.prepareForTriggerAvailableNow()
    first = reader.latestOffset({}, None)
    path.write_bytes(path.read_bytes() * 2)
    assert reader.latestOffset(first, None) == first
