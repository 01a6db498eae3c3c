"""A workload: a producer and a consumer that go on until they are ended, and what they reach, counted every second."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil

from cluster.clients.client import Client
from cluster.clients.consuming import readable
from cluster.model.effects import CancelTimer, Effect, Emit, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    LoadCounted,
    LoadEnded,
    LoadStarted,
    OperationFailed,
    OperationInvoked,
    OperationSucceeded,
    OperationUnknown,
)
from cluster.model.events.load import CLIENT
from cluster.model.identifiers import NodeId, Offset, TopicPartition
from cluster.model.inputs import ClientRequest, Disconnected, Input, Received, TimerFired
from cluster.model.messages import FetchResponse
from cluster.model.record_batch import is_intact, numbered_records
from cluster.model.settings import Settings

PRODUCE_TIMER, POLL_TIMER, COUNT_TIMER = "load.produce", "load.poll", "load.count"
PRODUCER, CONSUMER = "producer ", "consumer "
"""Before the names of the two clients' own timers."""
COUNT_MS = 1000
FIRST_COUNT_MS = 1250
"""Between the instants at which records become due at a low rate, so that none of them is counted as waiting."""
LINGER_MS = 50
"""Between two requests of a client at least: what becomes due meanwhile goes in one batch. Kafka's linger.ms."""
POLL_WAIT_MS = 500
"""How long a broker holds an empty answer. Kafka's fetch.max.wait.ms."""
BATCH_MAX = 1000
"""Records in a request, and records without an answer at most: while nobody answers, no more become due."""
IN_FLIGHT = 5
"""Requests of the producer on their way. Kafka's max.in.flight.requests.per.connection."""
KEPT_MAX = 10_000
"""Acknowledged records that are held against what is read."""
VALUE = "load"
OF_CONSUMER = 1 << 31
"""Added to the correlations of the consumer, which shares its connections with the producer."""


@dataclass(slots=True)
class Tally:
    """What the work has reached since it began."""

    acked: int = 0
    failed: int = 0
    unknown: int = 0
    lost: int = 0
    latencies_ms: list[int] = field(default_factory=list)
    """Of the requests answered since the last count."""

    def share_ms(self, percent: int) -> int:
        """Nearest rank; -1 when nothing was answered."""
        ranked = sorted(self.latencies_ms)
        return ranked[max(0, ceil(len(ranked) * percent / 100) - 1)] if ranked else -1


