"""Picking events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from made_events import at, frame, rows

from cluster.model import events as ev
from workbench.analysis.columns import layout

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_a_picked_event_has_its_fields_by_their_own_names_whatever_other_events_call_so(spark: SparkSession) -> None:
    from workbench.analysis.tables.common import of

    became = ev.BecameFollower(topic="t", partition=0, leader_epoch=3, leader=2, log_end_offset=7, high_watermark=5)
    assert layout().fields("part.became_follower")["leader"] == "part_became_follower_leader", "another is a text"
    found = of(frame(spark, [at(1, 1, became), at(2, 1, ev.RunEnded(clean=True))]), "part.became_follower")
    assert rows(found, "leader", "leader_epoch", "log_end_offset") == [(2, 3, 7)]
    assert "clean" not in found.columns
