"""Work that asks ZooKeeper and goes on with the answers: a generator that yields questions.

A flow yields a list of requests and gets the list of their answers, in order. What is written between two yields is one
step of its node. Flows of one queue are done one after another, as Kafka's controller thread does its events.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from typing import TypeAlias

from msgspec import Struct

from cluster.model.messages import Operation, OperationResult, ZooKeeperCode
from cluster.zookeeper.client_session import ClientSession, Results

Request: TypeAlias = tuple[Operation, ...]
Flow: TypeAlias = Generator[list[Request], list["Answer"], None]
Begin: TypeAlias = Callable[[], Flow]


class Answer(Struct, frozen=True):
    """What became of one request."""

    error: int
    """A ZooKeeperCode; of the first operation that failed."""
    results: Results
    is_repeated: bool = False
    """It was sent twice: a version or a znode in the way may be its own."""

    @property
    def is_ok(self) -> bool:
        """Whether all of it was done."""
        return self.error == ZooKeeperCode.OK

    @property
    def last(self) -> OperationResult:
        """Of the last operation: the write itself, where checks stand before it."""
        return self.results[-1]


class _Running(Struct):
    flow: Flow
    waits: list[int]
    answers: dict[int, Answer]
    queue: str


class Flows:
    """All flows of one broker that stand on its session."""

    __slots__ = ("_busy", "_queues", "_session", "_waiting")

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self._waiting: dict[int, _Running] = {}
        self._queues: dict[str, deque[Begin]] = {}
        self._busy: set[str] = set()

    def add(self, queue: str, begin: Begin) -> None:
        """Do it once all before it in its queue is done; a queue named "" is none: it begins at once."""
        if not queue:
            self._go_on(_Running(begin(), [], {}, ""), None)
            return
        self._queues.setdefault(queue, deque()).append(begin)
        self._next(queue)

    def clear(self, queue: str) -> None:
        """What waits in a queue is never begun; what was begun is dropped where it stands."""
        self._queues.pop(queue, None)
        self._busy.discard(queue)
        dropped = [running for running in self._waiting.values() if running.queue == queue]
        self._waiting = {ticket: item for ticket, item in self._waiting.items() if item.queue != queue}
        for running in dropped:
            running.flow.close()

    def clear_all(self) -> None:
        """The session is over, and what was asked in it is answered no more."""
        for queue in sorted({*self._queues, *self._busy, *(item.queue for item in self._waiting.values())}):
            self.clear(queue)

    def on_answer(self, ticket: int, error: int, results: Results, *, is_repeated: bool) -> None:
        """A flow gets its answers once all of them are there."""
        running = self._waiting.pop(ticket, None)
        if running is None:
            return
        running.answers[ticket] = Answer(error, results, is_repeated)
        if len(running.answers) == len(running.waits):
            answers = [running.answers[number] for number in running.waits]
            self._go_on(running, answers)

    def _next(self, queue: str) -> None:
        while queue not in self._busy and self._queues.get(queue):
            begin = self._queues[queue].popleft()
            self._busy.add(queue)
            self._go_on(_Running(begin(), [], {}, queue), None)

    def _go_on(self, running: _Running, answers: list[Answer] | None) -> None:
        try:
            requests = next(running.flow) if answers is None else running.flow.send(answers)
            while not requests:
                requests = running.flow.send([])
        except StopIteration:
            self._busy.discard(running.queue)
            if running.queue:
                self._next(running.queue)
            return
        running.answers = {}
        running.waits = [self._session.ask(request) for request in requests]
        self._waiting.update(dict.fromkeys(running.waits, running))


def get(path: str, *, watch: bool = False) -> Request:
    """Read a znode."""
    return (Operation(kind="get", path=path, watch=watch),)


def children(path: str, *, watch: bool = False) -> Request:
    """Read the names below a znode."""
    return (Operation(kind="children", path=path, watch=watch),)


def create(path: str, data: str = "", *, ephemeral: bool = False, sequential: bool = False) -> Request:
    """Make a znode."""
    return (Operation(kind="create", path=path, data=data, ephemeral=ephemeral, sequential=sequential),)


def put(path: str, data: str, version: int) -> Request:
    """Write a znode that has this version."""
    return (Operation(kind="set", path=path, data=data, version=version),)


def delete(path: str, version: int = -1) -> Request:
    """Take a znode away."""
    return (Operation(kind="delete", path=path, version=version),)
