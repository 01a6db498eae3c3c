"""A leader and its proposals, with answers and metadata in every order."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.model.effects import Append, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import ReplicaLagging
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import Input, PartitionChanged, QuorumStatus, Received, TimerFired
from cluster.model.messages import AlterPartitionRequest, AlterPartitionResponse, FetchRequest, ProduceRequest
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import classroom_timing
from cluster.replication.isr import WAIT_FOR_METADATA
from cluster.replication.replica_manager import ReplicaManager
from tests.support.worlds.in_words import in_words
from tests.support.worlds.node_world import MemoryLog

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


def caught_up(fetch_offset: int = 0, broker_epoch: int = 2) -> Received:
    fetch = FetchRequest(
        replica_id=2, broker_epoch=broker_epoch, topic="orders", partition=0, current_leader_epoch=1,
        fetch_offset=fetch_offset, last_fetched_epoch=-1, max_wait_ms=10,
    )  # fmt: skip
    return Received(sender=2, correlation=7, message=fetch)


def test_a_leader_says_that_it_has_recovered_with_the_next_change_of_the_isr_only() -> None:
    """After an unclean election, also when the partition changed meanwhile. Source: Kafka Partition.makeLeader."""
    manager = ReplicaManager(1, classroom_timing())
    manager.broker_epoch = 1
    manager.open(ORDERS, MemoryLog(), 0)
    manager.handle(QuorumStatus(leader_id=CONTROLLER, epoch=1), 0)
    for partition_epoch in (4, 5):
        told = replace(RECOVERING, partition_epoch=partition_epoch)
        changed = PartitionChanged(topic_partition=ORDERS, state=told, broker_epochs={1: 1, 2: 2})
        assert proposals(manager.handle(changed, 0)) == [], "a partition epoch that Kafka does not have"
    (grown,) = proposals(manager.handle(caught_up(), 0))
    assert isinstance(grown.message, AlterPartitionRequest)
    assert [node for node, _ in grown.message.new_isr] == [1, 2] and grown.message.partition_epoch == 5
    assert not grown.message.recovering, "the controller refuses it as INVALID_REQUEST, and the leader waits for ever"


def test_a_proposal_that_is_sent_again_is_about_the_process_that_had_caught_up() -> None:
    """The follower's next process has fetched meanwhile, and need not have what the one before it had."""
    manager = ReplicaManager(1, classroom_timing())
    manager.broker_epoch = 1
    log = MemoryLog()
    manager.open(ORDERS, log, 0)
    manager.handle(QuorumStatus(leader_id=CONTROLLER, epoch=1), 0)
    alone = replace(RECOVERING, isr=(1,), recovering=False)
    manager.handle(PartitionChanged(topic_partition=ORDERS, state=alone, broker_epochs={1: 1, 2: 2}), 0)
    effects = manager.handle(caught_up(), 100)
    (first,) = proposals(effects)
    assert isinstance(first.message, AlterPartitionRequest) and first.message.new_isr == ((1, 1), (2, 2))
    timer = next(effect.name for effect in effects if isinstance(effect, SetTimer) and "alter" in effect.name)
    manager.handle(caught_up(broker_epoch=9), 200)
    (again,) = proposals(manager.handle(TimerFired(name=timer), 300))
    assert isinstance(again.message, AlterPartitionRequest) and again.message.new_isr == ((1, 1), (2, 2))


class Watched:
    """Broker 1 leads, 2 follows it, both are in sync; the leader looks for who lags when it is told to."""

    def __init__(self) -> None:
        self.limit_ms = classroom_timing().replica_lag_time_max_ms
        self._log = MemoryLog()
        self._manager = ReplicaManager(1, classroom_timing())
        self._manager.broker_epoch = 1
        self._manager.open(ORDERS, self._log, 0)
        self._manager.handle(QuorumStatus(leader_id=CONTROLLER, epoch=1), 0)
        together = replace(RECOVERING, isr=(1, 2), recovering=False)
        changed = PartitionChanged(topic_partition=ORDERS, state=together, broker_epochs={1: 1, 2: 2})
        effects = self._manager.handle(changed, 0)
        (self._check,) = [
            effect.name for effect in effects if isinstance(effect, SetTimer) and effect.delay_ms == self.limit_ms // 2
        ]

    def fetch(self, fetch_offset: int, now_ms: int) -> None:
        """The follower asks for what follows."""
        self._manager.handle(caught_up(fetch_offset), now_ms)

    def write(self, now_ms: int) -> None:
        """One record more that the follower does not have yet."""
        records = encode_batch([Record(None, b"a")])
        produce = ProduceRequest(client_id="p", topic="orders", partition=0, acks=1, timeout_ms=1000, records=records)
        effects = self._manager.handle(Received(sender=1001, correlation=1, message=produce), now_ms)
        self._log.append(*(effect.records for effect in effects if isinstance(effect, Append)))

    def look(self, now_ms: int) -> list[object]:
        """For how long the follower was not caught up, each time that the trace is told of it now."""
        effects = self._manager.handle(TimerFired(name=self._check), now_ms)
        told = [effect for effect in effects if isinstance(effect, Emit) and isinstance(effect.event, ReplicaLagging)]
        assert all(effect.decision is not None and not effect.decision.granted for effect in told)
        return [effect.decision.numbers["not_caught_up_ms"] for effect in told if effect.decision is not None]


