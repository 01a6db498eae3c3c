"""What is done to a cluster and is to be done to another one, too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from cluster.lab import LEARNER
from workbench.session.changes import Changes

HEAL = re.compile(r"heal (\d+)")


class Deed(NamedTuple):
    """What was done to the cluster, and when since its beginning."""

    at_ns: int
    command: str
    by: str = LEARNER
    heals: str = ""
    """Of a heal: the command of the fault that it ended."""


def edited(deed: Deed, changes: Changes, numbers: Mapping[str, int]) -> str:
    """What is to be sent in the second world; a fault has another number there."""
    if not deed.heals:
        return changes.edit(deed.command) if deed.command else ""
    number = numbers.get(changes.edit(deed.heals), 0)
    return f"heal {number}" if number else ""
