"""CreatePartitions: more partitions of a topic that is there. Source: KIP-195, ReplicationControlManager."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.image import MetadataImage
from cluster.controller.partition_changes import goes_by_majority, write_partition
from cluster.controller.rules.replica_placement import place_replicas
from cluster.controller.rules.topics import create_partitions, first_state
from cluster.controller.state import ControllerState
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.messages import CreatePartitionsRequest, CreatePartitionsResponse


def on_create_partitions(
    state: ControllerState, batch: Batch, request: CreatePartitionsRequest
) -> CreatePartitionsResponse:
    """Add partitions to one topic, or say why not. Those it has stay as they are; records do not move."""
    ruling = create_partitions(state.image, request)
    if not ruling.granted or request.validate_only:
        reason = "" if ruling.granted else ruling.reason
        return CreatePartitionsResponse(error=ruling.value, reason=reason, leader_id=state.leader_id)
    topic = state.image.topics[request.topic]
    by_majority = goes_by_majority(state.image, state.settings, request.topic)
    count = state.image.partition_count(request.topic)
    lists = request.assignments or _placed(state.image, request.topic, request.count - count)
    for partition, replicas in enumerate(lists, count):
        first = first_state(
            state.image, topic.topic_id, tuple(replicas), topic.min_insync_replicas, by_majority=by_majority
        )
        created, decision = first.with_evidence
        write_partition(batch, TopicPartition(request.topic, partition), created, "created", False, decision)
    return CreatePartitionsResponse(leader_id=state.leader_id)


def _placed(image: MetadataImage, topic: str, added: int) -> list[tuple[NodeId, ...]]:
    """Striped on from where the topic's partitions end."""
    unfenced = list(image.eligible_brokers())
    first = image.partitions[TopicPartition(topic, 0)].replicas
    start = unfenced.index(first[0]) if first[0] in unfenced else 0
    return place_replicas(image, added, len(first), start + image.partition_count(topic)).value
