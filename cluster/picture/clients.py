"""What clients asked, and what they were told is written, folded from their own events and those of brokers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition
from cluster.picture.facts import ClusterFacts
from cluster.picture.parts import AckedRange, ClientState


def _client(state: ClusterFacts, client_id: str) -> ClientState:
    found = state.clients.get(client_id)
    if found is None:
        found = state.clients[client_id] = ClientState(client_id)
    return found


def _invoked(state: ClusterFacts, _entry: Entry, event: ev.OperationInvoked) -> None:
    _client(state, event.client_id).open[event.operation_id] = (
        event.function,
        TopicPartition(event.topic, event.partition),
    )


def _succeeded(state: ClusterFacts, _entry: Entry, event: ev.OperationSucceeded) -> None:
    client, tp = _client(state, event.client_id), TopicPartition(event.topic, event.partition)
    client.open.pop(event.operation_id, None)
    client.succeeded += 1
    if event.base_offset < 0:
        return
    if event.function == "consume":
        seen = state.consumed.setdefault(tp, Counter())
        seen.update(range(event.base_offset, event.base_offset + event.count))
    elif event.function == "produce":
        digest = event.values[0] if event.values else ""
        acked = AckedRange(tp, event.base_offset, event.count, digest, event.client_id)
        state.acked.setdefault(tp, []).append(acked)


def _answered(state: ClusterFacts, entry: Entry, event: ev.ProduceAnswered) -> None:
    """What a Kafka client is told only its broker tells; with acks=1 nothing is promised."""
    if event.kafka_client and not event.error and event.acks == -1:
        tp, end = TopicPartition(event.topic, event.partition), event.base_offset + event.count
        held = state.log(entry.node, tp).within(event.base_offset, end)
        told = [AckedRange(tp, base, upto - base, digest, event.client_id) for base, upto, digest in held]
        state.acked.setdefault(tp, []).extend(told)


def _failed(state: ClusterFacts, _entry: Entry, event: ev.OperationFailed) -> None:
    client = _client(state, event.client_id)
    client.open.pop(event.operation_id, None)
    client.failed += 1
    state.errors[event.function, event.error] += 1


def _unknown(state: ClusterFacts, _entry: Entry, event: ev.OperationUnknown) -> None:
    client = _client(state, event.client_id)
    client.open.pop(event.operation_id, None)
    client.unknown += 1
    state.errors[event.function, event.error] += 1


def _retried(state: ClusterFacts, _entry: Entry, event: ev.OperationRetried) -> None:
    client = _client(state, event.client_id)
    client.retried += 1
    function = client.open.get(event.operation_id, ("",))[0]
    state.errors[function, event.error] += 1


CLIENT_FOLDS: dict[type, Callable[[ClusterFacts, Entry, Any], None]] = {
    ev.OperationInvoked: _invoked,
    ev.OperationSucceeded: _succeeded,
    ev.OperationFailed: _failed,
    ev.OperationUnknown: _unknown,
    ev.OperationRetried: _retried,
    ev.ProduceAnswered: _answered,
}
