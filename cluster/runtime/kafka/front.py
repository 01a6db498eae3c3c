"""Kafka's requests into the node and its answers out: one registered exchange for each request, and no second way in.

What an exchange asks goes through the node's one door, as a message from any other client does; what the active
controller must decide is sent there. Responses are handed over when the node's files and events are written.
"""

from __future__ import annotations

import asyncio
import socket
import traceback
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

from msgspec.structs import replace

from cluster.kafka.api import Exchange, Request, Whom
from cluster.kafka.apis.api_versions import API_VERSIONS
from cluster.kafka.apis.produce import PRODUCE
from cluster.kafka.credentials import Credentials
from cluster.kafka.frames import response_parts
from cluster.model.entry import EventId
from cluster.model.events import ClientConnected, ClientRequested, ClientResponseLost
from cluster.model.identifiers import EDGE_ID, FIRST_EDGE_CORRELATION, NO_NODE, NodeId, TopicPartition
from cluster.model.inputs import FetchAbandoned, Input, Received
from cluster.model.messages import FetchRequest, Message
from cluster.model.settings import Settings
from cluster.node.answers import refuse
from cluster.node.make_node import AnyNode
from cluster.runtime.kafka.client_faults import ClientFaults
from cluster.runtime.kafka.connection import ClientConnection, Slot
from cluster.runtime.kafka.controller_calls import ControllerCalls
from cluster.runtime.kafka.listener import IN_FLIGHT_MAX, KafkaListener
from cluster.runtime.kafka.view import Views
from cluster.trace.tracer import Tracer

TELL_SECONDS = 0.05
"""Requests of one kind on one connection are told of so often at most."""
ABOUT_MAX = 8
Push = Callable[[Input, EventId | None, str], None]
"""Gives the node an input, with what led to it."""


class _Pending:
    """A request that is served."""

    __slots__ = ("cause", "exchange", "open", "request", "slot", "trigger", "whom")

    def __init__(self, request: Request, exchange: Exchange, slot: Slot) -> None:
        self.request, self.exchange, self.slot, self.whom = request, exchange, slot, request.api.whom
        self.open: dict[int, Message] = {}
        self.cause: EventId | None = None
        self.trigger = ""


