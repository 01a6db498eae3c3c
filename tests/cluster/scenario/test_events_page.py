"""The page of events says what the catalogue says."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import fields

from cluster.model.events import CATALOGUE
from cluster.scenario.events_page import PAGE, page, sentences

ROOT = Path(__file__).parents[3]


def test_the_page_of_events_is_up_to_date() -> None:
    assert (ROOT / PAGE).read_text("utf-8") == page(), "make events writes it anew"


def test_it_names_every_event_and_every_field_with_what_is_said_of_it() -> None:
    text = page()
    for name, kind in CATALOGUE.items():
        assert f"\n### {name}\n" in text
        said = sentences(kind)
        assert all(f"| `{field.name}` | " in text and said.get(field.name, "") in text for field in fields(kind))