def test_a_follower_that_falls_behind_is_told_with_what_the_rule_compared() -> None:
    watched = Watched()
    watched.fetch(0, 100)
    watched.write(200)
    at_ms = 100 + watched.limit_ms * 3 // 4
    assert watched.look(at_ms) == [at_ms - 100]
    assert watched.look(at_ms + 10) == [], "what is known is not told again"


def test_a_follower_that_catches_up_in_part_is_told_to_be_behind_since_later() -> None:
    """Kafka counts from the last fetch that found all there was at the fetch before; a screen counts down from it."""
    watched = Watched()
    watched.fetch(0, 100)
    watched.write(200)
    watched.fetch(0, 300)
    watched.write(400)
    at_ms = 100 + watched.limit_ms * 3 // 4
    assert watched.look(at_ms) == [at_ms - 100]
    watched.fetch(1, at_ms + 1)
    at_ms = 300 + watched.limit_ms * 7 // 8
    assert watched.look(at_ms) == [at_ms - 300]


def test_a_follower_that_has_all_or_lacks_some_for_a_short_time_is_not_told_to_be_behind() -> None:
    watched = Watched()
    watched.fetch(0, 100)
    at_ms = 100 + watched.limit_ms * 3 // 4
    assert watched.look(at_ms) == [], "it has all, however long it has not asked"
    watched.fetch(0, at_ms)
    watched.write(at_ms + 1)
    assert watched.look(at_ms + 10) == [], "it lacks a record, and has time"


def test_a_follower_is_told_to_be_behind_after_more_than_half_of_its_time() -> None:
    watched = Watched()
    watched.fetch(0, 100)
    watched.write(200)
    half_ms = watched.limit_ms // 2
    assert watched.look(100 + half_ms) == []
    assert watched.look(101 + half_ms) == [half_ms + 1]


class Proposing(Watched):
    """It has just proposed to put out its follower, which asked for nothing for too long."""

    def __init__(self) -> None:
        super().__init__()
        self.fetch(0, 100)
        self.write(200)
        self.proposed = self.tell(TimerFired(name=self._check), 100 + self.limit_ms + 1)
        (self._proposal,) = proposals(self.effects)

    def tell(self, happened: Input, now_ms: int = 10_000) -> list[str]:
        """What it asks for, in words."""
        self.effects = self._manager.handle(happened, now_ms)
        return in_words(self.effects)

    def answered(self, error: ErrorCode = ErrorCode.NONE, /, **fields: Any) -> list[str]:
        """The controller's answer comes."""
        usual = AlterPartitionResponse(
            error=error, topic="orders", partition=0, leader_epoch=1, partition_epoch=5, isr=(1,), recovering=False
        )
        correlation = fields.pop("correlation", self._proposal.correlation)
        return self.tell(Received(sender=CONTROLLER, correlation=correlation, message=replace(usual, **fields)))

    def proposes_again(self) -> bool:
        """Whether it asks the controller when it looks at its followers the next time."""
        return bool(self.tell(TimerFired(name=self._check), 20_000)) and bool(proposals(self.effects))


def test_a_follower_that_lags_for_too_long_is_told_and_put_out_by_the_controller() -> None:
    limit_ms = classroom_timing().replica_lag_time_max_ms
    proposing = Proposing()
    check, *told = proposing.proposed
    assert check.endswith(f" {limit_ms // 2}"), "it looks again"
    assert told[:3] == ["tell ReplicaLagging", "tell IsrProposed", f"send AlterPartitionRequest to {CONTROLLER}"]
    assert told[3].endswith(f" {classroom_timing().request_timeout_ms}")
    assert not proposing.proposes_again(), "one change at a time"


def test_the_committed_isr_is_taken_and_told_and_nothing_is_pending() -> None:
    proposing = Proposing()
    cancel, told, *_ = proposing.answered()
    assert (cancel.split()[0], told) == ("cancel", "tell IsrCommitted")
    assert proposing.answered() == [], "an answer counts once"


@pytest.mark.parametrize("fields", [{"leader_epoch": 2}, {"partition_epoch": 4}, {"partition_epoch": 3}])
def test_an_isr_of_another_leader_epoch_or_of_no_newer_state_is_not_taken(fields: dict[str, Any]) -> None:
    proposing = Proposing()
    (told,) = proposing.answered(**fields)
    assert told.startswith("cancel ")
    assert not proposing.proposes_again(), "what it proposed waits for the metadata"


def test_an_answer_to_another_proposal_is_dropped() -> None:
    assert Proposing().answered(correlation=1) == []


def test_a_refused_replica_is_given_up_and_may_be_proposed_again() -> None:
    proposing = Proposing()
    refused, cancel = proposing.answered(ErrorCode.INELIGIBLE_REPLICA)
    assert (refused, cancel.split()[0]) == ("tell IsrRefused", "cancel")
    assert proposing.proposes_again()


@pytest.mark.parametrize("error", WAIT_FOR_METADATA)
def test_what_newer_metadata_will_settle_stays_pending_and_is_not_asked_again(error: ErrorCode) -> None:
    proposing = Proposing()
    refused, cancel = proposing.answered(error)
    assert (refused, cancel.split()[0]) == ("tell IsrRefused", "cancel")
    assert not proposing.proposes_again()


def test_any_other_error_is_tried_again_after_the_back_off() -> None:
    proposing = Proposing()
    refused, wait = proposing.answered(ErrorCode.NOT_CONTROLLER)
    assert refused == "tell IsrRefused"
    assert wait.split()[0] == "set"
    assert wait.endswith(f" {classroom_timing().retry_backoff_ms}")
    assert not proposing.proposes_again()
