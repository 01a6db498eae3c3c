"""What a broker does with what controllers push: it obeys the newest it has heard of, and never asks.

LeaderAndIsr says what to lead and to follow, UpdateMetadata what to tell clients; one may come without the other.
Source: Kafka KafkaApis.handleLeaderAndIsrRequest, ReplicaManager.becomeLeaderOrFollower, ZkMetadataCache.
"""

from __future__ import annotations

from typing import Protocol

from cluster.controller.image import BrokerState, MetadataImage, TopicState
from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import PushObeyed, PushRefused
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import (
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    Message,
    StopReplicaRequest,
    StopReplicaResponse,
    UpdateMetadataRequest,
    UpdateMetadataResponse,
)
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Decision
from cluster.model.topic_settings import MIN_ISR
from cluster.zookeeper.channels import Push, name_of
from cluster.zookeeper.rules.pushes import obey_controller, take_leader_epoch


class Hosted(Protocol):
    """The partitions that this broker keeps."""

    def tell(self, where: TopicPartition, state: PartitionState, now_ms: int) -> list[Effect]:
        """Lead or follow; open the log first when need be."""

    def tell_brokers(self, broker_epochs: dict[NodeId, int], now_ms: int) -> list[Effect]:
        """Who may join an ISR."""

    def follow_topics(self, now_ms: int) -> list[Effect]:
        """Topics or their settings are others than before."""

    def leave(self, where: TopicPartition) -> list[Effect]:
        """Neither lead nor follow; the log stays."""

    def drop(self, where: TopicPartition) -> list[Effect]:
        """Leave a partition that is deleted, and remove its log."""

    def state(self, where: TopicPartition) -> PartitionState | None:
        """As it was told last."""


class BrokerSide:
    """One broker's ear for controllers, and what it tells clients."""

    __slots__ = ("_hosted", "_out", "broker_epoch", "controller_epoch", "controller_id", "image")

    def __init__(self, image: MetadataImage, hosted: Hosted, out: list[Effect]) -> None:
        """`out`: where what is to be done is put."""
        self._hosted, self._out = hosted, out
        self.image = image
        """What clients are told: as UpdateMetadata said, whatever this broker itself leads or follows."""
        self.controller_epoch: Epoch = 0
        """Highest one heard of since this process began."""
        self.controller_id: NodeId = NO_NODE
        """Who was heard in it."""
        self.broker_epoch = -1
        """Of the own znode; -1 before it is created."""

    def handle(self, received: Received, now_ms: int) -> None:
        """Obey or refuse, and answer."""
        request = received.message
        match request:
            case LeaderAndIsrRequest():
                error = self._hear(request)
                if error == ErrorCode.NONE:
                    self._lead_and_follow(request, now_ms)
                self._answer(received, LeaderAndIsrResponse(error=error))
            case UpdateMetadataRequest():
                error = self._hear(request)
                if error == ErrorCode.NONE:
                    self._update(request, now_ms)
                self._answer(received, UpdateMetadataResponse(error=error))
            case StopReplicaRequest():
                error = self._hear(request)
                if error == ErrorCode.NONE:
                    self._stop(request)
                self._answer(received, StopReplicaResponse(error=error))

    def known(self, where: TopicPartition) -> PartitionState | None:
        """What this broker was told of a partition, or wrote itself."""
        return self._hosted.state(where)

    def _hear(self, push: Push) -> ErrorCode:
        error, decision = obey_controller(
            self.controller_epoch, push.controller_epoch, self.broker_epoch, push.broker_epoch
        ).with_evidence
        if error == ErrorCode.NONE:
            self.controller_epoch, self.controller_id = push.controller_epoch, push.controller_id
            self._tell_obeyed(push, decision)
        else:
            refused = PushRefused(
                kind=name_of(push),
                controller_id=push.controller_id,
                controller_epoch=push.controller_epoch,
                error=error,
            )
            self._out.append(Emit(refused, decision))
        return error

    def _tell_obeyed(self, push: Push, decision: Decision) -> None:
        obeyed = PushObeyed(
            kind=name_of(push),
            controller_id=push.controller_id,
            controller_epoch=push.controller_epoch,
            partitions=len(push.partitions),
        )
        self._out.append(Emit(obeyed, decision))

    def _lead_and_follow(self, request: LeaderAndIsrRequest, now_ms: int) -> None:
        for topic, partition, state in request.partitions:
            where = TopicPartition(topic, partition)
            state_before = self._hosted.state(where)
            if not take_leader_epoch(state_before, state).granted:
                continue
            if state_before is not None and state_before.topic_id != state.topic_id:
                self._out += self._hosted.drop(where)
            self._out += self._hosted.tell(where, state, now_ms)

    def _update(self, request: UpdateMetadataRequest, now_ms: int) -> None:
        """Source: ZkMetadataCache.updateMetadata."""
        image = self.image
        image.brokers = {
            node: BrokerState(broker_epoch=epoch, incarnation_id="", fenced=False, registration_offset=-1)
            for node, epoch in request.live_brokers
        }
        for topic, topic_id, own in request.topics:
            settings = dict(own)
            image.topics[topic] = TopicState(
                topic_id=topic_id, min_insync_replicas=int(settings.get(MIN_ISR, "1")), own=settings
            )
        for topic, partition, state in request.partitions:
            image.partitions[TopicPartition(topic, partition)] = state
        for topic in request.deleted:
            image.topics.pop(topic, None)
            for where in [where for where in image.partitions if where.topic == topic]:
                del image.partitions[where]
        image.offset += 1  # no log here: a number that grows with each change
        self._out += self._hosted.tell_brokers(dict(request.live_brokers), now_ms)
        self._out += self._hosted.follow_topics(now_ms)

    def _stop(self, request: StopReplicaRequest) -> None:
        """Who only stops to follow keeps its log: it is about to end."""
        stop = self._hosted.drop if request.delete else self._hosted.leave
        for topic, partition in request.partitions:
            self._out += stop(TopicPartition(topic, partition))

    def _answer(self, received: Received, answer: Message) -> None:
        self._out.append(Send(received.sender, answer, received.correlation))
