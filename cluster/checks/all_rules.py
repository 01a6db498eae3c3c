"""All rule groups, in the order of the table."""

from __future__ import annotations

from cluster.checks.assumptions import Assumptions
from cluster.checks.clients.consumer_rules import ConsumerRules
from cluster.checks.clients.poll_rules import PollRules
from cluster.checks.clients.producer_rules import ProducerRules
from cluster.checks.groups.rules import GroupRules
from cluster.checks.groups.visible_rules import VisibleRules
from cluster.checks.liveness.check_quorum_rules import CheckQuorumRules
from cluster.checks.liveness.core_rules import CoreRules
from cluster.checks.liveness.cut_rules import CutRules
from cluster.checks.liveness.group_rest_rules import GroupRestRules
from cluster.checks.liveness.reader_rules import ReaderRules
from cluster.checks.liveness.rules import LivenessRules
from cluster.checks.quorum.applied_rules import AppliedRules
from cluster.checks.quorum.election_rules import ElectionRules
from cluster.checks.quorum.log_rules import LogRules
from cluster.checks.quorum.role_rules import RoleRules
from cluster.checks.quorum.state_rules import StateRules
from cluster.checks.replication.acknowledged_rules import AcknowledgedRules
from cluster.checks.replication.committed_rules import CommittedRules
from cluster.checks.replication.durability_rules import DurabilityRules
from cluster.checks.replication.epoch_rules import EpochRules
from cluster.checks.replication.isr_rules import IsrRules
from cluster.checks.replication.log_start_rules import LogStartRules
from cluster.checks.replication.replica_log_rules import ReplicaLogRules
from cluster.checks.replication.sequence_rules import SequenceRules
from cluster.checks.replication.watermark_rules import WatermarkRules
from cluster.checks.rule_group import RuleGroup
from cluster.checks.trace_rules import TraceRules

GROUPS: tuple[type[RuleGroup], ...] = (
    Assumptions,
    ElectionRules,
    StateRules,
    RoleRules,
    LogRules,
    AppliedRules,
    CommittedRules,
    WatermarkRules,
    IsrRules,
    EpochRules,
    ReplicaLogRules,
    LogStartRules,
    AcknowledgedRules,
    SequenceRules,
    DurabilityRules,
    ProducerRules,
    ConsumerRules,
    PollRules,
    GroupRules,
    VisibleRules,
    LivenessRules,
    CutRules,
    CoreRules,
    CheckQuorumRules,
    ReaderRules,
    GroupRestRules,
    TraceRules,
)
"""Each is built anew for each run."""
RULE_IDS: frozenset[str] = frozenset(rule.id for group in GROUPS for rule in group.rules)
"""For example R1."""
