"""Runs of a bug hunt: what the checker says of them is the learner's to find, so it is not told."""

from __future__ import annotations

TITLE = "Bug hunt: "
"""The title of such a run begins with it; the sealed name follows."""
OFF = "a bug hunt: the rule is yours to find"


def is_sealed(title: str) -> bool:
    """Whether a run of that title is one."""
    return title.startswith(TITLE)
