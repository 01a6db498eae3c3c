"""The fields of fault events, as a lab fills them in from a command."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cluster.faults.fault import Fault
from cluster.faults.fault_book import FaultBook
from cluster.faults.grammar import VERB_OF, parse_command

NODES = (1, 2, 3, 4, 5, 101, 102, 103)


def fault_fields(number: int, kind: str, arguments: str, nodes: Iterable[int] = NODES) -> dict[str, Any]:
    """What FaultApplied and FaultReverted tell of a command, in a run of these nodes."""
    verb = VERB_OF[kind]
    command = parse_command(f"{verb} {arguments}")
    assert isinstance(command, Fault)
    fault = FaultBook(number - 1).open(command, tuple(nodes))
    told = fault.told()
    return told | {"nodes": tuple(nodes)} if kind == "Freeze" else told
