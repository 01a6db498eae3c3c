"""All rule groups, in the order of the table."""

from __future__ import annotations

from cluster.checks.assumptions import Assumptions
from cluster.checks.quorum_applied import AppliedRules
from cluster.checks.quorum_election import ElectionRules
from cluster.checks.quorum_log import LogRules
from cluster.checks.quorum_state import StateRules
from cluster.checks.rules import RuleGroup
from cluster.checks.trace_rules import TraceRules

GROUPS: tuple[type[RuleGroup], ...] = (Assumptions, ElectionRules, StateRules, LogRules, AppliedRules, TraceRules)
"""Each is built anew for each run."""
