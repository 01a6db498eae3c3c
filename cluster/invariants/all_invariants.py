"""All invariant groups, in the order of the table."""

from __future__ import annotations

from cluster.invariants.assumptions import Assumptions
from cluster.invariants.clients.consumers import ConsumerInvariants
from cluster.invariants.clients.polls import PollInvariants
from cluster.invariants.clients.producers import ProducerInvariants
from cluster.invariants.decisions.audit import DecisionInvariants
from cluster.invariants.group import InvariantGroup
from cluster.invariants.groups.promises import GroupInvariants
from cluster.invariants.groups.visible import VisibleInvariants
from cluster.invariants.liveness.calm_again import LivenessInvariants
from cluster.invariants.liveness.check_quorum import CheckQuorumInvariants
from cluster.invariants.liveness.core import CoreInvariants
from cluster.invariants.liveness.cuts import CutInvariants
from cluster.invariants.liveness.decided import DecidedInvariants
from cluster.invariants.liveness.groups_at_rest import GroupRestInvariants
from cluster.invariants.liveness.moved import MovedInvariants
from cluster.invariants.liveness.readers import ReaderInvariants
from cluster.invariants.quorum.applied import AppliedInvariants
from cluster.invariants.quorum.elections import ElectionInvariants
from cluster.invariants.quorum.logs import LogInvariants
from cluster.invariants.quorum.roles import RoleInvariants
from cluster.invariants.quorum.snapshots import SnapshotInvariants
from cluster.invariants.quorum.states import StateInvariants
from cluster.invariants.quorum.voters import VoterInvariants
from cluster.invariants.replication.acknowledged import AcknowledgedInvariants
from cluster.invariants.replication.committed import CommittedInvariants
from cluster.invariants.replication.compaction import CompactionInvariants
from cluster.invariants.replication.durability import DurabilityInvariants
from cluster.invariants.replication.epochs import EpochInvariants
from cluster.invariants.replication.follower_reads import FollowerReadInvariants
from cluster.invariants.replication.isr import IsrInvariants
from cluster.invariants.replication.log_start import LogStartInvariants
from cluster.invariants.replication.majorities import MajorityInvariants
from cluster.invariants.replication.replica_logs import ReplicaLogInvariants
from cluster.invariants.replication.retention import RetentionInvariants
from cluster.invariants.replication.sequences import SequenceInvariants
from cluster.invariants.replication.watermarks import WatermarkInvariants
from cluster.invariants.trace import TraceInvariants
from cluster.invariants.transactions.coordinated import CoordinatedInvariants
from cluster.invariants.transactions.reads import CommittedReadInvariants
from cluster.invariants.zookeeper.controllers import ControllerInvariants
from cluster.invariants.zookeeper.znodes import ZNodeInvariants

GROUPS: tuple[type[InvariantGroup], ...] = (
    Assumptions,
    ElectionInvariants,
    StateInvariants,
    RoleInvariants,
    LogInvariants,
    VoterInvariants,
    AppliedInvariants,
    SnapshotInvariants,
    CommittedInvariants,
    WatermarkInvariants,
    FollowerReadInvariants,
    MajorityInvariants,
    IsrInvariants,
    EpochInvariants,
    ReplicaLogInvariants,
    LogStartInvariants,
    RetentionInvariants,
    CompactionInvariants,
    AcknowledgedInvariants,
    SequenceInvariants,
    DurabilityInvariants,
    ProducerInvariants,
    ConsumerInvariants,
    PollInvariants,
    CommittedReadInvariants,
    CoordinatedInvariants,
    GroupInvariants,
    VisibleInvariants,
    LivenessInvariants,
    CutInvariants,
    CoreInvariants,
    CheckQuorumInvariants,
    ReaderInvariants,
    GroupRestInvariants,
    DecidedInvariants,
    MovedInvariants,
    DecisionInvariants,
    ZNodeInvariants,
    ControllerInvariants,
    TraceInvariants,
)
"""Each is built anew for each run."""
INVARIANT_IDS: frozenset[str] = frozenset(invariant.id for group in GROUPS for invariant in group.invariants)
"""For example R1."""