class KafkaFront:
    """Serves the Kafka clients of one broker."""

    def __init__(
        self,
        node: AnyNode,
        views: Views,
        tracer: Tracer,
        *,
        push: Push,
        forward: Callable[[NodeId, int, Message], None],
        drain: Callable[[], None],
        say: Callable[[str], None],
        affordable: int,
        login: Credentials | None = None,
    ) -> None:
        """
        Args:
            push: gives the node an input, with its cause and trigger.
            forward: sends a request to another node.
            drain: has the node handle its inputs.
            say: writes a line into the node's log.
            affordable: connections of clients for which there are descriptors.
            login: whom to serve; None serves everybody.
        """
        settings: Settings = node.config.settings
        self._node = node
        self._views = views
        self._tracer = tracer
        self._push = push
        self._forward = forward
        self._say = say
        self.drain = drain
        self._loop = asyncio.get_running_loop()
        self._numbers = count(FIRST_EDGE_CORRELATION)
        self._asked: dict[int, _Pending] = {}
        self._calls = ControllerCalls(settings, self._leader_id, self._send_to, self._answered_late)
        in_flight = IN_FLIGHT_MAX if settings.client_pipelining else 1
        self.listener = KafkaListener(
            self, tracer.emit_beside, say, in_flight=in_flight, affordable=affordable, credentials=login
        )
        """Where the clients are."""

    async def listen(self, bound: socket.socket, faults: ClientFaults) -> None:
        """Serve the clients of a bound port."""
        self.listener.apply(faults)
        await self.listener.listen(bound)

    def flush(self) -> None:
        """What this step has answered leaves; what clients have sent meanwhile is looked at."""
        self.listener.flush()

    def apply(self, faults: ClientFaults) -> None:
        """Put faults between clients and this broker in force."""
        self.listener.apply(faults)

    def close(self) -> None:
        """Say nothing more to anybody."""
        self._calls.close()
        self.listener.close()

    def take(self, slot: Slot, request: Request, size_bytes: int) -> None:
        """Serve one request."""
        self._note_connected(slot.connection, request)
        try:
            exchange = request.api.begin(request, self._views.now())
        except Exception:  # a client must not be able to end the broker; what it asked has changed nothing yet
            self._say(traceback.format_exc())
            self.listener.finish(slot, [], must_close="the broker failed to read its request")
            return
        pending = _Pending(request, exchange, slot)
        self._note_requested(pending, size_bytes)
        error = self.listener.error_for(request.api.name)
        if error:
            self._refuse_all(exchange, error)
        else:
            self._ask(pending, exchange.requests)
        self._finish_if_complete(pending)

    def answered(self, correlation: int, response: Message) -> None:
        """The node, or the active controller, has answered one of our requests."""
        pending = self._asked.get(correlation)
        if pending is None or (pending.whom is Whom.CONTROLLER and not self._calls.is_final(correlation, response)):
            return
        del self._asked[correlation]
        asked = pending.open.pop(correlation)
        pending.cause = self._tracer.cause
        self._ask(pending, pending.exchange.answer(asked, response))
        self._finish_if_complete(pending)

    def on_lost(self, peer: NodeId) -> None:
        """A connection to another node is gone."""
        self._calls.on_lost(peer)

    def drop(self, connection: ClientConnection) -> None:
        """A client is gone: what it asked goes on, and nobody hears of it."""
        gone = {id(slot) for slot in connection.slots}
        for pending in {id(each): each for each in self._asked.values() if id(each.slot) in gone}.values():
            self._abandon(pending)
        self._loop.call_soon(self.drain)

    def _ask(self, pending: _Pending, requests: Iterable[Message]) -> None:
        for message in requests:
            correlation = next(self._numbers)
            self._asked[correlation] = pending
            pending.open[correlation] = message
            if pending.whom is Whom.CONTROLLER:
                self._calls.begin(correlation, message)
            else:
                received = Received(sender=EDGE_ID, correlation=correlation, message=message)
                self._push(received, pending.cause, pending.trigger)

    def _refuse_all(self, exchange: Exchange, error: int) -> None:
        """A fault answers in the place of whoever would be asked."""
        waiting = list(exchange.requests)
        while waiting and not exchange.is_complete:
            asked = waiting.pop(0)
            refusal = refuse(asked, NO_NODE)
            assert refusal is not None, f"{type(asked).__name__} can be refused"
            waiting += exchange.answer(asked, replace(refusal, error=error))

    def _finish_if_complete(self, pending: _Pending) -> None:
        exchange, request, slot = pending.exchange, pending.request, pending.slot
        if not exchange.is_complete:
            return
        self._abandon(pending)
        if exchange.why_closed:
            self.listener.finish(slot, [], must_close=exchange.why_closed)
            return
        message = exchange.response()
        if message is None:
            self.listener.finish(slot, [])
            return
        if request.api is PRODUCE and self.listener.loses_response():
            self._lose(pending)
            return
        self.listener.finish(slot, response_parts(request.api, request.version, request.correlation_id, message))

    @property
    def is_waiting(self) -> bool:
        """Whether there is something to flush."""
        return self.listener.is_waiting

    def _abandon(self, pending: _Pending) -> None:
        """Answers that still come are for nobody."""
        for correlation, message in pending.open.items():
            del self._asked[correlation]
            if pending.whom is Whom.CONTROLLER:
                self._calls.forget(correlation)
            elif isinstance(message, FetchRequest):
                where = TopicPartition(message.topic, message.partition)
                gone = FetchAbandoned(topic_partition=where, sender=EDGE_ID, correlation=correlation)
                self._push(gone, pending.cause, "a fetch that nobody waits for")
        pending.open.clear()

    def _lose(self, pending: _Pending) -> None:
        connection = pending.slot.connection
        lost = ClientResponseLost(
            connection_id=connection.number, client_id=connection.client_id, about=_about(pending.exchange.requests)
        )
        self._tracer.emit(lost)
        connection.reset("a fault took its response")

    def _leader_id(self) -> NodeId:
        return self._node.controller_id

    def _send_to(self, target: NodeId, correlation: int, message: Message) -> None:
        if target == self._node.config.node_id:
            received = Received(sender=EDGE_ID, correlation=correlation, message=message)
            self._push(received, None, f"{type(message).__name__} for a client")
            self._loop.call_soon(self.drain)
        else:
            self._forward(target, correlation, message)

    def _answered_late(self, correlation: int, refused: Message) -> None:
        self.answered(correlation, refused)
        self.drain()

    def _note_connected(self, connection: ClientConnection, request: Request) -> None:
        if connection.request_count != 1:
            return
        named = request.message if request.api is API_VERSIONS else None
        event = ClientConnected(
            connection_id=connection.number,
            client_id=connection.client_id,
            software="" if named is None else named.client_software_name[: ABOUT_MAX * 10],
            software_version="" if named is None else named.client_software_version[: ABOUT_MAX * 10],
        )
        self._tracer.begin(None, "a client connects")
        self._tracer.emit(event)

    def _note_requested(self, pending: _Pending, size_bytes: int) -> None:
        """Tell of it, unless one like it was told of just now; what follows has it for a cause."""
        request, connection = pending.request, pending.slot.connection
        key, now_s = int(request.api.key), self._loop.time()
        last_s, requests, total_bytes = connection.told.get(key, (-TELL_SECONDS, 0, 0))
        pending.trigger = f"{request.api.name} of client {connection.number}"
        if now_s - last_s < TELL_SECONDS:
            connection.told[key] = last_s, requests + 1, total_bytes + size_bytes
            return
        connection.told[key] = now_s, 0, 0
        event = ClientRequested(
            connection_id=connection.number,
            client_id=connection.client_id,
            api=request.api.name,
            version=request.version,
            about=_about(pending.exchange.requests),
            count=requests + 1,
            size_bytes=total_bytes + size_bytes,
        )
        self._tracer.begin(None, pending.trigger)
        self._tracer.emit(event)
        pending.cause = self._tracer.cause


def _about(requests: list[Any]) -> tuple[str, ...]:
    """What requests name: partitions, topics, groups; the first few."""
    subjects: dict[str, None] = {}
    for request in requests:
        topic, group = getattr(request, "topic", None), getattr(request, "group", None)
        if isinstance(topic, str):
            partition = getattr(request, "partition", None)
            subjects[topic[:249] if partition is None else f"{topic[:249]}-{partition}"] = None
        elif isinstance(group, str):
            subjects[group[:249]] = None
        if len(subjects) == ABOUT_MAX:
            break
    return tuple(subjects)
