"""When a leader's high watermark moves, and when a producer with acks=all is answered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cluster.model.effects import Append, Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import HighWatermarkAdvanced, ProduceAnswered
from cluster.model.identifiers import EDGE_ID, TopicPartition
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

    def __init__(self, *, flushes: bool) -> None:
        self.log = MemoryLog()
        self._manager = ReplicaManager(OWN, replace(classroom_timing(), flush_partitions=flushes))
        self._manager.open(ORDERS, self.log, 0)
        state = PartitionState(
            topic_id=1,
            replicas=(OWN, FOLLOWER),
            isr=(OWN, FOLLOWER),
            leader=OWN,
            leader_epoch=0,
            partition_epoch=0,
            min_insync_replicas=1,
        )
        self.told(PartitionChanged(topic_partition=ORDERS, state=state, broker_epochs={OWN: 1, FOLLOWER: 2}))

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

    def fetched(self, offset: int) -> list[Effect]:
        """The follower has all before this offset."""
        request = FetchRequest(
            replica_id=FOLLOWER,
            broker_epoch=2,
            topic="orders",
            partition=0,
            current_leader_epoch=0,
            fetch_offset=offset,
            last_fetched_epoch=0 if offset else -1,
            max_wait_ms=500,
            max_bytes=1 << 20,
        )
        return self.told(Received(sender=FOLLOWER, correlation=8, message=request))

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


def test_a_leader_that_flushes_counts_its_own_copy_only_once_it_is_on_disk() -> None:
    leader = Leader(flushes=True)
    assert answers(leader.produce("a")) == []
    early = leader.fetched(1)
    assert (high_watermarks(early), answers(early)) == ([], []), "the follower has it, the leader's disk does not"
    late = leader.flushed()
    assert (high_watermarks(late), answers(late)) == ([1], [ErrorCode.NONE])


def test_acks_all_waits_for_the_last_record_of_its_request() -> None:
    leader = Leader(flushes=False)
    assert answers(leader.produce("a", "b")) == []
    most = leader.fetched(1)
    assert (high_watermarks(most), answers(most)) == ([1], []), "one of its two records is not committed"
    whole = leader.fetched(2)
    assert (high_watermarks(whole), answers(whole)) == ([2], [ErrorCode.NONE])


def told_answers(effects: list[Effect]) -> list[tuple[str, int, int, int]]:
    """(client, acks, base offset, number of records) of each event that tells of answers."""
    told = [effect.event for effect in effects if isinstance(effect, Emit)]
    return [
        (event.client_id, event.acks, event.base_offset, event.count)
        for event in told
        if isinstance(event, ProduceAnswered)
    ]


def test_one_event_tells_of_requests_of_one_client_that_lie_side_by_side() -> None:
    leader = Leader(flushes=False)
    leader.produce("a", "b")
    leader.produce("c")
    effects = leader.fetched(3)
    assert told_answers(effects) == [("p", -1, 0, 3)]
    assert answers(effects) == [ErrorCode.NONE, ErrorCode.NONE]


@pytest.mark.parametrize("other", [{"client": "q"}, {"sender": CLIENT + 1}])
def test_requests_of_two_clients_are_told_each_for_itself(other: dict[str, Any]) -> None:
    leader = Leader(flushes=False)
    leader.produce("a")
    leader.produce("b", **other)
    leader.produce("c", **other)
    name = str(other.get("client", "p"))
    assert told_answers(leader.fetched(3)) == [("p", -1, 0, 1), (name, -1, 1, 2)]


def test_requests_with_others_between_them_are_told_each_for_itself() -> None:
    leader = Leader(flushes=False)
    leader.produce("a")
    leader.produce("b", acks=1, client="q")
    leader.produce("c")
    assert told_answers(leader.fetched(3)) == [("p", -1, 0, 1), ("p", -1, 2, 1)]


def test_acks_1_waits_for_the_own_disk_where_partitions_are_flushed_and_for_no_follower() -> None:
    leader = Leader(flushes=True)
    assert answers(leader.produce("a", acks=1)) == []
    assert answers(leader.flushed()) == [ErrorCode.NONE]
    leader.fetched(1)
    assert answers(leader.produce("b")) == []
    assert answers(leader.flushed()) == [], "acks=all waits for the follower, too"


@pytest.mark.parametrize(("sender", "is_answered"), [(EDGE_ID + 1, False), (EDGE_ID, True)])
def test_acks_0_is_answered_to_the_own_edge_only(sender: int, is_answered: bool) -> None:
    assert answers(Leader(flushes=False).produce("a", acks=0, sender=sender)) == [ErrorCode.NONE] * is_answered
