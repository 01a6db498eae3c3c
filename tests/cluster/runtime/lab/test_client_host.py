"""Built-in clients over real connections to brokers made of paper."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cluster.lab import Answer
from cluster.language.topics import Consume, CreateTopic, Produce
from cluster.links.frame import Frame
from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import OperationInvoked, OperationSucceeded
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import (
    CreateTopicRequest,
    CreateTopicResponse,
    FetchRequest,
    FetchResponse,
    MetadataRequest,
    MetadataResponse,
    ProduceRequest,
    ProduceResponse,
)
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import Settings
from cluster.runtime.connections import Connections
from cluster.runtime.lab.client_host import ClientHost
from cluster.trace.reader import read_all
from cluster.trace.writer import TraceWriter
from tests.support.worlds.links_world import SECRET

ORDERS = TopicPartition("orders", 0)
LIMIT_S = 30.0
BROKER, CONTROLLER = 1, 101
STATE = PartitionState(
    topic_id=1,
    replicas=(BROKER,),
    isr=(BROKER,),
    leader=BROKER,
    leader_epoch=0,
    partition_epoch=0,
    min_insync_replicas=1,
)
Story = Callable[[ClientHost, "Paper"], Any]


class Paper:
    """One node that answers by the book: the partition's leader, or the active controller."""

    def __init__(self, node: int) -> None:
        self.node = node
        self.errors: list[ErrorCode] = []
        """Of the next produce requests, in order; none once it is empty."""
        self.is_silent = False
        self.end_offset = 0
        self.connections = Connections(
            node, SECRET, {}, patience_ms=2_000, deliver=self._on_frames, emit=lambda _event, _trigger: None
        )

    def _on_frames(self, frames: list[Frame]) -> None:
        for frame in frames:
            if not self.is_silent or isinstance(frame.message, MetadataRequest):
                answer = Frame(self.node, frame.correlation, self._answer(frame.message), None, 40)
                self.connections.respond(frame.sender, answer)
        self.connections.flush()

    def _answer(self, message: Any) -> Any:
        match message:
            case MetadataRequest():
                return MetadataResponse(brokers=(BROKER,), partitions=(("orders", 0, STATE),))
            case ProduceRequest():
                error = self.errors.pop(0) if self.errors else ErrorCode.NONE
                base_offset, self.end_offset = self.end_offset, self.end_offset + (not error)
                return ProduceResponse(error=error, topic="orders", partition=0, base_offset=base_offset)
            case FetchRequest():
                records = encode_batch([Record(None, b"a"), Record(None, b"b\x1b[31m")])
                return FetchResponse(topic="orders", partition=0, high_watermark=2, records=records)
            case CreateTopicRequest():
                return CreateTopicResponse(error=self.errors.pop(0) if self.errors else ErrorCode.NONE)
        raise AssertionError(message)


def play(tmp_path: Path, story: Story) -> list[Entry]:
    """Run a story against one broker and one controller; what the clients wrote."""

    async def run() -> None:
        papers = {node: Paper(node) for node in (BROKER, CONTROLLER)}
        ports = {node: await paper.connections.listen(0) for node, paper in papers.items()}
        writer = TraceWriter(tmp_path / "1001-0.trace", "run", 1001, 0)
        settings = Settings(request_timeout_ms=300, retry_backoff_ms=5)
        host = ClientHost(ports, SECRET, (BROKER,), (CONTROLLER,), settings, writer)
        try:
            await asyncio.wait_for(story(host, papers[BROKER]), LIMIT_S)
        finally:
            host.close()
            for paper in papers.values():
                paper.connections.close()
            writer.close()

    asyncio.run(run())
    return read_all(tmp_path)


def test_each_request_is_an_operation_whose_end_follows_from_its_beginning(tmp_path: Path) -> None:
    async def story(host: ClientHost, _broker: Paper) -> None:
        assert await host.run(Produce(ORDERS, 3)) == Answer(True, "3 of 3 records acknowledged, offsets 0 to 2")

    entries = play(tmp_path, story)
    assert sum(isinstance(entry.event, OperationInvoked) for entry in entries) == 3
    done = [entry for entry in entries if isinstance(entry.event, OperationSucceeded)]
    assert len(done) == 3
    assert all(entry.trigger == "ProduceResponse from 1" and entry.lamport > 40 for entry in done)


def test_refused_and_unknown_outcomes_are_told_apart(tmp_path: Path) -> None:
    async def story(host: ClientHost, broker: Paper) -> None:
        broker.errors = [ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.REQUEST_TIMED_OUT]
        answer = await host.run(Produce(ORDERS, 2, in_flight=2, retries=False))
        assert answer.text == "0 of 2 records acknowledged; refused: NOT_ENOUGH_REPLICAS; unknown: REQUEST_TIMED_OUT"

    play(tmp_path, story)


def test_a_command_that_is_not_waited_for_goes_on_beside_others(tmp_path: Path) -> None:
    async def story(host: ClientHost, _broker: Paper) -> None:
        assert (await host.run(Produce(ORDERS, 5, wait=False))).text == "producer-1 is at it"
        assert (await host.run(Consume(ORDERS))).ok

    clients = {entry.event.client_id for entry in play(tmp_path, story) if isinstance(entry.event, OperationInvoked)}
    assert clients == {"producer-1", "consumer-2"}


def test_what_a_consumer_read_is_told(tmp_path: Path) -> None:
    async def story(host: ClientHost, _broker: Paper) -> None:
        assert (await host.run(Consume(ORDERS))).text.startswith("2 records read: a, b")

    play(tmp_path, story)


@pytest.mark.parametrize(
    ("errors", "answer"),
    [
        ([], Answer(True, "topic t is created")),
        ([ErrorCode.TOPIC_ALREADY_EXISTS], Answer(False, "refused: TOPIC_ALREADY_EXISTS")),
    ],
)
def test_the_active_controller_makes_topics_or_refuses(tmp_path: Path, errors: list[ErrorCode], answer: Answer) -> None:
    async def story(host: ClientHost, broker: Paper) -> None:
        host._clients._controllers = (BROKER,)
        broker.errors = errors
        assert await host.run(CreateTopic("t", partitions=1, replicas=1, min_isr=1)) == answer

    play(tmp_path, story)


def test_a_silent_broker_leaves_the_outcome_unknown(tmp_path: Path) -> None:
    async def story(host: ClientHost, broker: Paper) -> None:
        broker.is_silent = True
        answer = await host.run(Produce(ORDERS, 1, retries=False))
        assert answer.text == "0 of 1 record acknowledged; unknown: NO_ANSWER"

    play(tmp_path, story)


def test_the_end_of_the_run_ends_a_command_that_still_waits(tmp_path: Path) -> None:
    async def story(host: ClientHost, broker: Paper) -> None:
        broker.is_silent = True
        asyncio.get_running_loop().call_later(0.05, host.close)
        assert await host.run(Produce(ORDERS, 1)) == Answer(False, "the run ends before producer-1 has its answer")

    play(tmp_path, story)
