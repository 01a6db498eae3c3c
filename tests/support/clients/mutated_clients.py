"""A whole broker in this process that is sent frames which were right once: `python mutated_clients.py FOLDER COUNT`.

Prints how far the most memory ever held has grown, in KiB, how many frames were sent, and how many connections it took.
Ends with the node's own exit code when the node does not stand it.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

from cluster.kafka.api import Request
from cluster.kafka.apis import APIS
from cluster.kafka.apis.create_topics import CREATE_TOPICS, CreatableTopic, CreateTopicsRequest
from cluster.kafka.apis.produce import PRODUCE, PartitionProduceData, ProduceRequest, TopicProduceData
from cluster.kafka.frames import encode_request
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import classroom_timing
from cluster.node.config import NodeConfig
from cluster.runtime.kafka.connection import ClientConnection
from cluster.runtime.node.config import ProcessConfig
from cluster.runtime.node.process import NodeProcess
from tests.support.clients.mutations import mutated
from tests.support.clients.random_messages import random_message

WARM_UP = 3_000
TURN = 50
"""Frames between two turns of the event loop."""


class Pipe(asyncio.Transport):
    """A transport whose other end reads everything and says nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.is_over = False

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        del high, low

    def writelines(self, list_of_data: object) -> None:
        del list_of_data

    def pause_reading(self) -> None:
        return

    def resume_reading(self) -> None:
        return

    def close(self) -> None:
        self.is_over = True

    abort = close


def originals(rng: Random) -> list[bytes]:
    """One request of each version that is served, and some that append. None that makes topics on purpose."""
    found = []
    for api in APIS.values():
        if api is CREATE_TOPICS:
            continue
        for version in api.versions:
            message = random_message(rng, api.request, version)
            found.append(encode_request(Request(api, version, 1, "client", message)))
    batch = encode_batch([Record(b"key", b"value" * 20)])
    for version in PRODUCE.versions:
        topics = [TopicProduceData("orders", partition_data=[PartitionProduceData(0, batch)])]
        message = ProduceRequest(None, 1, 100, topics)
        found.append(encode_request(Request(PRODUCE, version, 1, "client", message)))
    return found


def frames(rng: Random) -> Iterator[bytes]:
    """Frames with right lengths and wrong bytes, now and then the other way round."""
    known = originals(rng)
    while True:
        bad = mutated(rng, rng.choice(known)[4:])
        yield len(bad).to_bytes(4, "big") + bad if rng.random() < 0.98 else bad


class Sender:
    """Feeds frames to the listener as sockets would."""

    def __init__(self, node: NodeProcess) -> None:
        front = node._kafka.front
        assert front is not None
        self._listener = front.listener
        self._made: list[tuple[ClientConnection, Pipe]] = []
        self.connections = 0

    def send(self, data: bytes) -> None:
        """One frame over a connection that is still open."""
        if not self._made or self._made[-1][1].is_over:
            connection, pipe = self._listener._accept(), Pipe()
            connection.connection_made(pipe)
            self._made.append((connection, pipe))
            self.connections += 1
        connection, _ = self._made[-1]
        while data and not connection.is_closed:
            place = connection.get_buffer(-1)
            size = min(len(place), len(data))
            place[:size] = data[:size]
            connection.buffer_updated(size)
            data = data[size:]

    def sweep(self) -> None:
        """Let go of what is closed, and of what waits for an answer: the client gives up."""
        for connection, _ in self._made:
            connection.close("the client gives up")
            connection.connection_lost(None)
        self._made.clear()


async def run(folder: Path, count: int) -> None:
    """Start a node, send, print."""
    for name in ("trace", "data"):
        (folder / name).mkdir()
    settings = replace(classroom_timing(), auto_create_topics=False, trace=False)
    config = NodeConfig(
        node_id=1,
        roles=("controller", "broker"),
        controllers=(1,),
        brokers=(1,),
        settings=settings,
        incarnation_id="once",
    )
    nothing: dict[int, int] = {}
    node = NodeProcess(
        ProcessConfig(
            run="mutated",
            node=config,
            incarnation=0,
            ports={1: 0},
            folder=folder,
            secret=bytes(32),
            rules=(),
            disk={},
            client_ports=nothing | {1: 0},
            clients={},
        )
    )
    await node.start(None)
    pause = asyncio.Event()
    while node._kafka.front is None:
        with suppress(TimeoutError):
            await asyncio.wait_for(pause.wait(), 0.01)
    sender, rng = Sender(node), Random(1)
    orders = CreateTopicsRequest([CreatableTopic("orders", 1, 1)], 5_000, False)
    sender.send(encode_request(Request(CREATE_TOPICS, 7, 1, "client", orders)))
    feed = frames(rng)
    before = 0
    for number in range(WARM_UP + count):
        if number == WARM_UP:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        sender.send(next(feed))
        if number % TURN == 0:
            sender.sweep()
            await asyncio.sleep(0)
    growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    sys.stdout.write(f"{growth} {count} {sender.connections}\n")


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), int(sys.argv[2])))
