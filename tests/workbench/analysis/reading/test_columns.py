"""The schema of the events table follows the catalogue."""

from __future__ import annotations

import pytest
from msgspec.structs import fields

from cluster.model.events import CATALOGUE
from workbench.analysis.reading.columns import ENVELOPE, READING, ddl_of, layout


def test_every_field_of_every_event_has_a_column() -> None:
    for name, kind in CATALOGUE.items():
        assert len(layout().places[name]) == len(fields(kind))
        assert set(layout().places[name]) <= set(layout().ddl)


def test_a_field_that_means_two_types_gets_a_column_for_each_event() -> None:
    assert "batches" not in layout().ddl
    assert layout().ddl["rep_appended_batches"] == "array<struct<_1: bigint, _2: bigint, _3: bigint, _4: string>>"
    assert layout().ddl["st_recovered_batches"].endswith("_4: array<string>>>")


def test_the_few_events_that_mean_another_type_leave_the_usual_column_to_the_many() -> None:
    assert layout().ddl["leader"] == "bigint", "a node, in what partitions say"
    assert layout().ddl["group_generation_began_leader"] == "string", "a member, in what a group says"


def test_no_event_field_hides_a_column_of_the_envelope() -> None:
    ours = {*ENVELOPE, *READING}
    assert not ours & {column for columns in layout().places.values() for column in columns}


def test_a_type_that_has_no_column_is_refused() -> None:
    with pytest.raises(TypeError, match="no column type"):
        ddl_of(dict[str, int])
