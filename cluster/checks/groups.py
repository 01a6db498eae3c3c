"""All rule groups, in the order of the table."""

from __future__ import annotations

from cluster.checks.acknowledged_rules import AcknowledgedRules
from cluster.checks.assumptions import Assumptions
from cluster.checks.client_rules import ClientRules
from cluster.checks.committed_rules import CommittedRules
from cluster.checks.consumer_rules import ConsumerRules
from cluster.checks.core_rules import CoreRules
from cluster.checks.cut_rules import CutRules
from cluster.checks.durability_rules import DurabilityRules
from cluster.checks.group_rest_rules import GroupRestRules
from cluster.checks.group_rules import GroupRules
from cluster.checks.isr_rules import IsrRules
from cluster.checks.liveness_rules import LivenessRules
from cluster.checks.log_start_rules import LogStartRules
from cluster.checks.poll_rules import PollRules
from cluster.checks.quorum_applied import AppliedRules
from cluster.checks.quorum_election import ElectionRules
from cluster.checks.quorum_log import LogRules
from cluster.checks.quorum_state import StateRules
from cluster.checks.reader_rules import ReaderRules
from cluster.checks.replica_log_rules import ReplicaLogRules
from cluster.checks.rules import RuleGroup
from cluster.checks.sequence_rules import SequenceRules
from cluster.checks.trace_rules import TraceRules

GROUPS: tuple[type[RuleGroup], ...] = (
    Assumptions,
    ElectionRules,
    StateRules,
    LogRules,
    AppliedRules,
    CommittedRules,
    IsrRules,
    ReplicaLogRules,
    LogStartRules,
    AcknowledgedRules,
    SequenceRules,
    DurabilityRules,
    ClientRules,
    ConsumerRules,
    PollRules,
    GroupRules,
    LivenessRules,
    CutRules,
    CoreRules,
    ReaderRules,
    GroupRestRules,
    TraceRules,
)
"""Each is built anew for each run."""
RULE_IDS: frozenset[str] = frozenset(rule.id for group in GROUPS for rule in group.rules)
"""For example R1."""
