"""What the exchanges of admin requests have in common: one question for each thing that a client names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from cluster.kafka.exchanges.exchange import Exchange
from cluster.kafka.frames import Request
from cluster.model.messages import Message


class Refused(NamedTuple):
    """What the client is told of one thing without asking anybody."""

    result: Any
    """Part of the response."""


class EachOnce(Exchange):
    """Asks once for each thing and puts the answers in the order in which the client named them."""

    __slots__ = ("_places", "_request", "_results", "_waiting")

    def __init__(self, request: Request, plan: Iterable[Message | Refused]) -> None:
        """
        Args:
            plan: for each thing what to ask of the core, or what is known without asking.
        """
        self._request = request
        self._results: list[Any] = []
        self._places: dict[int, int] = {}
        self.requests = []
        for step in plan:
            if isinstance(step, Refused):
                self._results.append(step.result)
            else:
                self._places[id(step)] = len(self._results)
                self._results.append(None)
                self.requests.append(step)
        self._waiting = set(self._places)

    @property
    def is_complete(self) -> bool:
        """Whether the response can be made."""
        return not self._waiting

    def answer(self, asked: Any, response: Any) -> Sequence[Message]:
        """Take the answer to one of the requests. What nobody waits for is dropped."""
        if id(asked) in self._waiting:
            self._waiting.remove(id(asked))
            self._results[self._places[id(asked)]] = self.result(asked, response)
        return ()

    def result(self, asked: Any, response: Any) -> Any:
        """What the client is told of one thing."""
        raise NotImplementedError
