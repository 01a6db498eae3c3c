"""The leader writes its ISR to ZooKeeper itself, and the controller hears of it later; so do blocks of producer ids.

What a leader of the KRaft era asks the controller, it asks its own broker here, which writes the state znode in the
version that the leader knows. Source: Kafka ZkAlterPartitionManager, ReplicaManager.maybePropagateIsrChanges,
ZkProducerIdManager.
"""

from __future__ import annotations

from typing import Protocol

from msgspec.structs import replace

from cluster.model.effects import Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import IsrChangesTold, StateWriteRefused
from cluster.model.identifiers import Epoch, NodeId, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    AlterPartitionRequest,
    AlterPartitionResponse,
    ZooKeeperCode,
)
from cluster.model.partition_state import PartitionState
from cluster.model.settings import Settings
from cluster.zookeeper.flows import Flow, Flows, create, get, put
from cluster.zookeeper.paths import (
    ISR_CHANGE_PREFIX,
    PRODUCER_IDS,
    BadData,
    decode,
    encode,
    encode_partitions,
    encode_state,
    state_path,
)

TIMER = "isr_changes"
QUIET_INTERVALS = 2
"""Changes are told once there was none for so many intervals. Source: ReplicaManager.IsrChangePropagationBlackOut."""
LATEST_INTERVALS = 24
"""Or once so many have passed since the last were told: 60 s of 2.5 s."""
BLOCK_COUNT = 1000
"""Ids of one block. Source: Kafka ProducerIdsBlock."""
ERRORS = {
    ZooKeeperCode.BAD_VERSION: ErrorCode.INVALID_UPDATE_VERSION,
    ZooKeeperCode.NO_NODE: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
}


class Leaderships(Protocol):
    """What a broker knows of its partitions."""

    @property
    def controller_epoch(self) -> Epoch:
        """Highest one it has heard of."""

    def known(self, where: TopicPartition) -> PartitionState | None:
        """As it was told last, or wrote itself."""

    def wrote(self, where: TopicPartition, state: PartitionState) -> None:
        """The leader's own write is done: it is so."""


class IsrWriter:
    """Writes the ISRs of all partitions that one broker leads."""

    __slots__ = ("_broker_id", "_changed", "_changed_ms", "_flows", "_leaderships", "_now_ms", "_settings", "_told_ms",
                 "_out")  # fmt: skip

    def __init__(
        self, broker_id: NodeId, settings: Settings, flows: Flows, leaderships: Leaderships, out: list[Effect]
    ) -> None:
        """`out`: where what is to be done is put."""
        self._broker_id, self._settings, self._out = broker_id, settings, out
        self._flows, self._leaderships = flows, leaderships
        self._changed: set[TopicPartition] = set()
        self._changed_ms = self._told_ms = self._now_ms = 0

    def handle(self, received: Received, now_ms: int) -> None:
        """A leader of this broker wants another ISR, or its producers another block of ids."""
        self._now_ms = now_ms
        if isinstance(received.message, AlterPartitionRequest):
            request, correlation = received.message, received.correlation
            self._flows.add("", lambda: self._write(request, correlation))
        else:
            self._flows.add("producer_ids", lambda: self._allocate(received))

    def on_timer(self, now_ms: int) -> None:
        """Maybe it is time to tell the controller."""
        self._now_ms = now_ms
        interval_ms = self._settings.isr_change_interval_ms
        self._out.append(SetTimer(TIMER, interval_ms))
        is_quiet = now_ms - self._changed_ms >= QUIET_INTERVALS * interval_ms
        if self._changed and (is_quiet or now_ms - self._told_ms >= LATEST_INTERVALS * interval_ms):
            self._told_ms = now_ms
            changed, self._changed = sorted(self._changed), set()
            self._flows.add("", lambda: self._tell(changed))

    def _write(self, request: AlterPartitionRequest, correlation: int) -> Flow:
        where = TopicPartition(request.topic, request.partition)
        before = self._leaderships.known(where)
        if before is None or request.leader_epoch != before.leader_epoch:
            self._answer(correlation, request, ErrorCode.FENCED_LEADER_EPOCH)
            return
        state = replace(
            before,
            isr=tuple(node for node, _ in request.new_isr),
            partition_epoch=request.partition_epoch + 1,
        )
        data = encode_state(state, self._leaderships.controller_epoch)
        answer = (yield [put(state_path(where), data, request.partition_epoch)])[0]
        is_done = answer.is_ok
        if answer.error == ZooKeeperCode.BAD_VERSION:  # by itself, perhaps: the request may have come twice
            state_znode = (yield [get(state_path(where))])[0]
            is_done = state_znode.is_ok and (state_znode.last.data, state_znode.last.version) == (
                data,
                state.partition_epoch,
            )
        if is_done:
            self._changed.add(where)
            self._changed_ms = self._now_ms
            self._leaderships.wrote(where, state)
            return
        refused = StateWriteRefused(
            topic=where.topic, partition=where.partition, version=request.partition_epoch, error=answer.error
        )
        self._out.append(Emit(refused))
        self._answer(correlation, request, ERRORS.get(ZooKeeperCode(answer.error), ErrorCode.UNKNOWN_SERVER_ERROR))

    def _answer(self, correlation: int, request: AlterPartitionRequest, error: ErrorCode) -> None:
        answer = AlterPartitionResponse(error=error, topic=request.topic, partition=request.partition)
        self._out.append(Send(self._broker_id, answer, correlation))

    def _tell(self, changed: list[TopicPartition]) -> Flow:
        answer = (yield [create(ISR_CHANGE_PREFIX, encode_partitions(changed), sequential=True)])[0]
        if answer.is_ok:
            self._out.append(Emit(IsrChangesTold(partitions=tuple(map(str, changed)), path=answer.last.path)))

    def _allocate(self, received: Received) -> Flow:
        """Blocks follow one another; who loses the race for one reads and tries again."""
        while True:
            answer = (yield [get(PRODUCER_IDS)])[0]
            start = _next_id(answer.last.data) if answer.is_ok else 0
            data = encode(
                {
                    "version": 1,
                    "broker": self._broker_id,
                    "block_start": str(start),
                    "block_end": str(start + BLOCK_COUNT - 1),
                }
            )
            write = put(PRODUCER_IDS, data, answer.last.version) if answer.is_ok else create(PRODUCER_IDS, data)
            if (yield [write])[0].is_ok:
                break
        assert isinstance(received.message, AllocateProducerIdsRequest)
        given = AllocateProducerIdsResponse(
            producer_id_start=start, producer_id_count=BLOCK_COUNT, leader_id=self._broker_id
        )
        self._out.append(Send(received.sender, given, received.correlation))


def _next_id(data: str) -> int:
    try:
        return int(decode(data, "block_end")["block_end"]) + 1
    except (BadData, TypeError, ValueError):
        return 0
