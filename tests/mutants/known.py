"""Mutants that were looked at by people, each with its reason; kept in known.txt."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).parent / "known.txt"
EQUIVALENT, FREE = "equivalent", "free"


@dataclass(slots=True)
class Known:
    """Name -> reason."""

    equivalent: dict[str, str] = field(default_factory=dict)
    """Nothing that anybody can observe differs."""
    free: dict[str, str] = field(default_factory=dict)
    """Something differs that no promise speaks of: no rule of the checker may forbid it."""


def read_known(path: Path = FILE) -> Known:
    """A name stands on a line of its own, its reason below it, indented."""
    known, name = Known(), ""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            name = line
            continue
        kind, _, reason = line.strip().partition(": ")
        kinds = {EQUIVALENT: known.equivalent, FREE: known.free}
        assert name and reason and kind in kinds, f"{path.name}:{number}: {line.strip()}"
        kinds[kind][name] = reason
        name = ""
    return known
