"""The map of the rooms, from the floors that import-linter holds and from what each package says of itself."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOUSES = {
    "judges": ("The floors of the judges", "Others judge what the workbench shows. The product knows nothing of it."),
    "workbench": ("The floors of the tool", "The tool: screen, lessons, command line, analysis."),
    "cluster": ("The floors of the cluster", "The system that is shown. It knows nothing of the tool."),
}
"""Top-level packages: the contract of its floors, and a sentence."""
HEAD = """# The rooms

<!-- Made by `make pages`. Do not edit. -->

Each package, and what it says of itself, top floor first. A floor imports only what lies below it, and the rooms of one
floor know nothing of each other: `pyproject.toml` has the floors, import-linter holds them. The machines,
`cluster/node`, `cluster/links` and `cluster/model` may not import asyncio, sockets, files, time or randomness.
"""


def rooms_page() -> str:
    """The whole page. KeyError for a contract that is gone."""
    parts = [HEAD]
    for house, (_, what) in HOUSES.items():
        parts += [f"## {house}\n\n{what}\n", "| floor | room | what lives there |\n|---|---|---|"]
        parts += [f"| {floor} | `{room}` | {_says(room)} |" for floor, room in rooms_of(house)]
        parts.append("")
    return "\n".join(parts)


def rooms_of(house: str) -> Iterator[tuple[int, str]]:
    """The floor, 1 at the top, and the path of each package in it."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    floors = {contract["name"]: contract.get("layers") for contract in linter["contracts"]}
    for floor, rooms in enumerate(floors[HOUSES[house][0]], start=1):
        for room in rooms.split("|"):
            path = f"{house}/{room.strip().removeprefix(f'{house}.')}"
            if (ROOT / path).is_dir():
                yield floor, path


def _says(room: str) -> str:
    docstring = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text("utf-8")))
    return (docstring or "").splitlines()[0].replace("|", "\\|")
