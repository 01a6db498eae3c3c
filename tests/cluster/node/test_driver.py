"""The loop that drives a node: one voter of three on a disk in memory, in a world that writes down what it is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cluster.links.frame import Frame
from cluster.model.effects import Append, PersistElection
from cluster.model.entry import EventId
from cluster.model.events import Event, TimerSet
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.inputs import Flushed, NodeStarted
from cluster.model.messages import VoteRequest
from cluster.model.settings import classroom_timing
from cluster.node.config import BROKER_ROLE, CONTROLLER_ROLE, NodeConfig
from cluster.node.driver import Driver, ToldTimers
from cluster.raft.timers import ELECTION_TIMER, FETCH_TIMER
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.node_store import NodeStore
from cluster.trace.tracer import Tracer

CAUSE = EventId(102, 0, 7)
VOTE = VoteRequest(voter_id=101, candidate_id=102, epoch=5, last_epoch=0, last_offset=0, pre_vote=False)


class Journal:
    """A trace that keeps what is written, with its cause and trigger. Implements Writer."""

    def __init__(self, done: list[str]) -> None:
        self.before_flush: Callable[[], None] | None = None
        self.done = done
        self.written: list[tuple[str, Any, str, int]] = []
        self.observed: list[tuple[Event, Any]] = []

    def write(self, event: Event, _decision: Any = None, cause: Any = None, trigger: str = "", lamport: int = 0) -> Any:
        self.done.append(event.name)
        self.written.append((event.name, cause, trigger, lamport))
        return EventId(101, 0, len(self.written))

    def observe(self, event: Event, cause: Any, _lamport: int) -> None:
        self.observed.append((event, cause))

    def flush(self) -> None:
        """Nothing is kept back."""

    def close(self) -> None:
        """Nothing is held open."""


class Here:
    """Does what the node asks for at once, and remembers the order. Implements World and NamedTimers."""

    def __init__(self, controllers: tuple[NodeId, ...] = (101, 102, 103), brokers: tuple[NodeId, ...] = ()) -> None:
        self.done: list[str] = []
        self.sent: list[tuple[NodeId, Frame]] = []
        self.errors: list[Exception] = []
        self.is_still = self.blocks_on_disk = False
        self.more = 0
        self.journal = Journal(self.done)
        self.tracer = Tracer(self.journal)
        self.store = NodeStore(MemoryFiles(), host_fsync=False, emit=self.tracer.emit, is_buffered=False)
        config = NodeConfig(
            node_id=101, roles=(CONTROLLER_ROLE, BROKER_ROLE)[: 1 + len(brokers)], controllers=controllers,
            brokers=brokers, settings=classroom_timing(), incarnation_id="a",
        )  # fmt: skip
        self.driver = Driver(self, config, self.store, self.tracer, self)
        self.driver.push(NodeStarted(), None, "start")
        self.driver.drain()
        self.done.clear()

    def now_ms(self) -> int:
        return 5_000

    def set(self, name: str, _delay_ms: int, _jitter_ms: int, _cause: EventId | None) -> int:
        self.done.append(f"set {name}")
        return 7_000_000

    def cancel(self, name: str) -> None:
        self.done.append(f"cancel {name}")

    def request(self, target: NodeId, frame: Frame) -> None:
        self.done.append("request")
        self.sent.append((target, frame))

    def respond(self, target: NodeId, frame: Frame) -> None:
        self.done.append("respond")
        self.sent.append((target, frame))

    def send_out(self) -> bool:
        self.done.append("send out")
        self.more -= 1
        return self.more >= 0

    def append(self, effect: Append) -> None:
        self.done.append("append")
        self.store.append(effect.topic_partition, effect.records)

    def flush(self, topic_partition: TopicPartition) -> None:
        self.done.append("flush")
        end_offset = self.store.flush(topic_partition)
        self.driver.push(Flushed(topic_partition=topic_partition, end_offset=end_offset), self.tracer.cause, "flush")

    def persist(self, effect: PersistElection) -> None:
        self.done.append("persist")
        self.store.persist(effect)
        self.is_still = self.blocks_on_disk

    def stop(self, broker_epoch: int) -> None:
        self.is_still = True

    def halt(self, why: str) -> None:
        raise AssertionError(why)

    def fail(self, error: Exception) -> None:
        self.errors.append(error)


class Broken(Here):
    """Cannot keep a vote."""

    error = AssertionError("an epoch never goes back")

    def persist(self, effect: PersistElection) -> None:
        raise self.error


@pytest.fixture
def here() -> Here:
    return Here()


def ask_for_vote(here: Here) -> None:
    here.driver.push_frame(Frame(102, 4, VOTE, CAUSE, 40))
    here.driver.drain()


def test_a_vote_is_on_disk_before_it_is_answered_and_leaves_when_all_is_done(here: Here) -> None:
    ask_for_vote(here)
    assert here.done.index("persist") < here.done.index("respond") < here.done.index("send out")
    assert here.done.count("send out") == 1
    ((target, answer),) = here.sent
    assert (target, answer.sender, answer.correlation) == (102, 101, 4)
    assert answer.cause is not None
    assert answer.lamport == here.tracer.lamport > 40


def test_the_first_event_of_a_step_tells_what_set_it_off(here: Here) -> None:
    ask_for_vote(here)
    before = len(here.journal.written)
    assert ("VoteRequest from 102", CAUSE) in [(trigger, cause) for _, cause, trigger, _ in here.journal.written]
    here.driver.push_timer("quorum.election", CAUSE)
    here.driver.drain()
    _, cause, trigger, _ = here.journal.written[before]
    assert (cause, trigger) == (CAUSE, "timer quorum.election")


def test_a_node_that_waits_for_its_disk_goes_on_where_it_stood_still(here: Here) -> None:
    here.blocks_on_disk = True
    ask_for_vote(here)
    assert here.done[-2:] == ["persist", "st.election_persisted"]
    assert here.sent == []
    here.driver.drain()
    assert here.sent == [], "it still waits"
    here.is_still = here.blocks_on_disk = False
    here.driver.drain()
    assert [target for target, _ in here.sent] == [102]
    assert here.done[-1] == "send out"


def test_what_a_node_tells_itself_comes_after_the_step_and_not_over_the_network() -> None:
    alone = Here(controllers=(101,), brokers=(101,))
    assert alone.driver.node.is_active_controller
    triggers = [trigger for _, _, trigger, _ in alone.journal.written if trigger]
    assert triggers.index("start") < triggers.index("BrokerRegistrationRequest from 101")
    assert alone.sent == []


def test_it_goes_on_while_sending_gives_it_more_to_do(here: Here) -> None:
    here.more = 2
    here.driver.drain()
    assert here.done == ["send out"] * 3


def test_inputs_that_come_while_it_works_wait_their_turn(here: Here) -> None:
    here.driver.push_lost(102)
    here.driver.is_draining = True
    here.driver.drain()
    assert here.done == []
    here.driver.is_draining = False
    here.driver.drain()
    assert here.done[-1] == "send out"


def test_an_error_ends_the_process_and_nothing_leaves() -> None:
    here = Broken()
    ask_for_vote(here)
    assert here.errors == [Broken.error]
    assert here.sent == []
    assert "send out" not in here.done
    assert not here.driver.is_draining


MS = 1_000_000


def test_a_timer_that_begins_anew_with_each_fetch_is_told_four_times_a_second_at_most() -> None:
    journal = Journal([])
    timers = ToldTimers(Tracer(journal))
    for at_ms in range(0, 1_000, 10):
        timers.began(FETCH_TIMER, 333 * MS, 5_000 + at_ms)
    assert [event for event, _ in journal.observed] == [TimerSet(timer="fetch", length_ms=333)] * 4


def test_another_length_or_an_end_is_told_at_once() -> None:
    journal = Journal([])
    tracer = Tracer(journal)
    timers = ToldTimers(tracer)
    tracer.cause = EventId(101, 0, 3)
    timers.began(ELECTION_TIMER, 271 * MS, 5_000)
    timers.began(ELECTION_TIMER, 190_600_000, 5_001)
    timers.ended(ELECTION_TIMER)
    timers.began(ELECTION_TIMER, 190_600_000, 5_002)
    timers.ended(ELECTION_TIMER)
    timers.ended("broker.next_request")
    told: list[tuple[Any, Any]] = journal.observed
    assert [(event.length_ms, cause) for event, cause in told] == [(271, (101, 0, 3)), *[(191, (101, 0, 3))] * 2]
    assert journal.written == [] and tracer.cause == (101, 0, 3), "nothing follows from it"
