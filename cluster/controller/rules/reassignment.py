"""The rules of partition reassignment: what may be asked, when it is done, and what is left when it is cancelled."""

from __future__ import annotations

from typing import NamedTuple

from cluster.controller.image import MetadataImage
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.messages import ReassignPartitionRequest
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule


class Assignment(NamedTuple):
    """The replicas of a partition, and which of them come and go."""

    replicas: tuple[NodeId, ...]
    """All, the preferred leader first."""
    adding: tuple[NodeId, ...] = ()
    """Of them: who has to get in sync first."""
    removing: tuple[NodeId, ...] = ()
    """Of them: who leaves then."""


def assignment_of(state: PartitionState) -> Assignment:
    """As a partition has it."""
    return Assignment(state.replicas, state.adding_replicas, state.removing_replicas)


@rule(source="KIP-455, KIP-860", kafka="ReplicationControlManager.changePartitionReassignment")
def reassign_partition(image: MetadataImage, request: ReassignPartitionRequest) -> Ruling[ErrorCode]:
    """A partition may move to any brokers that are registered, in service or not; only a move that goes on may end.

    The first check that fails names the error.
    """
    where = TopicPartition(request.topic, request.partition)
    state = image.partitions.get(where)
    if state is None:
        return error_or_none(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no such partition")
    target = request.replicas
    numbers: Numbers = {
        "replicas": list(state.replicas),
        "adding": list(state.adding_replicas),
        "removing": list(state.removing_replicas),
        "target": [] if target is None else list(target),
    }
    if target is None:
        error = ErrorCode.NONE if state.is_reassigning else ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
        return error_or_none(error, "it is under way" if state.is_reassigning else "nothing moves", numbers)
    if reason := _why_not_there(image, target):
        return error_or_none(ErrorCode.INVALID_REPLICA_ASSIGNMENT, reason, numbers)
    factor = len(state.target_replicas)
    if not request.may_change_factor and len(target) != factor:
        reason = f"{len(target)} replicas, where it has {factor} and that was not to change"
        return error_or_none(ErrorCode.INVALID_REPLICATION_FACTOR, reason, numbers)
    return error_or_none(ErrorCode.NONE, "all of the target are registered", numbers)


def _why_not_there(image: MetadataImage, target: tuple[NodeId, ...]) -> str:
    """Why a partition cannot have these replicas; empty when it can. Source: validateManualPartitionAssignment."""
    if not target:
        return "there are no replicas"
    unknown = sorted(set(target) - set(image.brokers))
    if unknown:
        return f"broker {unknown[0]} is not registered"
    return "a broker is named twice" if len(set(target)) != len(target) else ""


@rule(source="KIP-455", kafka="PartitionReassignmentReplicas")
def begin_reassignment(state: PartitionState, target: tuple[NodeId, ...]) -> Ruling[Assignment]:
    """Who is new is added first, behind the target's order stays who has to leave: until then all are replicas.

    A newer target takes the place of an older one. As in Kafka, its two sets then count from all that are replicas
    now, and where one of them is empty the older one stays.
    """
    adding = tuple(sorted(set(target) - set(state.replicas))) or state.adding_replicas
    leaving = tuple(sorted(set(state.replicas) - set(target)))
    removing = leaving or state.removing_replicas
    replicas = (*target, *leaving)
    moves = (replicas, adding, removing) != assignment_of(state)
    numbers: Numbers = {
        "replicas": list(state.replicas),
        "target": list(target),
        "adding": list(adding),
        "removing": list(removing),
    }
    return Ruling(Assignment(replicas, adding, removing), moves, "the target, and who has to leave", numbers)


class Completed(NamedTuple):
    """What a partition has after its reassignment, or as before where that goes on."""

    assignment: Assignment
    isr: tuple[NodeId, ...]


@rule(source="KIP-455", kafka="PartitionReassignmentReplicas.maybeCompleteReassignment")
def complete_reassignment(assignment: Assignment, target_isr: tuple[NodeId, ...]) -> Ruling[Completed]:
    """A reassignment is done when every replica that stays is in the ISR; those that leave then leave the ISR too.

    Args:
        target_isr: the ISR to be.
    """
    as_it_is = Completed(assignment, target_isr)
    if not assignment.adding and not assignment.removing:
        return Ruling(as_it_is, False, "nothing moves")
    staying = tuple(node for node in assignment.replicas if node not in assignment.removing)
    isr = tuple(node for node in target_isr if node not in assignment.removing)
    missing = [node for node in staying if node not in isr]
    numbers: Numbers = {
        "isr": list(target_isr),
        "target": list(staying),
        "adding": list(assignment.adding),
        "removing": list(assignment.removing),
        "missing": missing,
    }
    if missing or not staying:
        return Ruling(as_it_is, False, "not all of the target are in sync", numbers)
    return Ruling(Completed(Assignment(staying), isr), True, "all of the target are in sync", numbers)


class Reverted(NamedTuple):
    """What a partition has after its reassignment is cancelled."""

    replicas: tuple[NodeId, ...]
    isr: tuple[NodeId, ...]
    unclean: bool
    """Whether the one member of that ISR was not in the ISR before: it may lack committed records."""


@rule(source="KIP-455", kafka="PartitionReassignmentRevert")
def revert_reassignment(state: PartitionState) -> Ruling[Reverted]:
    """Who was added goes again, from the ISR too, and who was to leave stays.

    Were only those in the ISR, the first replica that stays is all of it. That is an unclean election, and needs that
    such are allowed.
    """
    replicas = tuple(node for node in state.replicas if node not in state.adding_replicas)
    isr = tuple(node for node in state.isr if node not in state.adding_replicas)
    numbers: Numbers = {"isr": list(state.isr), "adding": list(state.adding_replicas), "replicas": list(replicas)}
    if not replicas:
        return Ruling(Reverted((), (), True), False, "every replica was added, nobody would be left", numbers)
    if not isr:
        reason = "nobody who stays is in the ISR: the first replica would be it, uncleanly"
        return Ruling(Reverted(replicas, replicas[:1], True), False, reason, numbers)
    return Ruling(Reverted(replicas, isr, False), True, "back to the replicas before", numbers)


@rule(source="KIP-455", kafka="PartitionChangeBuilder.triggerLeaderEpochBumpForReplicaReassignmentIfNeeded")
def next_leader_epoch(state: PartitionState, leader: NodeId, replicas: tuple[NodeId, ...]) -> Ruling[int]:
    """The leader epoch grows with each other leader, and when replicas leave: the leader then forgets those for good.

    Args:
        state: before the change.
        leader: after it; -1 for none.
        replicas: after it.
    """
    gone = sorted(set(state.replicas) - set(replicas))
    grows = leader != state.leader or bool(gone)
    reason = "another leader" if leader != state.leader else "replicas leave" if gone else "leader and replicas stay"
    numbers: Numbers = {"leader_before": state.leader, "leader": leader, "left": gone}
    return Ruling(state.leader_epoch + grows, grows, reason, numbers)
