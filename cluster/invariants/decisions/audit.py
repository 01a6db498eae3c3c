"""Each decision that an event carries is made anew: from its numbers, by what the specifications say.

Nothing here asks the machines' own rules, so a rule that decides wrongly cannot excuse itself. A decision of a rule
that no table knows is not judged. Where numbers are missing, as in recordings of other versions, the invariant is
never said to hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, ClassVar, TypeAlias

from cluster.invariants.decisions import controller, groups, quorum, replication, transactions, zookeeper
from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model.entry import Entry

Numbers: TypeAlias = Mapping[str, Any]
Judge: TypeAlias = Callable[[Ghost, Entry, Any, Numbers], str]
"""What is wrong with one decision, told its event and its numbers; empty for nothing."""
ROOMS: Mapping[str, ModuleType] = {
    "R30": quorum,
    "P40": replication,
    "P41": controller,
    "GR20": groups,
    "TX6": transactions,
    "Z8": zookeeper,
}
"""By invariant: who judges."""
TABLES: Mapping[str, Mapping[tuple[type, str], Judge]] = {name: room.JUDGES for name, room in ROOMS.items()}
"""By invariant: who judges a decision, by class of event and name of the rule."""
ANSWERS: Mapping[tuple[type, str], bool] = {
    key: key not in room.NO for room in ROOMS.values() for key in room.JUDGES if key not in room.EITHER
}
"""What the rule must have said for this event to be told."""


class DecisionInvariants:
    """Judges R30, P40, P41, GR20, TX6 and Z8."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("R30", "votes, commits and cuts of the quorum follow from what was compared", "KIP-595, KIP-996"),
        Invariant("P40", "commits, cuts and ISRs follow from what was compared", "KIP-101, KIP-279, KIP-497, KIP-966"),
        Invariant("P41", "what the controller decides follows from what was compared", "KIP-631, KIP-841, KIP-966"),
        Invariant("GR20", "what a coordinator decides follows from what was compared", "KIP-62, KIP-848"),
        Invariant(
            "TX6", "what a coordinator of transactions decides follows from what was compared", "KIP-98, KIP-890"
        ),
        Invariant(
            "Z8", "what is decided in ZooKeeper's era follows from what was compared", "ZooKeeper paper, KIP-380"
        ),
    )

    __slots__ = ("_ghost", "_judges", "_report")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._judges = {key: (name, judge) for name, table in TABLES.items() for key, judge in table.items()}

    def before(self) -> Handlers:
        """All events that carry a decision which is known here."""
        return {kind: self._judge for kind, _ in self._judges}

    def after(self) -> Handlers:
        """Nothing."""
        return {}

    def finish(self) -> None:
        """Nothing is left to judge."""

    def _judge(self, entry: Entry, event: object) -> None:
        decision = entry.decision
        if decision is None:
            return
        found = self._judges.get((type(event), decision.rule))
        if found is None:
            return
        name, judge = found
        try:
            what = judge(self._ghost, entry, event, decision.numbers)
        except (LookupError, TypeError, ValueError):
            self._report.undecided(name)
            return
        self._report.checked(name)
        if not what and ANSWERS.get((type(event), decision.rule), decision.granted) is not decision.granted:
            what = f"{decision.rule} has said {'yes' if decision.granted else 'no'}, and the event tells the contrary"
        if what:
            self._report.violated(name, f"node {entry.node}: {what}", (entry.id,))
