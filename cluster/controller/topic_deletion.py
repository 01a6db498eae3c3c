"""Removing topics. Source: ReplicationControlManager.deleteTopic, KIP-516."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.rules.topics import delete_topic
from cluster.controller.state import ControllerState
from cluster.model.events import TopicDeleted
from cluster.model.messages import DeleteTopicRequest, DeleteTopicResponse
from cluster.model.metadata_records import RemoveTopicRecord


def on_delete_topic(state: ControllerState, batch: Batch, request: DeleteTopicRequest) -> DeleteTopicResponse:
    """Remove one topic, or say why not. One record is enough: partitions and settings go with their topic."""
    name, ruling = request.topic, delete_topic(state.image, request.topic)
    if not ruling.granted:
        return DeleteTopicResponse(error=ruling.value, reason=ruling.reason, leader_id=state.leader_id)
    topic_id, partitions = state.image.topics[name].topic_id, state.image.partition_count(name)
    batch.emit(TopicDeleted(topic=name, topic_id=topic_id, partitions=partitions), ruling.decision)
    batch.write(RemoveTopicRecord(topic=name, topic_id=topic_id))
    return DeleteTopicResponse(leader_id=state.leader_id)
