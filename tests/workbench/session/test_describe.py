from __future__ import annotations

import pytest
import story

from cluster.model.events import CATALOGUE
from workbench.session.describe import SENTENCES, describe
from workbench.session.safe_text import safe_text


def test_every_event_of_the_catalogue_has_a_sentence() -> None:
    assert set(SENTENCES) == set(CATALOGUE.values())


@pytest.mark.parametrize("payload", story.HOSTILE)
def test_no_sentence_carries_a_control_or_direction_character(payload: str) -> None:
    for entry in story.hostile_story(payload):
        text = describe(entry)
        assert "\x1b" not in text and "\u202e" not in text and text.isprintable(), text


def test_safe_text_shows_what_it_found() -> None:
    assert safe_text("\x1b[2J\u202e\x9b") == "\u241b[2J<U+202E><U+009B>"
    assert safe_text("a" * 10, limit=4) == "aaaa... 6 more"
    assert safe_text(b"\xff") == "\ufffd"
    assert len(safe_text("e" + "\u0301" * 30)) == 5
