"""The rules by which a broker obeys a controller of ZooKeeper's era, and by which that one sees who is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Epoch, NodeId
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule, yes_or_no

OLDER_BROKER_EPOCH = -1


@rule(source="KIP-380", kafka="ReplicaManager.becomeLeaderOrFollower")
def obey_controller(
    known_epoch: Epoch, controller_epoch: Epoch, own_broker_epoch: int, broker_epoch: int
) -> Ruling[ErrorCode]:
    """A broker obeys whoever names a controller epoch not below the highest it has heard of, and its present life.

    It cannot know of a newer controller that has not told it anything yet.

    Args:
        broker_epoch: whom the controller means; -1 before KIP-380, when it could not say.
    """
    numbers: Numbers = {
        "controller_epoch": controller_epoch,
        "known_controller_epoch": known_epoch,
        "broker_epoch": broker_epoch,
        "own_broker_epoch": own_broker_epoch,
    }
    if controller_epoch < known_epoch:
        return error_or_none(ErrorCode.STALE_CONTROLLER_EPOCH, "a newer controller has been heard", numbers)
    if broker_epoch != OLDER_BROKER_EPOCH and broker_epoch < own_broker_epoch:
        return error_or_none(ErrorCode.STALE_BROKER_EPOCH, "it is meant for an earlier life of this broker", numbers)
    return error_or_none(ErrorCode.NONE, "no newer controller has been heard", numbers)


@rule(source="KIP-101", kafka="ReplicaManager.becomeLeaderOrFollower")
def take_leader_epoch(known: PartitionState | None, pushed: PartitionState) -> Ruling[bool]:
    """A partition changes its leader only with a higher leader epoch, whatever order pushes arrive in."""
    known_epoch = -1 if known is None else known.leader_epoch
    numbers: Numbers = {"leader_epoch": pushed.leader_epoch, "known_leader_epoch": known_epoch}
    if known is not None and known.topic_id != pushed.topic_id:
        return yes_or_no(True, "it is another topic of that name", numbers)
    is_newer = pushed.leader_epoch > known_epoch
    return yes_or_no(is_newer, "a newer leader epoch" if is_newer else "nothing newer than what is known", numbers)


class BrokerChanges(NamedTuple):
    """What a look at /brokers/ids found, each in order."""

    new: tuple[NodeId, ...]
    dead: tuple[NodeId, ...]
    bounced: tuple[NodeId, ...]
    """Gone and back since the last look."""


@rule(source="KIP-380", kafka="KafkaController.processBrokerChange")
def compare_brokers(
    known: Mapping[NodeId, int], alive: Mapping[NodeId, int], *, by_epoch: bool
) -> Ruling[BrokerChanges]:
    """A broker whose znode was created by another transaction is another process, though its id never seemed to leave.

    Args:
        known: broker to broker epoch, the transaction that created its znode, at the last look.
        by_epoch: false looks at ids alone, as before KIP-380.
    """
    # A watch tells that the list has changed, and a look what it is then. A broker that ends and starts in between
    # leaves the same list of ids: the controller would tell it nothing, and it waits for ever to hear what it leads.
    # Source: KIP-380.
    both = sorted(known.keys() & alive.keys())
    changes = BrokerChanges(
        tuple(sorted(alive.keys() - known.keys())),
        tuple(sorted(known.keys() - alive.keys())),
        tuple(node for node in both if by_epoch and alive[node] != known[node]),
    )
    numbers: Numbers = {
        "known": sorted(known),
        "known epochs": [known[node] for node in sorted(known)],
        "alive": sorted(alive),
        "alive epochs": [alive[node] for node in sorted(alive)],
        "bounced": list(changes.bounced),
    }
    is_any = any(changes)
    return Ruling(changes, is_any, "the list of brokers differs" if is_any else "the same list as before", numbers)


@rule(source="KIP-497", kafka="KafkaController.removeReplicaFromIsr")
def shrink_without(state: PartitionState, gone: frozenset[NodeId]) -> Ruling[PartitionState]:
    """Who is gone leaves the ISR, but for its last member: it is the only one known to have all that is committed."""
    isr = tuple(node for node in state.isr if node not in gone)
    numbers: Numbers = {
        "isr": list(state.isr),
        "gone": sorted(gone),
        "leader": state.leader,
        "known_leader_epoch": state.leader_epoch,
    }
    kept = isr or state.isr[:1]
    changed = PartitionState(
        topic_id=state.topic_id,
        replicas=state.replicas,
        isr=kept,
        leader=-1 if state.leader in gone else state.leader,
        leader_epoch=state.leader_epoch + 1,
        partition_epoch=state.partition_epoch + 1,
        min_insync_replicas=state.min_insync_replicas,
    )
    return Ruling(changed, True, "gone ones leave the ISR" if isr else "the last member of the ISR stays", numbers)
