"""Names say what they name, and a sentence below a field tells what its name does not."""

from __future__ import annotations

from tests.architecture.allowances import FACT, differences

HINT = "find a better word, or none; after a file moved or was mended: python -m tests.architecture.allowances"


def test_no_lone_word_is_a_name_that_says_nothing() -> None:
    assert differences("banned_names") == [], HINT


def test_a_field_has_a_sentence_with_a_fact_or_none() -> None:
    assert differences("empty_field_sentences") == [], HINT


def test_a_unit_a_bound_or_a_source_is_a_fact() -> None:
    assert all(FACT.search(said) for said in ("In ms.", "Exclusive.", "KIP-595.", "-1 unknown."))
    assert not any(FACT.search(said) for said in ("Who.", "Which node.", "Index."))
