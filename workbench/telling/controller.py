"""The active controller: brokers, topics, who leads which partition, moves of replicas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cluster.model.events import controller, producer
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.picture.cluster_state import ClusterState
from workbench.telling import words
from workbench.telling.telling import BAD, DECIDE, DIM, GOOD, INFO, MOVE, WARN, Cell, Printed, Telling
from workbench.telling.template import fill

BROKER_STATES = {
    "starting": "is starting",
    "recovery": "has caught up with the metadata",
    "running": "is running",
    "pending_controlled_shutdown": "asks to leave",
    "shutting_down": "is shutting down",
}
WHOLE_WITH = "{adopted_epoch:, whole with the beginning of e{}/}"


def _decided_cell(e: controller.PartitionDecided, _name: str, view: ClusterState) -> str:
    """A new leader or another ISR of a partition that is there already."""
    before = view.facts(TopicPartition(e.topic, e.partition))
    if before is None or (before.leader, before.isr) == (e.leader, e.isr):
        return ""
    if e.unclean:
        return fill("UNCLEAN {leader}", e)
    if before.leader != e.leader:
        return fill("\u2605 {leader}?" if e.leader != NO_NODE else "nobody", e)
    return f"ISR {len(before.isr)}\u2192{len(e.isr)}"


def _chosen(e: controller.PartitionDecided, numbers: Mapping[str, Any]) -> str:
    """Why this replica leads; empty where the leader stays, and so something else was decided."""
    if "election" not in numbers:  # of a new partition alone
        new = "{log} is new, and {leader} is the first in service of its replicas {assignment:and}"
        return fill(new, e, numbers) if e.leader > 0 else ""
    if numbers.get("leader_before", NO_NODE) == e.leader:
        moving = "its replicas move: until all that come are in sync, {assignment:and} are its replicas"
        return fill(moving, e, numbers) if e.adding_replicas or e.removing_replicas else ""
    if e.leader < 0:
        return "no replica that may lead is alive"
    if e.unclean:
        return fill("nobody in sync may lead: {leader} was not in sync, records may be lost", e)
    isr = {"isr": e.isr}
    return fill("{leader} comes next in the list of those that were in sync, {isr:and}", e, isr)


def _moves(e: controller.ReassignmentBegun, _numbers: Mapping[str, Any]) -> str:
    adds, goes = e.adding_replicas, e.removing_replicas
    copies = f"; {words.nodes(adds)} {'copies' if len(adds) == 1 else 'copy'} first" if adds else ""
    leaves = f", and {words.nodes(goes)} leave{'s' * (len(goes) == 1)} when all others are in sync" if goes else ""
    return fill("its replicas are to be {replicas:and}", e) + copies + leaves


def _moved(e: controller.ReassignmentEnded, _numbers: Mapping[str, Any]) -> str:
    if e.how != "completed":
        return fill("the move was called off; the replicas are {replicas:and} as before", e)
    left = f", so {words.nodes(e.left)} {'is' if len(e.left) == 1 else 'are'} not needed any more" if e.left else ""
    return fill("all of {replicas:and} are in sync", e) + left


FENCED = {"asked": "it asked for that", "restarted": "it has restarted"}
"""Why a broker is fenced that was not silent, by the word of the trace."""
TELLINGS: dict[type, Telling] = {
    controller.ControllerActivated: Telling(GOOD, "active controller of e{epoch}"),
    controller.ControllerDeactivated: Telling(
        WARN, "no longer active controller (e{epoch}){why:: {}/}", printed=lambda e, _: bool(e.why)
    ),
    controller.BrokerRegistered: Telling(INFO, "broker {broker_id} registered, broker epoch {broker_epoch}"),
    controller.RegistrationRefused: Printed(BAD, "registration of {broker_id} refused: {error}"),
    controller.BrokerFenced: Printed(
        BAD,
        "broker {broker_id} FENCED: {why}",
        cell=Cell(DECIDE, "{broker_id} out", "broker_epoch"),
        question="Why is {broker_id} fenced?",
        reasons=("{broker_id} was silent for {silence_ms} ms, longer than its session of {session_timeout_ms} ms",),
        silence=("silence_ms", "broker_id"),
    ),
    controller.BrokerUnfenced: Printed(
        GOOD,
        "broker {broker_id} unfenced, broker epoch {broker_epoch}",
        cell=Cell(DECIDE, "{broker_id} back", "broker_epoch"),
    ),
    controller.ControlledShutdownBegun: Printed(INFO, "moving leaderships off {broker_id}"),
    controller.PartitionDecided: Printed(
        INFO,
        "{log} leader {leader} e{leader_epoch} ISR {isr}: {why}{unclean: UNCLEAN/}",
        cell=Cell(DECIDE, _decided_cell, "topic partition partition_epoch"),
        reasons=(_chosen, "{why}"),
    ),
    controller.AlterPartitionRefused: Printed(BAD, "ISR change of {log} by {broker_id} refused: {error}"),
    controller.PartitionApplied: Telling(DIM, "{log} applied: leader {leader} e{leader_epoch} ISR {isr}"),
    controller.BrokerStateChanged: Telling(
        INFO,
        lambda e: fill(
            "broker {state}{broker_epoch: (broker epoch {})/}", e, {"state": BROKER_STATES.get(e.state, e.state)}
        ),
    ),
    controller.TopicCreated: Telling(INFO, "topic {topic}: {partitions:partition}, min.insync {min_insync_replicas}"),
    controller.TopicDeleted: Telling(WARN, "topic {topic} DELETED with {partitions:partition}"),
    controller.TopicConfigChanged: Telling(
        INFO,
        lambda e: fill(f"topic {{topic}}: {{config}} is {'the default again' if e.is_default else '{value}'}", e),
    ),
    controller.ReassignmentBegun: Telling(
        WARN,
        "{log} REASSIGNED to {replicas}: {adding_replicas:{}/nobody} to copy it first, "
        "{removing_replicas:{}/nobody} to leave then",
        mark=MOVE,
        question="Why does {log} move?",
        reasons=(_moves,),
    ),
    controller.ReassignmentEnded: Telling(
        INFO,
        "{log} reassignment {how}: on {replicas} now, off {left:{}/nobody}",
        mark=MOVE,
        question="Why does {log} move no more?",
        reasons=(_moved,),
    ),
    controller.LogEndHeard: Telling(DIM, "{log} log of {broker_id} ends at {log_end_offset}" + WHOLE_WITH),
    producer.ProducerIdsAllocated: Telling(
        INFO,
        lambda e: fill(
            "producer ids {producer_id_start} to {last} for broker {broker_id}",
            e,
            {"last": e.producer_id_start + e.producer_id_count - 1},
        ),
    ),
}
