"""Topic creation: check the wish, place the replicas, write the first states. Source: KIP-631."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.described_configs import of_topic
from cluster.controller.image import TopicState
from cluster.controller.partition_changes import write_partition
from cluster.controller.rules.replica_placement import place_replicas
from cluster.controller.rules.topics import create_topic, first_state
from cluster.controller.state import ControllerState
from cluster.controller.topic_configs import write_config
from cluster.model.events import TopicCreated
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.messages import CreateTopicRequest, CreateTopicResponse
from cluster.model.metadata_records import TopicRecord
from cluster.model.topic_settings import MIN_ISR, SETTABLE, commits_by_majority, default_of


def on_create_topic(state: ControllerState, batch: Batch, request: CreateTopicRequest) -> CreateTopicResponse:
    """Create one topic, or say why not."""
    ruling = create_topic(state.image, request)
    if not ruling.granted:
        return CreateTopicResponse(error=ruling.value, reason=ruling.reason, leader_id=state.leader_id)
    replica_lists = request.assignments or _placed(state, request)
    own = {name: SETTABLE[name].spelled(value) for name, value in request.configs}
    topic_id, minimum = batch.next_offset, int(own.get(MIN_ISR, request.min_insync_replicas))
    if not request.validate_only:
        batch.emit(
            TopicCreated(
                topic=request.topic,
                topic_id=topic_id,
                partitions=request.partitions,
                min_insync_replicas=minimum,
            ),
            ruling.decision,
        )
        batch.write(TopicRecord(topic=request.topic, topic_id=topic_id, min_insync_replicas=minimum))
        for name, value in own.items():
            write_config(batch, request.topic, name, value, default_of(name, state.settings), ruling.decision)
        for partition, replicas in enumerate(replica_lists):
            by_majority = commits_by_majority(own, state.settings)
            ruled = first_state(state.image, topic_id, replicas, minimum, by_majority=by_majority)
            created, first = ruled.with_evidence
            write_partition(batch, TopicPartition(request.topic, partition), created, "created", False, first)
    configs = of_topic(TopicState(topic_id=topic_id, min_insync_replicas=minimum, own=own), state.settings)
    return CreateTopicResponse(leader_id=state.leader_id, topic_id=topic_id, configs=configs)


def _placed(state: ControllerState, request: CreateTopicRequest) -> list[tuple[NodeId, ...]]:
    start = len(state.image.topics)
    return place_replicas(state.image, request.partitions, request.replication_factor, start).value
