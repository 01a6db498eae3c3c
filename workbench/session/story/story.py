"""The story of a run: entries in, incidents and headlines out. Each entry is folded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import INTERNAL_TOPICS, TopicPartition
from workbench.session.story.causes import Causes
from workbench.session.story.cells import cells_of
from workbench.session.story.elections import Quorum
from workbench.session.story.incident import Incident
from workbench.session.story.line import DETAILS
from workbench.session.story.losses import Losses
from workbench.session.story.moves import Moves
from workbench.session.story.partitions import Partitions
from workbench.session.story.races import Races
from workbench.session.story.snapshots import Snapshots
from workbench.session.story.teller import Moment, Teller
from workbench.session.story.traffic import Traffic
from workbench.session.story.transactions import Transactions
from workbench.session.views.cluster import ClusterView
from workbench.telling.tell import TELLINGS, describe, subject, tone, who
from workbench.telling.telling import DIM

IN_DETAIL = frozenset(kind for kind, telling in TELLINGS.items() if telling.is_detail and telling.tone != DIM)
"""Kinds whose sentence is a detail of the incident that they belong to."""

Handler = Callable[[Entry, Any, ClusterView], None]


class Story:
    """Incidents, headlines and what clients got done."""

    def __init__(self) -> None:
        self.teller, self.traffic = Teller(), Traffic()
        self.losses = Losses(self.teller)
        self._causes = causes = Causes(self.teller)
        quorum, partitions, snapshots = Quorum(self.teller), Partitions(self.teller), Snapshots(self.teller)
        races, transactions, moves = Races(self.teller, partitions), Transactions(self.teller), Moves(self.teller)
        self._handlers: dict[type, Handler] = {
            ev.FaultInjected: causes.on_injected,
            ev.FaultApplied: causes.on_applied,
            ev.FaultReverted: causes.on_reverted,
            ev.MessagePlucked: causes.on_plucked,
            ev.ProcessStarted: causes.on_started,
            ev.ProcessReady: causes.on_ready,
            ev.ProcessExited: causes.on_exited,
            ev.PowerLost: self._on_power_lost,
            ev.PortTaken: causes.on_port_taken,
            ev.RunResumed: causes.on_resumed,
            ev.RunEnded: causes.on_run_ended,
            ev.LoadStarted: causes.on_load_started,
            ev.LoadEnded: causes.on_load_ended,
            ev.ElectionStarted: quorum.on_election_started,
            ev.TimerSet: quorum.on_timer_set,
            ev.VoteRejected: quorum.on_vote_rejected,
            ev.LeaderElected: quorum.on_leader_elected,
            ev.RoleChanged: quorum.on_role_changed,
            ev.MetadataTruncated: quorum.on_truncated,
            ev.SessionEnded: races.on_session_ended,
            ev.ZNodeWritten: races.on_znode_written,
            ev.ControllerRaceWon: races.on_race_won,
            ev.PushRefused: races.on_push_refused,
            ev.SnapshotWritten: snapshots.on_written,
            ev.SnapshotOffered: snapshots.on_offered,
            ev.SnapshotInstalled: snapshots.on_installed,
            ev.SnapshotFetchEnded: snapshots.on_ended,
            ev.SnapshotLoaded: snapshots.on_loaded,
            ev.SnapshotRejected: snapshots.on_rejected,
            ev.TransactionStateChanged: transactions.on_state,
            ev.MarkerWritten: transactions.on_marker,
            ev.ReassignmentBegun: moves.on_begun,
            ev.ReassignmentEnded: moves.on_ended,
            ev.BrokerFenced: partitions.on_fenced,
            ev.BrokerUnfenced: partitions.on_unfenced,
            ev.TopicCreated: partitions.on_topic_created,
            ev.TopicDeleted: partitions.on_topic_deleted,
            ev.BecameLeader: partitions.on_became_leader,
            ev.MetadataHighWatermarkAdvanced: partitions.on_progress,
            ev.PartitionApplied: partitions.on_applied,
            ev.ReplicaLagging: partitions.on_lagging,
            ev.ReplicaTruncated: self._on_cut,
            ev.LogRecovered: self._on_cut,
            ev.ProduceRefused: self.losses.on_refused,
            ev.ProduceAnswered: self._on_answered,
            ev.OperationInvoked: self._on_invoked,
            ev.OperationSucceeded: self._on_succeeded,
            ev.OperationFailed: self._on_failed,
            ev.OperationUnknown: self._on_unknown,
        }
        """What each kind of event adds. Kinds that are not here add nothing, or a detail."""
        self.told = IN_DETAIL.union(self._handlers)
        """Kinds of which anything is told at all."""

    @property
    def incidents(self) -> list[Incident]:
        """In the order of the run."""
        return self.teller.incidents

    @property
    def moments(self) -> list[Moment]:
        """Every headline, in the order of the run."""
        return self.teller.moments

    def said_at(self, index: int) -> str:
        """What the story says of the entry at index, the newest one; empty when it says nothing of it."""
        place, text = self.teller.marked
        return text if place == index else ""

    def apply(self, entry: Entry, index: int, picture: ClusterView) -> None:
        """Take in the entry at index. picture: the cluster with it."""
        event = entry.event
        kind = type(event)
        handler = self._handlers.get(kind)
        if handler is None and kind not in IN_DETAIL:
            return
        teller = self.teller
        teller.place, teller.t_ns, teller.cells = index, entry.t_ns, cells_of(entry)
        if handler is not None:
            handler(entry, event, picture)
        if kind in IN_DETAIL and not teller.has_told and tone(entry) != DIM:
            self._tell_detail(entry)

    def _tell_detail(self, entry: Entry) -> None:
        """The event's own sentence, where the incident is told in detail."""
        event = entry.event
        part = TopicPartition(str(getattr(event, "topic", "")), int(getattr(event, "partition", -1)))
        incident = self.teller.home((subject(entry),), part) or self.teller.owing("quorum")
        if incident is not None and part.topic not in INTERNAL_TOPICS:
            self.teller.step(incident, f"{who(entry)} {describe(entry)}", level=DETAILS, tone=tone(entry))

    def _on_power_lost(self, entry: Entry, event: ev.PowerLost, picture: ClusterView) -> None:
        """Its files are shorter at once; where the disk may have kept some of it the next start tells which."""
        self._causes.on_power_lost(entry, event, picture)
        self.losses.look(picture)

    def _on_cut(self, _entry: Entry, _event: ev.ReplicaTruncated | ev.LogRecovered, picture: ClusterView) -> None:
        self.losses.look(picture)

    def _on_answered(self, entry: Entry, event: ev.ProduceAnswered, _picture: ClusterView) -> None:
        """Of a Kafka client only its broker tells."""
        if event.kafka_client and not event.error:
            self.traffic.acknowledged_by(event.count, entry.t_ns, self.teller.place)
            self.teller.acknowledged = self.traffic.acknowledged
            tp = TopicPartition(event.topic, event.partition)
            self.losses.on_acknowledged(tp, event.base_offset + event.count)

    def _on_invoked(self, entry: Entry, event: ev.OperationInvoked, _picture: ClusterView) -> None:
        self.traffic.on_invoked(event, entry.t_ns)

    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded, _picture: ClusterView) -> None:
        self.traffic.on_succeeded(event, entry.t_ns, self.teller.place)
        self.teller.acknowledged = self.traffic.acknowledged
        if event.function == "produce" and event.base_offset >= 0:
            tp = TopicPartition(event.topic, event.partition)
            self.losses.on_acknowledged(tp, event.base_offset + event.count)

    def _on_failed(self, entry: Entry, event: ev.OperationFailed, picture: ClusterView) -> None:
        self.traffic.on_failed(event, entry.t_ns, self.teller.place)
        self.losses.on_failed(entry, event, picture)

    def _on_unknown(self, entry: Entry, event: ev.OperationUnknown, picture: ClusterView) -> None:
        self.traffic.on_failed(event, entry.t_ns, self.teller.place)
        self.losses.on_unknown(entry, event, picture)
