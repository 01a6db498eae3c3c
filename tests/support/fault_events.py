"""The fields of fault events, as a lab fills them in from a command."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cluster.faults.commands import VERB_OF, parse_command
from cluster.faults.fault_book import FaultBook

NODES = (1, 2, 3, 4, 5, 101, 102, 103)


def fault_fields(number: int, kind: str, arguments: str, nodes: Iterable[int] = NODES) -> dict[str, Any]:
    """What FaultApplied and FaultReverted tell of a command, in a run of these nodes."""
    verb = next(verb for known, verb in VERB_OF.items() if known.__name__ == kind)
    fault = FaultBook(number - 1).open(parse_command(f"{verb} {arguments}"), tuple(nodes))
    told = fault.told()
    return told | {"nodes": tuple(nodes)} if kind == "Freeze" else told
