"""What one client request becomes: requests of the core, and one response made of their answers.

Whoever serves clients (the listener of a broker, or a test) does this with each exchange, and knows nothing else of it:

    exchange = table.TABLE[request.api.key].begin(request, view)
    ask(exchange.requests)                                  # to whom the row says; in any order, all at once
    while not exchange.is_complete:
        asked, response = next_answer()                     # `response` answers `asked`, which is one of those requests
        ask(exchange.answer(asked, response))               # most exchanges ask nothing more
    message = exchange.response()                           # None: nothing is sent, as for a Produce with acks=0,
                                                            # and where there is a `why_closed` the connection ends
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from cluster.kafka.exchanges.topics import Endpoint
from cluster.kafka.times import TopicTimes
from cluster.model.identifiers import UNKNOWN_OFFSET, NodeId, Offset, TopicPartition
from cluster.model.messages import Message
from cluster.model.partition_state import PartitionState
from cluster.model.settings import Settings


def _no_clock() -> int:
    return -1


class TopicDefaults(Struct, frozen=True, kw_only=True):
    """What a client gets that leaves a choice to the cluster."""

    partitions: int = 1
    """num.partitions."""
    replication_factor: int = 1
    """default.replication.factor."""
    min_insync_replicas: int = 1
    """min.insync.replicas."""


class LogSizes(Struct, frozen=True):
    """The logs of a broker and the disk below them."""

    logs: Mapping[TopicPartition, tuple[int, int]] = field(default_factory=dict)
    """Size in bytes of each log, and how many of its records are not known to be committed."""
    total_bytes: int = -1
    """Of the file system; -1 when nobody knows."""
    usable_bytes: int = -1
    """Of what is free, for who is not root."""


class BrokerView(Struct, frozen=True, kw_only=True):
    """What the answering broker knows without asking anybody. Valid for the moment in which an exchange begins."""

    node_id: NodeId
    """The answering broker."""
    cluster_id: str
    """The same on all nodes."""
    controller_id: NodeId
    """A broker to which admin requests may be sent. Kafka names any living broker: controllers do not serve clients."""
    brokers: Mapping[NodeId, Endpoint]
    """Unfenced brokers."""
    fenced: Mapping[NodeId, Endpoint] = field(default_factory=dict)
    """The other registered ones."""
    partitions: Mapping[TopicPartition, PartitionState]
    """Every partition of every topic."""
    topic_names: Mapping[bytes, str] = field(default_factory=dict)
    """By the id that clients know a topic by."""
    times: Mapping[str, TopicTimes] = field(default_factory=dict)
    """Of topics that set what times their records may have; the others have the usual ones."""
    defaults: TopicDefaults = TopicDefaults()
    """For topics that clients create."""
    settings: Settings = Settings()
    """Of the run; its max_message_bytes is the largest that any topic takes."""
    roles: tuple[str, ...] = ("broker",)
    """Of the answering node: controller, broker or both."""
    log_dir: str = ""
    """Where it keeps its logs."""
    log_sizes: Callable[[], LogSizes] = LogSizes
    """How large they are now."""
    metadata_offset: Offset = UNKNOWN_OFFSET
    """Of the last metadata record in this view."""
    wall_ms: Callable[[], int] = _no_clock
    """Milliseconds since 1970, for answers that tell of times; -1 when nobody knows."""


class Exchange:
    """One client request on its way. Subclasses fill `requests` when they are made."""

    __slots__ = ("requests",)
    requests: list[Message]
    """What to ask first; empty when nothing need be asked."""

    @property
    def is_complete(self) -> bool:
        """Whether the response can be made; answers that come later are dropped."""
        raise NotImplementedError

    @property
    def why_closed(self) -> str:
        """Why the connection is closed instead of answered, in a clause; empty when it is answered."""
        return ""

    def answer(self, asked: Any, response: Any) -> Sequence[Message]:
        """Take the answer to one request; what to ask next. An answer that nobody waits for is dropped."""
        raise NotImplementedError

    def response(self) -> Any | None:
        """The message for the client, an object of `api.response`; None when it gets none."""
        raise NotImplementedError


class Known(Exchange):
    """An exchange whose answer the broker knows at once; what it may ask for meanwhile changes nothing in it."""

    __slots__ = ("_response",)

    def __init__(self, response: Any) -> None:
        self.requests = []
        self._response = response

    @property
    def is_complete(self) -> bool:
        """At once."""
        return True

    def answer(self, asked: Any, response: Any) -> Sequence[Message]:
        """Nothing in the response waits for it."""
        del asked, response
        return ()

    def response(self) -> Any:
        """As known."""
        return self._response
