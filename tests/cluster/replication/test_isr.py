"""A leader and its proposals, with answers and metadata in every order."""

from __future__ import annotations

from msgspec.structs import replace
from node_world import MemoryLog

from cluster.model.effects import Append, Effect, Emit, Send, SetTimer
from cluster.model.events import ReplicaLagging
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import PartitionChanged, QuorumStatus, Received, TimerFired
from cluster.model.messages import AlterPartitionRequest, AlterPartitionResponse, FetchRequest, ProduceRequest
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import classroom_timing
from cluster.replication.replica_manager import ReplicaManager

ORDERS = TopicPartition("orders", 0)
CONTROLLER = 101
RECOVERING = PartitionState(
    topic_id=1, replicas=(1, 2), isr=(1,), leader=1, leader_epoch=1, partition_epoch=4, min_insync_replicas=1,
    recovering=True,
)  # fmt: skip


def proposals(effects: list[Effect]) -> list[Send]:
    return [effect for effect in effects if isinstance(effect, Send) and effect.target == CONTROLLER]


def answer(to: Send, state: PartitionState) -> Received:
    response = AlterPartitionResponse(
        topic="orders",
        partition=0,
        leader_epoch=state.leader_epoch,
        partition_epoch=state.partition_epoch,
        isr=state.isr,
        recovering=state.recovering,
    )
    return Received(sender=CONTROLLER, correlation=to.correlation, message=response)


def caught_up() -> Received:
    fetch = FetchRequest(
        replica_id=2, broker_epoch=2, topic="orders", partition=0, current_leader_epoch=1, fetch_offset=0,
        last_fetched_epoch=-1, max_wait_ms=10,
    )  # fmt: skip
    return Received(sender=2, correlation=7, message=fetch)


def test_a_leader_that_has_recovered_proposes_others_before_the_metadata_says_so() -> None:
    manager = ReplicaManager(1, classroom_timing())
    manager.broker_epoch = 1
    manager.open(ORDERS, MemoryLog(), 0)
    manager.handle(QuorumStatus(leader_id=CONTROLLER, epoch=1), 0)
    changed = PartitionChanged(topic_partition=ORDERS, state=RECOVERING, broker_epochs={1: 1, 2: 2})
    (recovered,) = proposals(manager.handle(changed, 0))
    assert isinstance(recovered.message, AlterPartitionRequest) and not recovered.message.recovering
    settled = replace(RECOVERING, recovering=False, partition_epoch=5)
    manager.handle(answer(recovered, settled), 0)
    (grown,) = proposals(manager.handle(caught_up(), 0))
    assert isinstance(grown.message, AlterPartitionRequest)
    assert [node for node, _ in grown.message.new_isr] == [1, 2]
    assert not grown.message.recovering, "the controller refuses it as INVALID_REQUEST, and the leader waits for ever"


def test_a_follower_that_falls_behind_is_told_with_what_the_rule_compared() -> None:
    settings = classroom_timing()
    limit_ms = settings.replica_lag_time_max_ms
    manager = ReplicaManager(1, settings)
    manager.broker_epoch = 1
    log = MemoryLog()
    manager.open(ORDERS, log, 0)
    manager.handle(QuorumStatus(leader_id=CONTROLLER, epoch=1), 0)
    together = replace(RECOVERING, isr=(1, 2), recovering=False)
    changed = PartitionChanged(topic_partition=ORDERS, state=together, broker_epochs={1: 1, 2: 2})
    effects = manager.handle(changed, 0)
    (check,) = [effect for effect in effects if isinstance(effect, SetTimer) and effect.delay_ms == limit_ms // 2]
    manager.handle(caught_up(), 100)
    records = encode_batch([Record(None, b"a")])
    produce = ProduceRequest(client_id="p", topic="orders", partition=0, acks=1, timeout_ms=1000, records=records)
    log.append(*(effect.records for effect in manager.handle(Received(sender=1001, correlation=1, message=produce), 200)
                 if isinstance(effect, Append)))  # fmt: skip
    at_ms = 100 + limit_ms * 3 // 4
    (told,) = [
        effect
        for effect in manager.handle(TimerFired(name=check.name), at_ms)
        if isinstance(effect, Emit) and isinstance(effect.event, ReplicaLagging)
    ]
    assert told.decision is not None and not told.decision.granted
    assert told.decision.numbers["not_caught_up_ms"] == at_ms - 100
    assert told.decision.numbers["replica.lag.time.max.ms"] == limit_ms
