"""How followers find what to cut in the modes kip101, kip279 and fetch, on two replicas with logs made by hand."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

import pytest

from cluster.model.effects import Append, AssignEpoch, CancelTimer, Effect, Emit, Send, SetTimer, Truncate
from cluster.model.errors import ErrorCode
from cluster.model.events import EpochEndAnswered, IsrProposed, ReplicaTruncated
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.inputs import Disconnected, PartitionChanged, QuorumStatus, Received, TimerFired
from cluster.model.messages import FetchRequest, OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import Settings, classroom_timing
from cluster.replication.isr import CHECK_TIMER
from cluster.replication.replica_manager import ReplicaManager
from cluster.replication.state import FETCH_TIMER
from tests.support.worlds.node_world import MemoryLog

ORDERS = TopicPartition("orders", 0)
LEADER, FOLLOWER = 1, 2
Epochs = dict[int, int]


def log_of(epochs: Epochs, end_offset: int) -> MemoryLog:
    """One record in each batch; epochs maps an epoch to its first offset."""
    log = MemoryLog()
    for offset in range(end_offset):
        epoch = max(known for known, start in epochs.items() if start <= offset)
        log.append(encode_batch([Record(None, f"e{epoch}@{offset}".encode())], offset, epoch))
    for epoch, start in epochs.items():
        log.leader_epochs.assign(epoch, start)
    return log


class Pair:
    """A leader and a follower of one partition; frames between them arrive at once, in order."""

    def __init__(self, leader: MemoryLog, follower: MemoryLog, epoch: int, high_watermark: int, **changes: Any) -> None:
        settings: Settings = replace(classroom_timing(), **changes)
        self.logs: dict[NodeId, MemoryLog] = {LEADER: leader, FOLLOWER: follower}
        self.managers = {node: ReplicaManager(node, settings) for node in self.logs}
        self.events: list[Any] = []
        self.sent: list[Any] = []
        self.now_ms = 1_000
        self._queue: deque[tuple[NodeId, Any]] = deque()
        state = PartitionState(
            topic_id=1, replicas=(LEADER, FOLLOWER), isr=(LEADER, FOLLOWER), leader=LEADER, leader_epoch=epoch,
            partition_epoch=1, min_insync_replicas=1,
        )  # fmt: skip
        for node, manager in self.managers.items():
            manager.broker_epoch = node
            manager.open(ORDERS, self.logs[node], high_watermark)
            changed = PartitionChanged(topic_partition=ORDERS, state=state, broker_epochs={LEADER: 1, FOLLOWER: 2})
            self._queue.append((node, changed))
        self.run()

    def run(self) -> None:
        while self._queue:
            node, happened = self._queue.popleft()
            for effect in self.managers[node].handle(happened, self.now_ms):
                self._perform(node, effect)

    def tell(self, node: NodeId, happened: Any) -> None:
        self._queue.append((node, happened))
        self.run()

    def _perform(self, node: NodeId, effect: Any) -> None:
        match effect:
            case Send(target=target, message=message, correlation=correlation):
                self.sent.append(message)
                if target in self.managers:
                    received = Received(sender=node, correlation=correlation, message=message)
                    self._queue.append((target, received))
            case Append(records=records):
                self.logs[node].append(records)
            case Truncate(end_offset=end_offset):
                self.logs[node].truncate(end_offset)
            case AssignEpoch(epoch=epoch, start_offset=start_offset):
                self.logs[node].leader_epochs.assign(epoch, start_offset)
            case Emit(event=event):
                self.events.append(event)
            case _:
                pass

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def cuts(self) -> list[int]:
        return [event.end_offset for event in self.of(ReplicaTruncated)]

    @property
    def is_identical(self) -> bool:
        return self.logs[LEADER].batches == self.logs[FOLLOWER].batches


@pytest.mark.parametrize(("mode", "cuts"), [("kip101", []), ("kip279", [2]), ("fetch", [2])])
def test_p10_without_the_epoch_in_the_answer_a_different_record_stays_for_ever(mode: str, cuts: list[int]) -> None:
    leader, follower = log_of({1: 0}, 3), log_of({1: 0, 2: 2}, 3)
    pair = Pair(leader, follower, 3, 2, truncation_mode=mode)
    assert pair.cuts == cuts
    assert pair.is_identical == (mode != "kip101")
    assert follower.log_end_offset == leader.log_end_offset == 3


@pytest.mark.parametrize(
    ("mode", "questions", "answers", "cuts"),
    [
        ("kip101", [5], [(-1, 4)], [4]),
        ("kip279", [5, 2], [(3, 4), (1, 2)], [3, 2]),
        ("fetch", [], [], [3, 2]),
    ],
)
def test_kip279_asks_again_until_the_epochs_agree(
    mode: str, questions: list[int], answers: list[tuple[int, int]], cuts: list[int]
) -> None:
    leader, follower = log_of({1: 0, 3: 2, 6: 4}, 5), log_of({1: 0, 2: 2, 5: 3}, 5)
    pair = Pair(leader, follower, 7, 1, truncation_mode=mode)
    asked = [message.leader_epoch for message in pair.sent if isinstance(message, OffsetForLeaderEpochRequest)]
    assert asked == questions
    assert [(event.found_epoch, event.end_offset) for event in pair.of(EpochEndAnswered)] == answers
    assert pair.cuts == cuts
    assert pair.is_identical == (mode != "kip101"), "offset 2 is of epoch 2 on one and of epoch 3 on the other"


def test_kip279_cuts_to_nothing_when_no_epoch_is_shared() -> None:
    pair = Pair(log_of({1: 0, 4: 2}, 3), log_of({2: 0, 3: 2}, 3), 5, 0, truncation_mode="kip279")
    assert pair.cuts == [0]
    assert pair.is_identical


def test_a_follower_with_an_empty_log_does_not_ask() -> None:
    pair = Pair(log_of({1: 0}, 3), MemoryLog(), 2, 0, truncation_mode="kip101")
    assert not any(isinstance(message, OffsetForLeaderEpochRequest) for message in pair.sent)
    assert pair.is_identical


def test_kip101_cuts_to_the_high_watermark_when_the_leader_cannot_say() -> None:
    pair = Pair(log_of({3: 0}, 2), log_of({1: 0}, 4), 5, 1, truncation_mode="kip101")
    assert [event.end_offset for event in pair.of(EpochEndAnswered)] == [-1]
    assert pair.cuts == [1]


@pytest.mark.parametrize(("mode", "epoch"), [("kip101", -1), ("kip279", 3)])
def test_only_kip279_says_in_which_leader_epoch_it_asks(mode: str, epoch: int) -> None:
    pair = Pair(log_of({1: 0}, 2), log_of({1: 0}, 2), 3, 1, truncation_mode=mode)
    question = next(message for message in pair.sent if isinstance(message, OffsetForLeaderEpochRequest))
    assert question.current_leader_epoch == epoch


def test_a_broker_that_does_not_lead_refuses_and_a_stranger_is_told_of_no_partition() -> None:
    pair = Pair(log_of({1: 0}, 2), log_of({1: 0}, 2), 3, 1, truncation_mode="kip279")
    for topic, error in (("orders", 6), ("nothing", 3)):
        pair.sent.clear()
        question = OffsetForLeaderEpochRequest(
            replica_id=9, topic=topic, partition=0, current_leader_epoch=3, leader_epoch=1
        )
        pair.tell(FOLLOWER, Received(sender=9, correlation=7, message=question))
        answers = [message for message in pair.sent if isinstance(message, OffsetForLeaderEpochResponse)]
        assert [answer.error for answer in answers] == [error]


@pytest.mark.parametrize(("limit", "changes"), [(0, 0), (40, 1)])
def test_p14_a_burst_evicts_a_healthy_follower_only_when_records_are_counted(limit: int, changes: int) -> None:
    pair = Pair(log_of({0: 0}, 50), MemoryLog(), 1, 0, lag_max_messages=limit)
    burst = log_of({0: 0}, 100)
    pair.tell(LEADER, QuorumStatus(leader_id=101, epoch=1))
    for base, _, _, data in burst.batches[50:]:
        pair.logs[LEADER].append(encode_batch([Record(None, data)], base, 1))
    pair.tell(LEADER, TimerFired(name=f"replica.{ORDERS}.{CHECK_TIMER}"))
    proposed = pair.of(IsrProposed)
    assert [event.isr for event in proposed] == [(LEADER,)] * changes


@pytest.mark.parametrize(("limit", "changes"), [(0, 1), (4000, 0)])
def test_before_0_9_a_follower_that_asks_and_never_catches_up_stayed_in_the_isr(limit: int, changes: int) -> None:
    pair = Pair(log_of({0: 0}, 50), log_of({0: 0}, 10), 1, 0, lag_max_messages=limit)
    pair.tell(LEADER, QuorumStatus(leader_id=101, epoch=1))
    pair.now_ms += 2 * classroom_timing().replica_lag_time_max_ms
    asks = FetchRequest(
        replica_id=FOLLOWER, broker_epoch=2, topic="orders", partition=0, current_leader_epoch=1, fetch_offset=20,
        max_wait_ms=0,
    )  # fmt: skip
    for base in range(50, 60):
        pair.logs[LEADER].append(encode_batch([Record(None, b"more")], base, 1))
    pair.tell(LEADER, Received(sender=FOLLOWER, correlation=9, message=asks))
    pair.tell(LEADER, TimerFired(name=f"replica.{ORDERS}.{CHECK_TIMER}"))
    assert [event.isr for event in pair.of(IsrProposed)] == [(LEADER,)] * changes


def asking(epochs: Epochs, end_offset: int) -> tuple[ReplicaManager, Send]:
    """A follower with this log in mode kip279, and its first question."""
    manager = ReplicaManager(FOLLOWER, replace(classroom_timing(), truncation_mode="kip279"))
    manager.open(ORDERS, log_of(epochs, end_offset), 0)
    state = PartitionState(
        topic_id=1, replicas=(LEADER, FOLLOWER), isr=(LEADER, FOLLOWER), leader=LEADER, leader_epoch=7,
        partition_epoch=1, min_insync_replicas=1,
    )  # fmt: skip
    changed = PartitionChanged(topic_partition=ORDERS, state=state, broker_epochs={LEADER: 1, FOLLOWER: 2})
    return manager, sent_in(manager.handle(changed, 0))


def sent_in(effects: list[Effect]) -> Send:
    (sent,) = [each for each in effects if isinstance(each, Send)]
    return sent


def answer(manager: ReplicaManager, question: Send, **fields: Any) -> list[Effect]:
    """What it does with this answer."""
    response = OffsetForLeaderEpochResponse(topic=ORDERS.topic, partition=ORDERS.partition, **fields)
    return manager.handle(Received(sender=LEADER, correlation=question.correlation, message=response), 0)


def test_an_answer_to_an_older_question_is_dropped() -> None:
    manager, question = asking({1: 0}, 3)
    again = sent_in(manager.handle(TimerFired(name=manager.replica(ORDERS).timer(FETCH_TIMER)), 60_000))
    assert answer(manager, question, leader_epoch=1, end_offset=2) == []
    assert sent_in(answer(manager, again, leader_epoch=1, end_offset=3))


def test_a_fenced_follower_waits_for_the_metadata_and_takes_no_other_answer() -> None:
    manager, question = asking({1: 0}, 3)
    (waits,) = answer(manager, question, error=ErrorCode.FENCED_LEADER_EPOCH)
    assert isinstance(waits, CancelTimer)
    assert answer(manager, question, leader_epoch=1, end_offset=2) == []
    assert manager.handle(Disconnected(peer=LEADER), 0) == [], "nothing of it is on its way"


def test_a_refused_question_is_asked_again_later() -> None:
    manager, question = asking({1: 0}, 3)
    (waits,) = answer(manager, question, error=ErrorCode.UNKNOWN_LEADER_EPOCH)
    assert isinstance(waits, SetTimer)


def test_a_follower_with_one_record_left_asks_again() -> None:
    manager, question = asking({2: 0, 5: 1}, 3)
    again = sent_in(answer(manager, question, leader_epoch=3, end_offset=2)).message
    assert isinstance(again, OffsetForLeaderEpochRequest) and again.leader_epoch == 2
