"""Files stay under 400 lines, functions under 60, and each word of the catalogue says what it is."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest
from msgspec import Struct

from cluster.model.effects import Effect
from cluster.model.events import CATALOGUE, Event
from cluster.model.inputs import Input
from cluster.model.messages import MESSAGES

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for folder in ("cluster", "workbench", "judges") for path in (ROOT / folder).rglob("*.py"))
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_a_small_room(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= FILE_LINES_MAX
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "a module says in one line what it is for"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            assert lines <= FUNCTION_LINES_MAX, f"{node.name} has {lines} lines"


VOCABULARY = [*CATALOGUE.values(), *MESSAGES.values(), *get_args(Input), *get_args(Effect)]


@pytest.mark.parametrize("kind", VOCABULARY, ids=lambda kind: kind.__name__)
def test_every_word_of_the_vocabulary_says_what_it_is(kind: type[Struct]) -> None:
    assert kind.__doc__


def test_event_names_are_unique_and_say_their_machine() -> None:
    names = [kind.name for kind in get_args(Event)]
    assert len(set(names)) == len(names)
    assert all("." in name for name in names)
