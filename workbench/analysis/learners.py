"""Whose run is whose in the folder of a class. Plain paths, no Spark."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from workbench.analysis.reading.ranges import RunSource
from workbench.support.safe_text import safe_text

NAME_MAX = 60


def learners_of(root: Path, sources: list[RunSource], *, with_names: bool) -> dict[str, str]:
    """Run to learner: the first folder below root; for a run that lies right there, or in root/runs, its own id.

    Without names a learner is a number, in an order that says nothing about the name.
    """
    owners = {source.run: _owner(root.absolute(), source) for source in sources}
    if with_names:
        return {run: safe_text(name, NAME_MAX) for run, name in owners.items()}
    order = sorted(set(owners.values()), key=lambda name: sha256(name.encode("utf-8", "surrogateescape")).digest())
    width = len(str(len(order)))
    return {run: f"learner {order.index(name) + 1:0{width}}" for run, name in owners.items()}


def _owner(root: Path, source: RunSource) -> str:
    parts = source.folder.absolute().relative_to(root).parts
    return parts[0] if len(parts) > 1 and parts[0] != "runs" else source.run
