"""Elections that were asked for: by ElectLeaders or by the balance timer. Source: KIP-183, KIP-460."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.majority import elect
from cluster.controller.partition_changes import decide, depose, goes_by_majority, target_of
from cluster.controller.rules.leader_election import Election
from cluster.controller.rules.majority import elect_by_majority
from cluster.controller.state import ControllerState
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.messages import ElectLeadersRequest, ElectLeadersResponse


def on_elect_leaders(state: ControllerState, batch: Batch, request: ElectLeadersRequest) -> ElectLeadersResponse:
    """Run the election for one partition, or say why there is none."""
    topic_partition = TopicPartition(request.topic, request.partition)
    election = Election.UNCLEAN if request.unclean else Election.PREFERRED
    error = _judge(state, topic_partition, election)
    if error == ErrorCode.NONE and not _elect(state, batch, topic_partition, election, f"{election} election asked"):
        error = (
            ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE if request.unclean else ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
        )
    return ElectLeadersResponse(error=error, leader_id=state.leader_id)


def on_balance_check(state: ControllerState, batch: Batch) -> None:
    """Give leaderships back to preferred replicas. Source: auto.leader.rebalance.enable."""
    for topic_partition, partition in sorted(state.image.partitions.items()):
        is_by_majority = goes_by_majority(state.image, state.settings, topic_partition.topic)
        if partition.leader not in (NO_NODE, partition.replicas[0]) and not is_by_majority:
            _elect(state, batch, topic_partition, Election.PREFERRED, "leaders rebalanced")


def _judge(state: ControllerState, topic_partition: TopicPartition, election: Election) -> ErrorCode:
    partition = state.image.partitions.get(topic_partition)
    if partition is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if election is Election.PREFERRED and partition.leader == partition.replicas[0]:
        return ErrorCode.ELECTION_NOT_NEEDED
    if election is Election.UNCLEAN and partition.leader != NO_NODE:
        return ErrorCode.ELECTION_NOT_NEEDED
    return ErrorCode.NONE


def _elect(state: ControllerState, batch: Batch, topic_partition: TopicPartition, election: Election, why: str) -> bool:
    """Whether the election changed anything."""
    if goes_by_majority(state.image, state.settings, topic_partition.topic):
        return _elect_by_majority(state, batch, topic_partition, election, why)
    return decide(batch, target_of(batch, state.settings, topic_partition), election, why) is not None


def _elect_by_majority(
    state: ControllerState, batch: Batch, topic_partition: TopicPartition, election: Election, why: str
) -> bool:
    """Nobody can be made leader by majority: its replicas are asked anew, and the first majority that tells decides."""
    partition = state.image.partitions[topic_partition]
    if election is Election.UNCLEAN or partition.leader == NO_NODE:
        return elect(state, batch, topic_partition, unclean=election is Election.UNCLEAN)
    if partition.replicas[0] not in state.image.eligible_brokers():
        return False
    depose(batch, topic_partition, why, elect_by_majority(partition, {}).decision)
    return True
