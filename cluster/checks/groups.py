"""All rule groups, in the order of the table."""

from __future__ import annotations

from cluster.checks.rules import RuleGroup

GROUPS: tuple[type[RuleGroup], ...] = ()
"""Each is built anew for each run."""
