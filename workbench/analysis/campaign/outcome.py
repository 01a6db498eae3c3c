"""What one run of a campaign comes to: whole numbers, so that every machine tells the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

COLUMNS = {"int": "bigint", "int | None": "bigint", "str": "string", "tuple[str, ...]": "array<string>"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One row. Times are microseconds of the virtual clock; counts begin with the fault unless they say otherwise."""

    cell: str
    """Key of the plan."""
    seed: int
    """Of the simulation: from 1 to what --seeds says."""
    events: int
    """Judged, from the start of the run."""
    simulated_us: int
    """Length of the run."""
    elections: int
    """Epochs for which binding votes were asked."""
    splits: int
    """Of these: several asked and nobody won."""
    leaderless_us: int
    """No controller held the quorum's leadership."""
    acknowledged: int
    """Records, from the start."""
    refused: int
    """Records, from the start."""
    in_doubt: int
    """Records, from the start."""
    lost: int
    """Acknowledged records that the last leader's log does not hold."""
    duplicated: int
    """Records that stand there again."""
    silence_us: int | None
    """Longest time between acknowledgements until all is mended; None when nothing was produced."""
    answer_us: int | None
    """Median time to an acknowledgement; None without any."""
    no_acks_all_us: int
    """No leader at work, or too small an ISR."""
    under_min_isr_us: int
    """A leader at work with too small an ISR."""
    commit_gap_us: int | None
    """Longest time between commits of the watched log until all is mended; None when it never had a leader."""
    commit_us: int | None
    """Median time from append to commit there."""
    unrest: str
    """What was not in order at the end; empty when all was."""
    violated: tuple[str, ...]
    """Rules that were broken without an excuse, and what crashed."""
    excused: tuple[str, ...]
    """Rules that were broken after an assumption was."""
    engine: str
    """Digest of the code that ran it."""


def outcome_schema() -> str:
    """Spark DDL of the rows, in order."""
    return ", ".join(f"`{item.name}` {COLUMNS[str(item.type)]}" for item in fields(Outcome))


def plain(outcome: Outcome) -> dict[str, Any]:
    """As a row."""
    row = {item.name: getattr(outcome, item.name) for item in fields(Outcome)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}


def digest(rows: Iterable[dict[str, Any]]) -> str:
    """One number for all rows, whatever their order: equal for equal results."""
    lines = sorted(json.dumps(row, sort_keys=True) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
