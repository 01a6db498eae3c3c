"""No class of ours on the screen takes a name that Textual's own classes use for something else."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget

import workbench.tui


def classes() -> list[type[MessagePump]]:
    found = set()
    for item in pkgutil.walk_packages([str(Path(workbench.tui.__file__).parent)], "workbench.tui."):
        for kind in vars(import_module(item.name)).values():
            if inspect.isclass(kind) and issubclass(kind, MessagePump) and kind.__module__.startswith("workbench."):
                found.add(kind)
    return sorted(found, key=lambda kind: kind.__qualname__)


def written(kind: type) -> set[str]:
    """Private attributes that the class's own source assigns to self."""
    tree = ast.parse(inspect.getsource(kind))
    targets = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    return {
        node.attr
        for node in targets
        if isinstance(node.value, ast.Name) and node.value.id == "self" and node.attr.startswith("_")
    }


@pytest.mark.parametrize("kind", classes(), ids=lambda kind: kind.__name__)
def test_no_private_name_of_textual_is_taken(kind: type[MessagePump]) -> None:
    """A screen that kept its own work under `_task` took the whole app down with it when it was left."""
    base = next(base for base in (App, Screen, Widget) if issubclass(kind, base))
    theirs = set(vars(base())) | {name for parent in base.__mro__ for name in vars(parent)}
    assert not written(kind) & theirs
