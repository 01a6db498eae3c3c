"""The list of the mutants that the swarm does not see: where each is, what it changes, and why it lives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.mutants.known import Known
from tests.mutants.reasons import EVENT, NO_REASON, REASONS
from tests.mutants.results import SWARM, Results
from tests.mutants.sites import Mutant

FREE = "free"
HEADINGS = {**REASONS, FREE: "leads to another event that no promise forbids; looked at one by one, see known.txt"}


def reason_of(mutant: Mutant, results: Results, known: Known) -> str:
    """The class of why the swarm does not see it; empty where nothing explains it or it was not asked."""
    reason = results.reasons.get(mutant.name, NO_REASON).reason
    if reason == EVENT:
        return FREE if mutant.name in known.free else ""
    return reason


def write_list(path: Path, wanted: Sequence[Mutant], results: Results, known: Known) -> None:
    """Write it, by class; those without a reason first."""
    lives = [one for one in wanted if results.is_judged(one.name, SWARM) and (one.name, SWARM) not in results.deaths]
    with path.open("w", encoding="utf-8") as file:
        for name, heading in {"": "not seen, and no reason", **HEADINGS}.items():
            some = sorted(
                (one for one in lives if reason_of(one, results, known) == name), key=lambda one: (one.file, one.line)
            )
            file.write(f"# {name or 'open'}: {len(some)}. {heading}\n")
            file.writelines(_lines(one, results, known) for one in some)
            file.write("\n")


def _lines(mutant: Mutant, results: Results, known: Known) -> str:
    _, function, change = mutant.name.split(":", 2)
    told = "; ".join(part for part in (known.free.get(mutant.name), results.reasons[mutant.name].told) if part)
    return f"{mutant.file}:{mutant.line} {function}: {change}\n" + (f"    {told}\n" if told else "")
