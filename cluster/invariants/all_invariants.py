"""All groups of invariants, as their modules declare them, and the invariants in the order of the table."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

from cluster.invariants import __name__ as here
from cluster.invariants import __path__ as folder
from cluster.invariants.assumptions import Assumptions
from cluster.invariants.decisions.audit import Decisions
from cluster.invariants.group import Group
from cluster.invariants.trace import TraceInvariants
from cluster.invariants.verdicts.report import place
from cluster.invariants.verdicts.verdict import Invariant

for _module in walk_packages(folder, f"{here}."):
    if _module.name.count(".") > here.count(".") + 1:  # those of the rooms
        import_module(_module.name)

GROUPS: tuple[type[Group], ...] = (
    Assumptions,  # first, so that it knows before invariants ask
    TraceInvariants,
    *sorted({*Group.known} - {Assumptions, TraceInvariants}, key=lambda group: group.__module__),
)
"""Each is built anew for each run."""
INVARIANTS: dict[str, Invariant] = {
    info.id: info for info in sorted({info for group in GROUPS for info in group.declared}, key=place)
}
"""By id, for example R1."""
DECISIONS: frozenset[str] = frozenset(
    info.id for group in GROUPS if issubclass(group, Decisions) for info in group.declared
)
"""Those of them that make a decision anew."""
