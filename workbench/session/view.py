"""What the screen shows at one moment: a pure fold over entries. The same for live and replay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model import events as ev
from cluster.trace.entry import Entry
from workbench.session import view_rules as rules
from workbench.session.view_state import ViewState

HANDLERS: dict[type, Callable[[ViewState, Entry, Any], None]] = {
    ev.RunStarted: rules.on_run_started,
    ev.ProcessStarted: rules.on_process_started,
    ev.ProcessReady: rules.on_process_ready,
    ev.ProcessExited: rules.on_process_exited,
    ev.PowerLost: rules.on_power_lost,
    ev.FaultApplied: rules.on_fault_applied,
    ev.FaultReverted: rules.on_fault_reverted,
    ev.Fsynced: rules.on_fsynced,
    ev.LogRecovered: rules.on_recovered,
    ev.QuorumBooted: rules.on_booted,
    ev.RoleChanged: rules.on_role_changed,
    ev.ElectionStarted: rules.on_election_started,
    ev.VoteGranted: rules.on_vote_granted,
    ev.VoteRejected: rules.on_vote_rejected,
    ev.VoteReceived: rules.on_vote_received,
    ev.LeaderElected: rules.on_leader_elected,
    ev.MetadataAppended: rules.on_metadata_appended,
    ev.MetadataTruncated: rules.on_metadata_truncated,
    ev.MetadataDiverged: rules.on_diverged,
    ev.MetadataHighWatermarkAdvanced: rules.on_metadata_high_watermark,
    ev.ControllerActivated: rules.on_activated,
    ev.ControllerDeactivated: rules.on_deactivated,
    ev.BrokerRegistered: rules.set_fenced_to(True),
    ev.BrokerFenced: rules.set_fenced_to(True),
    ev.BrokerUnfenced: rules.set_fenced_to(False),
    ev.BrokerStateChanged: rules.on_broker_state,
    ev.PartitionApplied: rules.on_partition,
    ev.IsrCommitted: rules.on_isr_committed,
    ev.ReplicaLagging: rules.on_lagging,
    ev.ReplicaAppended: rules.on_replica_appended,
    ev.ReplicaTruncated: rules.on_replica_truncated,
    ev.ReplicaDiverged: rules.on_diverged,
    ev.HighWatermarkAdvanced: rules.on_high_watermark,
    ev.BecameLeader: rules.on_became,
    ev.BecameFollower: rules.on_became,
    ev.FramesHeld: rules.on_held,
    ev.FramesReleased: rules.on_link_free,
    ev.LinkReset: rules.on_link_free,
    ev.OperationSucceeded: rules.on_operation,
    ev.OperationFailed: rules.on_operation,
    ev.OperationUnknown: rules.on_operation,
    ev.ExpectationChecked: rules.on_checked,
}


class ClusterView(ViewState):
    """The whole cluster after some entries. `apply` is the only writer."""

    __slots__ = ()

    def apply(self, entry: Entry) -> None:
        """Take in one entry; entries of one node come in order."""
        self.t_ns = max(self.t_ns, entry.t_ns)
        handler = HANDLERS.get(type(entry.event))
        if handler is not None:
            handler(self, entry, entry.event)
