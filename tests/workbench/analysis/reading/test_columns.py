"""The typed view of each event, derived from the catalogue."""

from __future__ import annotations

import pytest
from msgspec.structs import fields

from cluster.model.events import CATALOGUE
from workbench.analysis.reading.columns import ENVELOPE, ddl_of, fields_of, view_of


def test_every_event_has_a_view_with_all_its_fields_and_none_hides_the_envelope() -> None:
    for name, kind in CATALOGUE.items():
        assert list(fields_of(name)) == [field.name for field in fields(kind)]
        assert not view_of(name).keys() & set(ENVELOPE)


def test_what_several_events_mean_alike_is_one_column_and_what_they_mean_otherwise_is_none() -> None:
    assert fields_of("rep.appended")["batches"] == "array<struct<_1: bigint, _2: bigint, _3: bigint, _4: string>>"
    assert fields_of("st.recovered")["batches"].endswith("_4: array<string>>>")
    both = view_of("rep.appended", "st.recovered")
    assert "batches" not in both and (both["topic"], both["valid_bytes"]) == ("string", "bigint")


def test_a_type_that_has_no_column_is_refused() -> None:
    with pytest.raises(TypeError, match="no column type"):
        ddl_of(dict[str, int])