class Load:
    """Has two clients do one small job after the other. A record becomes due at each tick of its rate."""

    def __init__(
        self,
        number: int,
        node_id: NodeId,
        brokers: tuple[NodeId, ...],
        controllers: tuple[NodeId, ...],
        settings: Settings,
        *,
        first_correlation: int = 0,
    ) -> None:
        """`number`: stands in the names of both clients."""
        self.producer_id, self.consumer_id = f"{CLIENT}producer-{number}", f"{CLIENT}consumer-{number}"
        self._producer, self._consumer = (
            Client(name, node_id, brokers, controllers, settings, first_correlation=first)
            for name, first in (
                (self.producer_id, first_correlation),
                (self.consumer_id, first_correlation + OF_CONSUMER),
            )
        )
        self._poll_wait_ms = min(POLL_WAIT_MS, settings.request_timeout_ms // 2)
        self.topic_partition = TopicPartition("", 0)
        self._rate_per_s, self._acks = 0, -1
        self._begun_ms, self._due_before = 0, 0
        """Since when records become due at this rate, and how many had become due before."""
        self._made, self._sent_ms = 0, -LINGER_MS
        """Records handed to the producer, and when the last of them were."""
        self._on_way: dict[int, tuple[int, int, int]] = {}
        """Request -> first record, how many, and when it began."""
        self._position: Offset = 0
        self._tally = Tally()
        self._acked: dict[Offset, int] = {}
        """Number of the record that was acknowledged at an offset, the newest ones."""
        self.idle = True

    def waits_for(self, node: NodeId) -> bool:
        """Whether a request that can be lost is on its way to that node."""
        return self._producer.waits_for(node) or self._consumer.waits_for(node)

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        match happened:
            case ClientRequest():
                effects = self._begin(happened, now_ms)
            case TimerFired(name=name) if name == COUNT_TIMER:
                effects = [*self._count(now_ms), SetTimer(COUNT_TIMER, COUNT_MS)]
            case TimerFired(name=name) if name.startswith(PRODUCER):
                effects = self._to_producer(TimerFired(name=name.removeprefix(PRODUCER)), now_ms)
            case TimerFired(name=name) if name.startswith(CONSUMER):
                effects = self._to_consumer(TimerFired(name=name.removeprefix(CONSUMER)), now_ms)
            case TimerFired(name=name) if name == POLL_TIMER:
                effects = self._poll(now_ms)
            case Received(correlation=correlation) if correlation & OF_CONSUMER:
                self._look_at(happened)
                effects = self._to_consumer(happened, now_ms)
            case Received():
                effects = self._to_producer(happened, now_ms)
            case Disconnected():
                effects = [*self._to_producer(happened, now_ms), *self._to_consumer(happened, now_ms)]
            case _:
                effects = []
        return [*effects, *self._go_on(now_ms)]

    def _begin(self, asked: ClientRequest, now_ms: int) -> list[Effect]:
        """Go to work, go on at another rate, or come to an end."""
        given = asked.arguments
        self._due_before, self._begun_ms = self._due(now_ms), now_ms
        self._rate_per_s = int(given["rate_per_s"])
        if not self._rate_per_s:
            self._due_before = self._made
            return [CancelTimer(POLL_TIMER)]
        was_idle, self.idle, self._acks = self.idle, False, int(given["acks"])
        self.topic_partition = TopicPartition(str(given["topic"]), int(given["partition"]))
        topic, partition = self.topic_partition
        started = LoadStarted(
            producer_id=self.producer_id,
            consumer_id=self.consumer_id,
            topic=topic,
            partition=partition,
            rate_per_s=self._rate_per_s,
            acks=self._acks,
        )
        counting: list[Effect] = [SetTimer(COUNT_TIMER, FIRST_COUNT_MS)] if was_idle else []
        return [Emit(started), *counting, *(self._poll(now_ms) if self._consumer.idle else [])]

    def _due(self, now_ms: int) -> int:
        """Records that have become due. The first one is due when the work begins."""
        since = (now_ms - self._begun_ms) * self._rate_per_s // 1000 + 1 if self._rate_per_s else 0
        if self._due_before + since > self._made + BATCH_MAX:
            self._due_before, self._begun_ms, since = self._made + BATCH_MAX - 1, now_ms, 1
        return self._due_before + since

    def _go_on(self, now_ms: int) -> list[Effect]:
        """Send what is due; be done when nothing is left after the end."""
        if self.idle:
            return []
        due = min(self._due(now_ms) - self._made, BATCH_MAX - self._open_count)
        sending: list[Effect] = []
        if due > 0 and now_ms >= self._sent_ms + LINGER_MS:
            sending = self._produce(due, now_ms)
        if self._rate_per_s:
            next_ms = self._begun_ms - (-(self._made - self._due_before) * 1000 // self._rate_per_s)
            wait_ms = max(next_ms, self._sent_ms + LINGER_MS) - now_ms
            return [*sending, SetTimer(PRODUCE_TIMER, wait_ms if wait_ms > 0 else LINGER_MS)]
        if not (self._producer.idle and self._consumer.idle):
            return []
        self.idle = True
        ended = LoadEnded(topic=self.topic_partition.topic, partition=self.topic_partition.partition)
        timers = [CancelTimer(name) for name in (PRODUCE_TIMER, COUNT_TIMER)]
        return [*self._count(now_ms), Emit(ended), *timers]

    def _produce(self, count: int, now_ms: int) -> list[Effect]:
        self._sent_ms = now_ms
        arguments: dict[str, str | int] = {
            "topic": self.topic_partition.topic,
            "partition": self.topic_partition.partition,
            "acks": self._acks,
            "value": VALUE,
            "count": count,
            "batch": BATCH_MAX,
            "in_flight": IN_FLIGHT,
            "made": self._made,
        }
        self._made += count
        return self._to_producer(ClientRequest(operation="produce", arguments=arguments), now_ms)

    def _poll(self, now_ms: int) -> list[Effect]:
        if not self._rate_per_s or not self._consumer.idle:
            return []
        arguments: dict[str, str | int] = {
            "topic": self.topic_partition.topic,
            "partition": self.topic_partition.partition,
            "offset": self._position,
            "max_wait_ms": self._poll_wait_ms,
        }
        return self._to_consumer(ClientRequest(operation="consume", arguments=arguments), now_ms)

    @property
    def _open_count(self) -> int:
        """Records that the producer has, without an answer."""
        return self._made - self._tally.acked - self._tally.failed - self._tally.unknown

    def _to_producer(self, happened: Input, now_ms: int) -> list[Effect]:
        effects, tally = self._producer.handle(happened, now_ms), self._tally
        for event in _told(effects):
            match event:
                case OperationInvoked(operation_id=operation_id):
                    shown = [_number(text.encode()) or 0 for text in event.value.split(" to ")]
                    self._on_way[operation_id] = shown[0], shown[-1] - shown[0] + 1, now_ms
                case OperationSucceeded(operation_id=operation_id):
                    first, count, sent_ms = self._on_way.pop(operation_id)
                    tally.acked += count
                    tally.latencies_ms.append(now_ms - sent_ms)
                    self._keep(event.base_offset, first, count)
                case OperationFailed(operation_id=operation_id):
                    tally.failed += self._on_way.pop(operation_id)[1]
                case OperationUnknown(operation_id=operation_id):
                    tally.unknown += self._on_way.pop(operation_id)[1]
        if self._producer.idle:
            tally.failed += self._open_count  # what it gave up before it was sent
        return _under(PRODUCER, effects)

    def _to_consumer(self, happened: Input, now_ms: int) -> list[Effect]:
        was_idle = self._consumer.idle
        effects = self._consumer.handle(happened, now_ms)
        for event in _told(effects):
            if isinstance(event, OperationSucceeded):
                start, count = event.stretches[-1] if event.stretches else (event.base_offset, event.count)
                self._position = start + count
        if self._rate_per_s and self._consumer.idle and not was_idle:
            return [*_under(CONSUMER, effects), SetTimer(POLL_TIMER, LINGER_MS)]
        return _under(CONSUMER, effects)

    def _keep(self, base_offset: Offset, first: int, count: int) -> None:
        """Note what was acknowledged where. An offset that had another record before shows that this one is lost."""
        if base_offset < 0:
            return
        for place in range(count):
            self._compare(base_offset + place, first + place)
            self._acked[base_offset + place] = first + place
        while len(self._acked) > KEPT_MAX:
            del self._acked[next(iter(self._acked))]

    def _compare(self, offset: Offset, number: int | None) -> None:
        """`number`: of the record that is there; None for a record of somebody else."""
        if self._acked.get(offset, number) != number:
            del self._acked[offset]
            self._tally.lost += 1

    def _look_at(self, happened: Received) -> None:
        """Hold what a broker answers the consumer against what was acknowledged, and find out where it can go on."""
        answer = happened.message
        if not isinstance(answer, FetchResponse):
            return
        if answer.error == ErrorCode.OFFSET_OUT_OF_RANGE and 0 <= answer.log_end_offset < self._position:
            self._position = answer.log_end_offset
        if answer.error or not is_intact(answer.records):
            return
        for _, data in readable(answer):
            for offset, record in numbered_records(data) if data else ():
                self._compare(offset, _number(record.value or b""))

    def _count(self, now_ms: int) -> list[Effect]:
        tally = self._tally
        counted = LoadCounted(
            topic=self.topic_partition.topic,
            partition=self.topic_partition.partition,
            acked_count=tally.acked,
            failed_count=tally.failed,
            unknown_count=tally.unknown,
            lost_count=tally.lost,
            waiting_count=self._due(now_ms) - self._made + self._open_count,
            p50_ms=tally.share_ms(50),
            p99_ms=tally.share_ms(99),
            position=self._position,
        )
        tally.latencies_ms.clear()
        return [Emit(counted)]


def _number(value: bytes) -> int | None:
    """Of a record that a workload wrote; None for another."""
    head, _, number = value.partition(b"-")
    return int(number) if head == VALUE.encode() and number.isdigit() else None


def _told(effects: Iterable[Effect]) -> list[object]:
    return [effect.event for effect in effects if isinstance(effect, Emit)]


def _under(name: str, effects: list[Effect]) -> list[Effect]:
    """The same effects, with timers that are one client's own."""
    renamed: list[Effect] = []
    for effect in effects:
        match effect:
            case SetTimer():
                renamed.append(SetTimer(name + effect.name, effect.delay_ms, effect.jitter_ms))
            case CancelTimer():
                renamed.append(CancelTimer(name + effect.name))
            case _:
                renamed.append(effect)
    return renamed
