"""A character that is not one column wide would be drawn as the sign for what cannot be drawn."""

from __future__ import annotations

import ast
from pathlib import Path

from rich.cells import cell_len

import workbench

NOT_DRAWN = {Path("tui/drawing/canvas.py")}
"""Compares with such characters."""


def test_every_character_that_is_written_for_the_screen_is_one_column_wide() -> None:
    home, wide = Path(workbench.__file__).parent, []
    for path in sorted((*(home / "session").rglob("*.py"), *(home / "tui").rglob("*.py"))):
        if path.relative_to(home) in NOT_DRAWN:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                wide += [(path.name, node.lineno, char) for char in node.value if char > "~" and cell_len(char) != 1]
    assert wide == []
