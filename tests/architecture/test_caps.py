"""Files stay under 400 lines, functions under 60, and the words of the catalogue are complete."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import get_args

import pytest
from msgspec import Struct

from cluster.model.effects import Effect
from cluster.model.events import CATALOGUE
from cluster.model.inputs import Input
from cluster.model.messages import MESSAGES

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for folder in ("cluster", "workbench") for path in (ROOT / folder).rglob("*.py"))
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


def _sentences(kind: type) -> dict[str, str]:
    """Field name -> the string literal below it in the class body."""
    tree = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for before, after in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name) and isinstance(after, ast.Expr):
            found[before.target.id] = ast.literal_eval(after.value)
    return found


VOCABULARY = [*CATALOGUE.values(), *MESSAGES.values(), *get_args(Input), *get_args(Effect)]


@pytest.mark.parametrize("kind", VOCABULARY, ids=lambda kind: kind.__name__)
def test_every_field_of_the_vocabulary_has_its_sentence(kind: type[Struct]) -> None:
    assert kind.__doc__
    sentences = _sentences(kind)
    for name in kind.__struct_fields__:
        assert sentences.get(name), f"{kind.__name__}.{name} has no sentence"


def test_event_names_are_unique_and_say_their_machine() -> None:
    names = [kind.name for kind in CATALOGUE.values()]
    assert len(set(names)) == len(names)
    assert all("." in name for name in names)
