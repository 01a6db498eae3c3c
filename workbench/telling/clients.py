"""Clients: the built-in ones and their workload, Kafka's own, and what a lesson does and asks."""

from __future__ import annotations

from typing import Any

from cluster.model.events import client, kafka_client, load
from workbench.support.safe_text import safe_text
from workbench.telling.telling import BAD, DIM, GOOD, INFO, WARN, Printed, Telling
from workbench.telling.template import fill

WHO, WHICH = "{client_id:Kafka client {}/a Kafka client}", "{client_id} #{operation_id}"
SHOWN = 3
"""Topics or groups that a request is about, of those that are named."""


def _operation(e: Any) -> str:
    where = (" {topic}" if e.function == "create_topic" else " {log}") if e.partition >= 0 else ""
    return fill(f"{WHICH} {{function}}{where}", e)


def _invoked(e: client.OperationInvoked) -> str:
    acks = " acks={acks:acks}" if e.function == "produce" else ""
    value = "" if e.value == e.topic else " {value}"
    keys = {"key": ", ".join(dict.fromkeys(e.keys))}
    return _operation(e) + fill(f"{acks}{value}{{key: key {{}}/}}", e, keys)


def _succeeded(e: client.OperationSucceeded) -> str:
    """What came of it, in records and offsets."""
    done = "the log begins at offset {base_offset}" if e.function == "delete_records" else "done"
    if e.base_offset >= 0 and e.function == "consume":
        done = "got {count:record} from offset {base_offset}"
    elif e.base_offset >= 0 and e.function == "produce":
        done = "{count:record} acknowledged, offset {offsets}"
    return f"{_operation(e)}: {fill(done, e)}"


def _connected(e: kafka_client.ClientConnected) -> str:
    software = {"named": " ".join(part for part in (e.software, e.software_version) if part)}
    return fill("Kafka client {client_id:{}/without a name} connects{named: ({})/}", e, software)


def _about(e: Any) -> str:
    shown = ", ".join(safe_text(name, 40) for name in e.about[:SHOWN])
    return f": {shown}{' ...' * (len(e.about) > SHOWN)}" if shown else ""


def _times(e: Any) -> str:
    return f" ({e.count} times)" if e.count > 1 else ""


def _counted(e: load.LoadCounted) -> str:
    counts = {"failed": e.failed_count, "unknown": e.unknown_count, "lost": e.lost_count, "waiting": e.waiting_count}
    others = "".join(f", {count} {word}" for word, count in counts.items() if count)
    times = ", typical {p50_ms} ms, slowest {p99_ms} ms" if e.p50_ms >= 0 else ""
    return fill(f"{{log}}: {{acked_count}} acknowledged{others}{times}; the consumer is at {{position}}", e)


def _prediction(e: client.PredictionAnswered) -> str:
    right = ", right is {right_answer}" if e.right_answer not in ("", "right", e.answer) else ""
    return fill(f"answered {{question}}: {{answer:{{}}/nothing}}{right}", e)


TELLINGS: dict[type, Telling] = {
    client.OperationInvoked: Telling(INFO, _invoked, is_detail=False),
    client.OperationSucceeded: Telling(GOOD, _succeeded, is_detail=False),
    client.OperationFailed: Printed(BAD, lambda e: _operation(e) + fill(" failed: {error}", e), is_detail=False),
    client.OperationUnknown: Printed(
        WARN, lambda e: _operation(e) + fill(" outcome unknown: {error}", e), is_detail=False
    ),
    client.OperationRetried: Telling(DIM, WHICH + " tries {attempt}: asks {target} after {error}"),
    client.OperationRedirected: Telling(
        INFO, WHICH + " reads {log} from {target}, where {source} sent it", is_detail=False
    ),
    client.LessonStep: Telling(INFO, "does: {text}", is_detail=False),
    client.ExpectationChecked: Telling(
        INFO,
        lambda e: fill("held: {text}" if e.held else "NOT HELD: {text} (saw {seen})", e),
        reasons=(lambda e, _: "" if e.held else fill("{seen} was seen", e),),
        is_detail=False,
    ),
    client.PredictionAnswered: Telling(INFO, _prediction, is_detail=False),
    kafka_client.ClientConnected: Telling(INFO, _connected, is_detail=False),
    kafka_client.ClientRequested: Telling(
        DIM, lambda e: fill(WHO + " asks {api} v{version}", e) + _times(e) + _about(e)
    ),
    kafka_client.ClientDisconnected: Telling(INFO, WHO + " is gone after {count:request}: {why}", is_detail=False),
    kafka_client.ClientRefused: Telling(WARN, lambda e: fill(WHO + " refused{times}: {why}", e, {"times": _times(e)})),
    kafka_client.ClientResponseLost: Telling(
        WARN, lambda e: fill(WHO + " loses the answer to its Produce", e) + _about(e)
    ),
    load.LoadStarted: Telling(
        INFO, "{producer_id} writes {rate_per_s} records/s to {log} with acks={acks:acks}, {consumer_id} reads them"
    ),
    load.LoadCounted: Telling(DIM, _counted),
    load.LoadEnded: Telling(INFO, "the producer and the consumer of {log} have stopped"),
}
