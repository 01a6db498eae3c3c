"""The kinds of exchanges there are: known at once, one question, one question for each thing that a client names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from cluster.kafka.api import Begin, Exchange, Request
from cluster.kafka.broker_view import BrokerView
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import Message


class Known(Exchange):
    """An exchange whose answer the broker knows at once; what it may ask for meanwhile changes nothing in it."""

    __slots__ = ("_response",)

    def __init__(self, response: Any) -> None:
        self.requests = []
        self._response = response

    @property
    def is_complete(self) -> bool:
        """True from the start: it asks nobody."""
        return True

    def answer(self, asked: Any, response: Any) -> Sequence[Message]:
        """Nothing in the response waits for it."""
        del asked, response
        return ()

    def response(self) -> Any:
        """The answer that it was made with."""
        return self._response

    @classmethod
    def by(cls, answer: Callable[[Request, BrokerView], Any]) -> Begin:
        """How an API begins whose answer is made of the request and the view alone."""
        return lambda request, view: cls(answer(request, view))


class OneAnswer(Exchange):
    """An exchange that asks one thing. Subclasses say what, and what the client is told of the answer."""

    __slots__ = ("_answer", "_request")

    def __init__(self, request: Request, _view: BrokerView) -> None:
        self._request = request
        self._answer: Any = None
        self.requests = [self._asked()]

    @abstractmethod
    def _asked(self) -> Message:
        """The one thing to ask."""

    @property
    def is_complete(self) -> bool:
        """Whether the answer is there."""
        return self._answer is not None

    def answer(self, asked: Any, response: Any) -> Sequence[Message]:
        """Take the one answer."""
        del asked
        if self._answer is None:
            self._answer = response
        return ()


class EachPartition(Exchange):
    """Asks once for each partition, and keeps the answers by partition."""

    __slots__ = ("_answers", "_waiting")

    def __init__(self, asked: Mapping[TopicPartition, Message]) -> None:
        """
        Args:
            asked: what to ask of the core about each partition; every message names its own.
        """
        self.requests = list(asked.values())
        self._answers: dict[TopicPartition, Any] = {}
        self._waiting = set(asked)

    @property
    def is_complete(self) -> bool:
        """Whether the response can be made."""
        return not self._waiting

    def answer(self, asked: Any, response: Any) -> Sequence[Message]:
        """Take the answer about one partition. What nobody waits for is dropped."""
        where = TopicPartition(asked.topic, asked.partition)
        if where in self._waiting:
            self._waiting.remove(where)
            self._answers[where] = response
        return ()


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

    @abstractmethod
    def result(self, asked: Any, response: Any) -> Any:
        """What the client is told of one thing."""
