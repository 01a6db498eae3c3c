"""What one API is: its number and versions, its two messages, and how a request becomes a response.

Each file in `apis` makes its `Api`, and with that is served: whoever imports the folder finds all in `APIS`.
Whoever serves clients (the listener of a broker, or a test) does this with each request, and knows nothing else of it:

    exchange = request.api.begin(request, view)
    ask(exchange.requests)                                  # as `request.api.whom` says; in any order, all at once
    while not exchange.is_complete:
        asked, response = next_answer()                     # `response` answers `asked`, which is one of those requests
        ask(exchange.answer(asked, response))               # most exchanges ask nothing more
    message = exchange.response()                           # None: nothing is sent, as for a Produce with acks=0,
                                                            # and where there is a `why_closed` the connection ends

Sources: Kafka's protocol guide; KIP-896 for the oldest versions that clients of today send, KIP-482 for flexible ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, Final, TypeAlias

from msgspec import Struct

from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import Versions
from cluster.kafka.errors import known_error
from cluster.model.errors import ErrorCode
from cluster.model.messages import Message


class Whom(Enum):
    """Who is asked what an exchange asks."""

    BROKER = auto()
    """The machines of the broker that the client talks to: replicas, producer ids, group coordinator."""
    CONTROLLER = auto()
    """The active controller, wherever it is; asked again while it changes."""


class Api:
    """One request with its response. Who makes one puts it into `APIS`."""

    __slots__ = (
        "_younger", "advertised_first", "begin", "first", "flexible_from", "flexible_response_header", "key", "last",
        "name", "request", "response", "whom",
    )  # fmt: skip

    def __init__(
        self,
        key: int,
        request: type,
        response: type,
        begin: Begin,
        *,
        versions: str,
        flexible: str | None,
        whom: Whom = Whom.BROKER,
        younger_errors: Mapping[ErrorCode, tuple[int, ErrorCode]] | None = None,
        advertised_first: int | None = None,
        flexible_response_header: bool = True,
    ) -> None:
        """
        Args:
            key: Kafka's number.
            begin: makes the exchange of one request. It does not raise: what a client may not ask is a response with
                an error.
            versions: those that are read, as in `codec.fields`: "3-13".
            flexible: those with compact types and tagged fields; None when there is none.
            younger_errors: codes that are younger than the request: the first version that knows each, and what older
                ones get.
            advertised_first: the first version that ApiVersions names, where it is not the first that is read.
            flexible_response_header: False where the header of a response never has tagged fields.
        """
        assert key not in APIS, f"two APIs with key {key}"
        self.key, self.request, self.response, self.begin, self.whom = key, request, response, begin, whom
        read = Versions.parse(versions)
        self.first, self.last = read.first, read.last
        self.flexible_from = NEVER if flexible is None else Versions.parse(flexible).first
        self.name = request.__name__.removesuffix("Request")
        """As in the protocol guide: ListOffsets."""
        self.advertised_first = self.first if advertised_first is None else advertised_first
        self.flexible_response_header = flexible_response_header
        self._younger = younger_errors or {}
        APIS[key] = self

    @property
    def versions(self) -> range:
        """All versions that are read."""
        return range(self.first, self.last + 1)

    def flexible(self, version: int) -> bool:
        """Whether this version has compact types and tagged fields."""
        return version >= self.flexible_from

    def error(self, code: int, version: int) -> ErrorCode:
        """What to write for one of our codes into a response of this version."""
        error = known_error(code)
        if error in self._younger:
            since, older = self._younger[error]
            return error if version >= since else older
        return error


NEVER = 32_767
"""No version is flexible."""
APIS: Final[dict[int, Api]] = {}
"""By key. A key that is not here is not advertised, and who sends it all the same is disconnected, as Kafka does."""


class Request(Struct):
    """One request with its header."""

    api: Api
    version: int
    """The layout of the message, and of the response."""
    correlation_id: int
    """Chosen by the client, repeated in the response."""
    client_id: str | None
    """Untrusted text."""
    message: Any
    """An object of `api.request`."""

    def error(self, code: int) -> ErrorCode:
        """What to write for one of our codes into its response."""
        return self.api.error(code, self.version)


class Exchange(ABC):
    """One client request on its way. Subclasses fill `requests` when they are made."""

    __slots__ = ("requests",)
    requests: list[Message]
    """What to ask first; empty when nothing need be asked."""

    @property
    @abstractmethod
    def is_complete(self) -> bool:
        """Whether the response can be made; answers that come later are dropped."""

    @property
    def why_closed(self) -> str:
        """Why the connection is closed instead of answered, in a clause; empty when it is answered."""
        return ""

    @abstractmethod
    def answer(self, asked: Any, response: Any) -> Sequence[Message]:
        """Take the answer to one request; what to ask next. An answer that nobody waits for is dropped."""

    @abstractmethod
    def response(self) -> Any | None:
        """The message for the client, an object of `api.response`; None when it gets none."""


Begin: TypeAlias = Callable[[Request, BrokerView], Exchange]
