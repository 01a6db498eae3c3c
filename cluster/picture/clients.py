"""What clients ask and are told, folded from events of built-in clients and of brokers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.events.load import CLIENT as LOAD_CLIENT
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.picture.asked import Acked, AckedRange, ClientState, Connection, LoadState
from cluster.picture.facts import ClusterFacts
from cluster.picture.part import OffsetSet, own

CONNECTIONS_MAX = 2000


def _client(state: ClusterFacts, client_id: str) -> ClientState:
    client = own(state.clients, client_id)
    if client is None:
        client = state.clients[client_id] = ClientState(client_id)
    return client


def _note_answer(state: ClusterFacts, entry: Entry, client_id: str) -> None:
    """A load is answered all the time, and nobody waits for that."""
    if not client_id.startswith(LOAD_CLIENT):
        state.newest_answer = entry


def _acked(state: ClusterFacts, tp: TopicPartition) -> Acked:
    acked = state.acked.get(tp)
    if acked is None:
        acked = state.acked[tp] = Acked(tp)
    return acked


def _invoked(state: ClusterFacts, entry: Entry, event: ev.OperationInvoked) -> None:
    state.written.invoked(entry, event)
    _client(state, event.client_id).open[event.operation_id] = (
        event.function,
        TopicPartition(event.topic, event.partition),
    )


def _succeeded(state: ClusterFacts, entry: Entry, event: ev.OperationSucceeded) -> None:
    _note_answer(state, entry, event.client_id)
    client, tp = _client(state, event.client_id), TopicPartition(event.topic, event.partition)
    client.open.pop(event.operation_id, None)
    client.succeeded += 1
    state.written.answered(event)
    if event.base_offset < 0:
        return
    if event.function == "consume":
        seen = state.consumed.get(tp)
        if seen is None:
            seen = state.consumed[tp] = OffsetSet()
        seen.add(event.base_offset, event.base_offset + event.count)
    elif event.function == "produce":
        digest = event.values[0] if event.values else ""
        _acked(state, tp).extend((AckedRange(tp, event.base_offset, event.count, digest, event.client_id),))


def _answered(state: ClusterFacts, entry: Entry, event: ev.ProduceAnswered) -> None:
    """What a Kafka client is told only its broker tells; with acks=1 nothing is promised."""
    if event.kafka_client and not event.error and event.acks == -1:
        tp, end = TopicPartition(event.topic, event.partition), event.base_offset + event.count
        held = state.log(entry.node, tp).within(event.base_offset, end)
        _acked(state, tp).extend(
            AckedRange(tp, base, upto - base, digest, event.client_id) for base, upto, digest in held
        )


def _not_done(state: ClusterFacts, entry: Entry, event: ev.OperationFailed | ev.OperationUnknown) -> None:
    _note_answer(state, entry, event.client_id)
    client = _client(state, event.client_id)
    client.open.pop(event.operation_id, None)
    state.written.answered(event)
    if isinstance(event, ev.OperationFailed):
        client.failed += 1
    else:
        client.unknown += 1
    state.errors[event.function, event.error] += 1


def _retried(state: ClusterFacts, entry: Entry, event: ev.OperationRetried) -> None:
    state.written.retried(entry, event)
    client = _client(state, event.client_id)
    client.retried += 1
    function = client.open.get(event.operation_id, ("",))[0]
    state.errors[function, event.error] += 1


def _load_started(state: ClusterFacts, entry: Entry, event: ev.LoadStarted) -> None:
    """A load that goes on at another rate keeps what it has counted."""
    before = state.load if state.load is not None and state.load.producer_id == event.producer_id else None
    state.load = LoadState(
        entry.t_ns, event.producer_id, event.consumer_id, TopicPartition(event.topic, event.partition),
        event.rate_per_s, event.acks, before and before.counted, before.slowest_ms if before else -1,
    )  # fmt: skip


def _load_counted(state: ClusterFacts, _entry: Entry, event: ev.LoadCounted) -> None:
    load = state.load
    if load is not None and load.topic_partition == (event.topic, event.partition):
        state.load = load._replace(counted=event, slowest_ms=max(load.slowest_ms, event.p99_ms))


def _load_ended(state: ClusterFacts, _entry: Entry, event: ev.LoadEnded) -> None:
    load = state.load
    if load is not None and load.topic_partition == (event.topic, event.partition):
        state.load = load._replace(is_over=True)


def _connected(state: ClusterFacts, entry: Entry, event: ev.ClientConnected) -> None:
    software = event.software, event.software_version
    state.connections[entry.node, entry.incarnation, event.connection_id] = Connection(
        entry.node, event.client_id, software
    )
    while len(state.connections) > CONNECTIONS_MAX:
        del state.connections[next(iter(state.connections))]


def _requested(state: ClusterFacts, entry: Entry, event: ev.ClientRequested) -> None:
    item = own(state.connections, (entry.node, entry.incarnation, event.connection_id))
    if item is not None:
        item.asks[event.api] = item.asks.get(event.api, 0) + event.count
        if event.about:
            item.about = event.about[-1]


def _disconnected(state: ClusterFacts, entry: Entry, event: ev.ClientDisconnected) -> None:
    state.connections.pop((entry.node, entry.incarnation, event.connection_id), None)


def _response_lost(state: ClusterFacts, entry: Entry, event: ev.ClientResponseLost) -> None:
    item = own(state.connections, (entry.node, entry.incarnation, event.connection_id))
    if item is not None:
        item.lost += 1


def forget_connections(state: ClusterFacts, node: NodeId) -> None:
    """A broker that is gone has no connection."""
    for key in [key for key in state.connections if key[0] == node]:
        del state.connections[key]


CLIENT_FOLDS: dict[type, Callable[[ClusterFacts, Entry, Any], None]] = {
    ev.OperationInvoked: _invoked,
    ev.OperationSucceeded: _succeeded,
    ev.OperationFailed: _not_done,
    ev.OperationUnknown: _not_done,
    ev.OperationRetried: _retried,
    ev.ProduceAnswered: _answered,
    ev.LoadStarted: _load_started,
    ev.LoadCounted: _load_counted,
    ev.LoadEnded: _load_ended,
    ev.ClientConnected: _connected,
    ev.ClientRequested: _requested,
    ev.ClientDisconnected: _disconnected,
    ev.ClientResponseLost: _response_lost,
}
