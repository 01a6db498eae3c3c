"""Removing topics. Source: ReplicationControlManager.deleteTopic, KIP-516."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.more_partitions import partition_count
from cluster.controller.state import ControllerState
from cluster.model.decision import Decision
from cluster.model.errors import ErrorCode
from cluster.model.events import TopicDeleted
from cluster.model.identifiers import OFFSETS_TOPIC
from cluster.model.messages import DeleteTopicRequest, DeleteTopicResponse
from cluster.model.metadata_records import RemoveTopicRecord

KEPT = frozenset((OFFSETS_TOPIC,))
"""What a cluster needs for itself. Kafka would delete it for who may; the offsets of all groups would be lost."""


def on_delete_topic(state: ControllerState, batch: Batch, request: DeleteTopicRequest) -> DeleteTopicResponse:
    """Remove one topic, or say why not. One record is enough: partitions and settings go with their topic."""
    topic = state.image.topics.get(request.topic)
    if topic is None:
        error, reason = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no such topic"
        return DeleteTopicResponse(error=error, reason=reason, leader_id=state.leader_id)
    if request.topic in KEPT:
        error, reason = ErrorCode.TOPIC_DELETION_DISABLED, "the cluster keeps this topic for itself"
        return DeleteTopicResponse(error=error, reason=reason, leader_id=state.leader_id)
    partitions = partition_count(state.image, request.topic)
    numbers: dict[str, int | str | list[int]] = {"topic_id": topic.topic_id, "partitions": partitions}
    source = "ReplicationControlManager.deleteTopic"
    decision = Decision("delete_topic", True, "the topic is there and may go", source, numbers)
    batch.emit(TopicDeleted(topic=request.topic, topic_id=topic.topic_id, partitions=partitions), decision)
    batch.write(RemoveTopicRecord(topic=request.topic, topic_id=topic.topic_id))
    return DeleteTopicResponse(leader_id=state.leader_id)
