"""One broker that leads a partition, without processes and without a clock."""

from __future__ import annotations

from dataclasses import replace

from cluster.model.effects import Append, Effect, Emit, Send
from cluster.model.events import HighWatermarkAdvanced
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import Flushed, Input, PartitionChanged, Received
from cluster.model.messages import FetchRequest, ProduceRequest, ProduceResponse
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import classroom_timing
from cluster.replication.replica_manager import ReplicaManager
from tests.support.worlds.node_world import MemoryLog

ORDERS = TopicPartition("orders", 0)
OWN, FOLLOWER, CLIENT = 1, 2, 1000


class Leader:
    """Broker 1 leads; broker 2 follows. What it asks to be written is in its log at once, and flushed when told."""

    def __init__(self, *, flushes: bool = False, followers: tuple[int, ...] = (FOLLOWER,)) -> None:
        self.log = MemoryLog()
        self._manager = ReplicaManager(OWN, replace(classroom_timing(), flush_partitions=flushes))
        self._manager.open(ORDERS, self.log, 0)
        self.nodes = (OWN, *followers)
        self.leader_epoch = self._partition_epoch = -1
        self.decided(OWN, self.nodes)

    def decided(self, leader: int, isr: tuple[int, ...], *, leader_epoch: int | None = None) -> list[Effect]:
        """What the controller has decided; in the next leader epoch unless one is given."""
        self.leader_epoch = self.leader_epoch + 1 if leader_epoch is None else leader_epoch
        self._partition_epoch += 1
        state = PartitionState(
            topic_id=1,
            replicas=self.nodes,
            isr=isr,
            leader=leader,
            leader_epoch=self.leader_epoch,
            partition_epoch=self._partition_epoch,
            min_insync_replicas=1,
        )
        in_service = {node: node for node in self.nodes}
        return self.told(PartitionChanged(topic_partition=ORDERS, state=state, broker_epochs=in_service))

    def told(self, happened: Input) -> list[Effect]:
        effects = self._manager.handle(happened, 0)
        for effect in effects:
            if isinstance(effect, Append):
                self.log.append(effect.records)
        return effects

    def produce(self, *values: str, client: str = "p", acks: int = -1, sender: int = CLIENT) -> list[Effect]:
        records = encode_batch([Record(None, value.encode()) for value in values], 0, 0)
        request = ProduceRequest(
            client_id=client, topic="orders", partition=0, acks=acks, timeout_ms=800, records=records
        )
        return self.told(Received(sender=sender, correlation=7, message=request))

    def fetched(self, offset: int, by: int = FOLLOWER) -> list[Effect]:
        """A follower has all before this offset."""
        request = FetchRequest(
            replica_id=by,
            broker_epoch=by,
            topic="orders",
            partition=0,
            current_leader_epoch=self.leader_epoch,
            fetch_offset=offset,
            last_fetched_epoch=0 if offset else -1,
            max_wait_ms=500,
            max_bytes=1 << 20,
        )
        return self.told(Received(sender=by, correlation=8, message=request))

    def flushed(self) -> list[Effect]:
        self.log.flushed_offset = self.log.log_end_offset
        return self.told(Flushed(topic_partition=ORDERS, end_offset=self.log.log_end_offset))


def answers(effects: list[Effect]) -> list[int]:
    """Errors of the answers to the producer."""
    sent = [effect.message for effect in effects if isinstance(effect, Send)]
    return [message.error for message in sent if isinstance(message, ProduceResponse)]


def high_watermarks(effects: list[Effect]) -> list[int]:
    """Where it moved."""
    told = [effect.event for effect in effects if isinstance(effect, Emit)]
    return [event.high_watermark for event in told if isinstance(event, HighWatermarkAdvanced)]
