"""Picking events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cluster.model import events as ev
from tests.support.traces.made_events import at, frame, rows
from workbench.analysis.reading.columns import COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_a_picked_event_has_its_fields_by_their_own_names_whatever_other_events_call_so(spark: SparkSession) -> None:
    from workbench.analysis.tables.common import of

    batch = (4, 1, 2, "aa")
    appended = ev.ReplicaAppended(
        topic="t", partition=0, base_offset=4, count=1, end_offset=5, leader_epoch=2, batches=(batch,), role="leader",
        size_bytes=80,
    )  # fmt: skip
    found = of(frame(spark, [at(1, 1, appended), at(2, 1, ev.RunEnded(clean=True))]), "rep.appended")
    assert rows(found.selectExpr("batches[0]._4 digest", "leader_epoch"), "digest", "leader_epoch") == [("aa", 2)]
    assert "clean" not in found.columns
    both = of(found.sparkSession.createDataFrame([], COLUMNS), "rep.appended", "st.recovered").columns
    assert "batches" not in both and "log_end_offset" in both, "another event means other batches"
