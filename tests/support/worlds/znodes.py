"""Znodes that answer at once: a tree beside one controller, as its session would answer it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeVar

from cluster.model.effects import Effect, Emit, Send
from cluster.model.messages import Message, Operation, OperationResult, ZooKeeperCode
from cluster.model.settings import Settings
from cluster.zookeeper.flows import Answer, Flows, Request, create
from cluster.zookeeper.office import Caller, Office
from cluster.zookeeper.paths import BROKER_IDS, CONTROLLER_EPOCH, PERSISTENT
from cluster.zookeeper.tree import OperationFailed, Tree

SESSION = 7
CLIENT = 1004
Result = TypeVar("Result")


class Znodes:
    """A tree, and what was asked of it."""

    session_id = SESSION

    def __init__(self) -> None:
        self.tree, self.zxid = Tree(), 0
        self.asked: list[Operation] = []
        self._waiting: list[Request] = []
        for path in PERSISTENT:
            parts = path.strip("/").split("/")
            for end in range(1, len(parts) + 1):
                self.do(*create("/" + "/".join(parts[:end])))

    def do(self, *operations: Operation, session_id: int = SESSION) -> Answer:
        """One request, all or none."""
        self.zxid += 1
        if len(operations) == 1 and operations[0].kind in ("get", "children"):
            result = self.tree.read(operations[0])
            return Answer(result.error, (result,))
        try:
            return Answer(ZooKeeperCode.OK, tuple(self.tree.transact(operations, session_id, self.zxid)[0]))
        except OperationFailed as failed:
            results = [OperationResult(error=ZooKeeperCode.RUNTIME_INCONSISTENCY)] * len(operations)
            results[failed.index] = OperationResult(error=failed.error)
            return Answer(failed.error, tuple(results))

    def run(self, steps: Generator[list[Request], list[Answer], Result]) -> Result:
        """A part of a flow to its end; what it returns."""
        answers: list[Answer] | None = None
        while True:
            try:
                requests = next(steps) if answers is None else steps.send(answers)
            except StopIteration as over:
                return over.value  # type: ignore[no-any-return]
            self.asked += [operation for request in requests for operation in request]
            answers = [self.do(*request) for request in requests]

    def ask(self, operations: Sequence[Operation]) -> int:
        """As a session is asked: it waits until `answer_all`."""
        self._waiting.append(tuple(operations))
        return len(self._waiting)

    def answer_all(self, flows: Flows) -> None:
        """Everything that is asked, and what the answers lead to."""
        done = getattr(self, "_answered", 0)
        while done < len(self._waiting):
            request = self._waiting[done]
            self.asked += request
            answer = self.do(*request)
            done += 1
            self._answered = done
            flows.on_answer(done, answer.error, answer.results, is_repeated=False)

    def add_broker(self, broker_id: int, session_id: int) -> int:
        """A broker's znode; its broker epoch."""
        path = f"{BROKER_IDS}/{broker_id}"
        return self.do(*create(path, "{}", ephemeral=True), session_id=session_id).last.czxid


def in_office(znodes: Znodes, out: list[Effect], settings: Settings | None = None, brokers: int = 3) -> Office:
    """Broker 1 as the controller of epoch 1, with brokers that are alive."""
    office = Office(1, settings or Settings(), out)
    znodes.do(*create(CONTROLLER_EPOCH, "1"))
    context = office.context
    context.epoch, context.epoch_version, context.is_active = 1, 0, True
    office.controller_id = 1
    context.set_live({node: znodes.add_broker(node, 100 + node) for node in range(1, brokers + 1)})
    for node in range(1, brokers + 1):
        office.channels.add(node)
    return office


def asked_by_client(office: Office, request: Message) -> Caller:
    """A client that waits for an answer."""
    caller = Caller(CLIENT, 5, request)
    office.expect(caller)
    return caller


def answers_to_client(out: Sequence[Effect]) -> list[Message]:
    """What the client was told."""
    return [effect.message for effect in out if isinstance(effect, Send) and effect.target == CLIENT]


def told(out: Sequence[Effect]) -> list[object]:
    """All events."""
    return [effect.event for effect in out if isinstance(effect, Emit)]
