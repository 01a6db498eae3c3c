"""A run that is followed while it grows gives the tables that it gives when it is read at once, all of them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cluster.runtime.run.folder import LOCK, take_lock
from tests.support.traces.made_events import seen_from_outside
from workbench.analysis.reading.ranges import examine
from workbench.analysis.report.rows import partition_sentence
from workbench.analysis.tables import TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.analysis.store.tables import Store

pytestmark = pytest.mark.spark


class Growing:
    """A run that looks alive, and whose files are written on between the steps of whoever follows it."""

    def __init__(self, whole: Path, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("*.trace"))
        self._files = {path.name: path.read_bytes() for path in (whole / "trace").glob("*.trace")}
        (folder / LOCK).touch()
        self._lock = take_lock(folder)
        assert self._lock is not None
        self._left: list[Callable[[], None]] = [self._end]
        # The last file is new later; the others stop in the middle of an entry.
        last = max(self._files)
        self._write(0.6, without=last)

    def _write(self, share: float, without: str = "") -> None:
        for name, data in self._files.items():
            if name != without:
                # A run is not there before the lab has written its first entry.
                least = 4 + int.from_bytes(data[:4], "big") if name == "0-0.trace" else 10
                size = len(data) if share == 1 else max(int(len(data) * share), least)
                (self.folder / "trace" / name).write_bytes(data[:size])

    def _end(self) -> None:
        self._write(1)
        assert self._lock is not None
        os.close(self._lock)

    def tell(self, what: str, _done: int, _total: int) -> None:
        """Takes the place of a progress bar: the run goes on when tables were made."""
        if what == "tables are made" and self._left:
            self._left.pop(0)()


def test_every_table_of_a_followed_run_is_that_of_the_same_run_read_at_once(
    spark: SparkSession, recorded: Path, analysed: Store, tmp_path: Path
) -> None:
    from workbench.analysis.follow import follow_with
    from workbench.analysis.store.tables import Store

    growing = Growing(recorded, tmp_path / recorded.name)
    store = Store(tmp_path / "out")
    told: list[str] = []

    def tell(what: str, done: int, total: int) -> None:
        told.append(what)
        growing.tell(what, done, total)

    follow_with(spark, store, [examine(growing.folder)], quarantine=False, tell=tell)
    run = recorded.name
    for name in TABLES:
        assert _schema(store, name) == _schema(analysed, name), name
        followed, at_once = _rows(store, name, run), _rows(analysed, name, run)
        assert followed == at_once, name
    assert all(_rows(store, name, run) for name in ("elections", "record_fates", "truncations", "verdicts"))
    stands = [partition_sentence(json.loads(row)) for row in _rows(store, "partitions", run)]
    assert stands and all(sentence in told for sentence in stands)
    assert len(list((store.data / "rows").iterdir())) >= 2, "there was more than one step"
    assert seen_from_outside(store.data) == seen_from_outside(analysed.data)


def test_who_begins_to_follow_is_told_of_what_was_read_before_and_of_no_other_run(
    spark: SparkSession, recorded: Path, analysed: Store
) -> None:
    from workbench.analysis.follow import Standing

    told: list[str] = []

    def tell(what: str, _done: int, _total: int) -> None:
        told.append(what)

    Standing(spark, analysed, ["another run"], tell).take(99)
    assert told == []
    begun = Standing(spark, analysed, [recorded.name], tell)
    begun.take(99)
    rows = map(json.loads, _rows(analysed, "partitions", recorded.name))
    assert sorted(told) == sorted(map(partition_sentence, rows)) != []
    begun.take(0)
    assert len(set(told)) == len(told), "the same batch once more changes nothing"


def _schema(store: Store, name: str) -> Any:
    return json.loads((store.table(name) / "_schema.json").read_text())


def _rows(store: Store, name: str, run: str) -> list[str]:
    from workbench.analysis.store.tables import table_rows

    return sorted(json.dumps(row, default=str) for row in table_rows(store.table(name), [run]))
