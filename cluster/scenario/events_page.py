"""The page of all events and their fields, made from the catalogue: `make events` writes docs/events.md."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path

from msgspec import Struct

from cluster.model.events import CATALOGUE
from cluster.scenario.event_fields import due_of
from cluster.scenario.event_pattern import teller_of

PAGE = Path("docs/events.md")
HEAD = """# Events

What a run tells, by the names that scripts use: `expect event raft.leader_elected on 102 epoch>=2`,
`when rep.truncated on 1 then kill 1` (see `cluster/scenario/README.md`). This page is made from the catalogue in
`cluster/model/events`: `make events` writes it.
"""


def page() -> str:
    """The whole page."""
    parts, room = [HEAD], ""
    for name, kind in sorted(CATALOGUE.items()):
        before, room = room, name.partition(".")[0]
        if room != before:
            parts.append(f"## {room}\n")
        parts.append(_event(name, kind))
    return "\n".join(parts)


def _event(name: str, kind: type[Struct]) -> str:
    teller = teller_of(kind)
    by_whom = f" Told by {teller}, of no node." if teller else ""
    lines = [f"### {name}", "", f"{inspect.getdoc(kind)}{by_whom}", ""]
    field_sentences = sentences(kind)
    if kind.__struct_fields__:
        lines += ["| field | holds | |", "|---|---|---|"]
        for field in kind.__struct_fields__:
            holds = due_of(kind, field).says or "not for scripts"
            lines.append(f"| `{field}` | {holds} | {field_sentences.get(field, '')} |")
        lines.append("")
    return "\n".join(lines)


def sentences(kind: type) -> dict[str, str]:
    """Field to the sentence below it in the class, for the fields that have one."""
    body = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(body, ast.ClassDef), "the source of a class"
    by_field = {}
    for before, after in zip(body.body, body.body[1:], strict=False):
        if isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name) and isinstance(after, ast.Expr):
            by_field[before.target.id] = " ".join(str(ast.literal_eval(after.value)).split())
    return by_field


if __name__ == "__main__":
    sys.stdout.write(page())
