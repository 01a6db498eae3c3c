"""What the screen shows at one moment: a pure fold over entries. The same for live and replay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.entry import Entry
from cluster.model.events import client, controller, lab, quorum, replica, storage
from workbench.session.views import decided, fencing, rules
from workbench.session.views.client_rules import CLIENT_HANDLERS
from workbench.session.views.group_rules import GROUP_HANDLERS
from workbench.session.views.isr_rules import ISR_HANDLERS, on_partition
from workbench.session.views.state import ViewState
from workbench.session.views.topic_rules import TOPIC_HANDLERS, on_topic_deleted

HANDLERS: dict[type, Callable[[ViewState, Entry, Any], None]] = {
    lab.RunStarted: rules.on_run_started,
    lab.ProcessStarted: rules.on_process_started,
    lab.ProcessReady: rules.on_process_ready,
    lab.PortTaken: rules.on_port_taken,
    lab.ProcessExited: rules.on_process_exited,
    lab.PowerLost: rules.on_power_lost,
    lab.FaultApplied: rules.on_fault_applied,
    lab.FaultReverted: rules.on_fault_reverted,
    storage.Fsynced: rules.on_fsynced,
    storage.LogRecovered: rules.on_recovered,
    quorum.QuorumBooted: rules.on_booted,
    quorum.RoleChanged: rules.on_role_changed,
    quorum.ElectionStarted: rules.on_election_started,
    quorum.VoteGranted: rules.on_vote_granted,
    quorum.VoteRejected: rules.on_vote_rejected,
    quorum.VoteReceived: rules.on_vote_received,
    quorum.LeaderElected: rules.on_leader_elected,
    quorum.MetadataAppended: rules.on_metadata_appended,
    quorum.MetadataTruncated: rules.on_metadata_truncated,
    quorum.MetadataDiverged: rules.on_diverged,
    quorum.MetadataHighWatermarkAdvanced: rules.on_metadata_high_watermark,
    controller.ControllerActivated: rules.on_activated,
    controller.ControllerDeactivated: rules.on_deactivated,
    controller.BrokerRegistered: fencing.decided(True),
    controller.BrokerFenced: fencing.decided(True),
    controller.BrokerUnfenced: fencing.decided(False),
    controller.BrokerStateChanged: rules.on_broker_state,
    replica.ReplicaAppended: rules.on_replica_appended,
    replica.ReplicaTruncated: rules.on_replica_truncated,
    replica.ReplicaDiverged: rules.on_diverged,
    replica.FetchRefused: rules.on_fetch_refused,
    replica.LogStartAdvanced: rules.on_log_start,
    replica.HighWatermarkAdvanced: rules.on_high_watermark,
    replica.BecameLeader: rules.on_became,
    replica.BecameFollower: rules.on_became,
    lab.FramesHeld: rules.on_held,
    lab.FramesReleased: rules.on_link_free,
    lab.LinkReset: rules.on_link_free,
    client.OperationSucceeded: rules.on_operation,
    client.OperationFailed: rules.on_operation,
    client.OperationUnknown: rules.on_operation,
    client.ExpectationChecked: rules.on_checked,
    **ISR_HANDLERS,
    **TOPIC_HANDLERS,
    **GROUP_HANDLERS,
    **CLIENT_HANDLERS,
}


class ClusterView(ViewState):
    """The whole cluster after some entries. `apply` is the only writer."""

    __slots__ = ()

    def apply(self, entry: Entry) -> None:
        """Take in one entry; entries of one node come in order."""
        if entry.t_ns > self.t_ns:
            self.t_ns = entry.t_ns
        handler = HANDLERS.get(type(entry.event))
        if handler is not None:
            handler(self, entry, entry.event)
        if type(entry.event) in decided.KINDS:
            for done in self.decided.take(entry):
                if isinstance(done.event, controller.TopicDeleted):
                    on_topic_deleted(self, done.event.topic, done.base_offset)
                else:
                    on_partition(self, entry, done.event)
