"""Mutants that behave as the code does, and those that no swarm can see, each with its reason; kept in known.txt."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).parent / "known.txt"
EQUIVALENT, UNSEEN = "equivalent", "unseen by the swarm"


@dataclass(slots=True)
class Known:
    """Name -> reason."""

    equivalent: dict[str, str] = field(default_factory=dict)
    """Nothing that anybody can observe differs."""
    unseen: dict[str, str] = field(default_factory=dict)
    """Something differs that no rule of the checker speaks of, or that no simulated client asks for."""


def read_known(path: Path = FILE) -> Known:
    """A name stands on a line of its own, its kind and reason below it, indented."""
    known, name = Known(), ""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            name = line
            continue
        kind, _, reason = line.strip().partition(": ")
        assert name and reason and kind in (EQUIVALENT, UNSEEN), f"{path.name}:{number}: {line.strip()}"
        (known.equivalent if kind == EQUIVALENT else known.unseen)[name] = reason
        name = ""
    return known
