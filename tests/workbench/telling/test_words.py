from __future__ import annotations

from workbench.telling import words


def test_lists_read_as_sentences() -> None:
    assert words.nodes((101,)) == "n101"
    assert words.nodes((101, 102)) == "n101 and n102"
    assert words.nodes((1, 2, 3)) == "n1, n2 and n3"
    assert words.listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


def test_few_offsets_are_named_and_many_are_a_stretch() -> None:
    assert words.offsets(158, 161) == "158, 159, 160"
    assert words.offsets(0, 100) == "0 to 99"


def test_a_sentence_does_not_rename_a_node() -> None:
    assert words.sentence("n1 goes on") == "n1 goes on"
    assert words.sentence("no write is done") == "No write is done"
