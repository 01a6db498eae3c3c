"""librdkafka at the brokers: records a second to one broker and replicated, and from a producer to a consumer.

The client is confluent-kafka in this process with its default batching and 5 ms to fill a batch. What it says it has
sent is held against the offsets that the brokers tell afterwards.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

from benchmarks.idle import cpu_seconds
from benchmarks.living import Living, living
from benchmarks.report import Aim, line, percentile

PARTITIONS = 3
ROUNDS = 5
SIZES = {100: 600_000, 1024: 150_000}
"""Bytes of a record to records of one round."""
QUEUE = {"queue.buffering.max.messages": 1_000_000, "queue.buffering.max.kbytes": 1 << 20}
REPLICATED_100 = Aim(300_000, 600_000)
BROKER_CPU = Aim(None, 40, higher_is_better=False)
LATENCY_RECORDS = 1_000
SETTLE_S = 60.0


def run() -> None:
    """Measure, or say why not."""
    try:
        import confluent_kafka
    except ImportError:
        print("  confluent-kafka is not installed: pip install -e '.[clients]'")
        return
    asyncio.run(_run(confluent_kafka))


async def _run(ck: Any) -> None:
    async with living() as cluster:
        for replicas in (1, PARTITIONS):
            for size, count in SIZES.items():
                await _throughput(ck, cluster, replicas, size, count)
        await _latency(ck, cluster)


async def _throughput(ck: Any, cluster: Living, replicas: int, size: int, count: int) -> None:
    """The median of a few rounds, each to a topic of its own; the first warms up."""
    rates, loads = [], []
    for number in range(ROUNDS + 1):
        topic = f"r{replicas}-{size}-{number}"
        one = " assign=1" if replicas == 1 else f" replicas={replicas} min-isr=2"
        answer = await cluster.lab.send(f"topic {topic} partitions={PARTITIONS}{one}")
        assert answer.ok, answer.text
        pids = cluster.pids()
        brokers = [pids[node] for node in cluster.facts.brokers]
        before, began_s = [cpu_seconds(pid) for pid in brokers], time.monotonic()
        await asyncio.to_thread(_produce, ck, ",".join(cluster.facts.bootstrap), topic, size, count)
        took_s = time.monotonic() - began_s
        if number:
            rates.append(count / took_s)
            spent = [cpu_seconds(pid) - was for pid, was in zip(brokers, before, strict=True)]
            loads.append(100 * max(spent) / took_s)
    rate, load = percentile(rates, 0.5), percentile(loads, 0.5)
    where = "one broker" if replicas == 1 else f"RF {replicas}, acks=all"
    aim = REPLICATED_100 if (replicas, size) == (PARTITIONS, 100) else None
    note = f"{rate * size / 1e6:,.0f} MB/s; {min(rates):,.0f} to {max(rates):,.0f} in {ROUNDS} rounds"
    line(f"librdkafka, {size} B, {where}", rate, "records/s", aim, note)
    line("  busiest broker", load, "% of a core", BROKER_CPU if aim else None)


def _produce(ck: Any, bootstrap: str, topic: str, size: int, count: int) -> None:
    producer = ck.Producer({"bootstrap.servers": bootstrap, "acks": -1, "linger.ms": 5} | QUEUE)
    value, produce = bytes(size), producer.produce
    for number in range(count):
        try:
            produce(topic, value, partition=number % PARTITIONS)
        except BufferError:
            producer.poll(0.05)
            produce(topic, value, partition=number % PARTITIONS)
    assert producer.flush(SETTLE_S) == 0
    consumer = ck.Consumer({"bootstrap.servers": bootstrap, "group.id": "none"})
    ends = [consumer.get_watermark_offsets(ck.TopicPartition(topic, each))[1] for each in range(PARTITIONS)]
    consumer.close()
    assert sum(ends) == count, f"{count} records were sent and {sum(ends)} are committed"


async def _latency(ck: Any, cluster: Living) -> None:
    """One record at a time, from the call of produce to its arrival at a consumer that waits."""
    answer = await cluster.lab.send(f"topic latency replicas={PARTITIONS} min-isr=2")
    assert answer.ok, answer.text
    times_ms = await asyncio.to_thread(_measure, ck, ",".join(cluster.facts.bootstrap))
    note = f"p99 {percentile(times_ms, 0.99):.2f} ms of {len(times_ms):,} records, one at a time, RF 3, acks=all"
    line("produce to consume, p50", percentile(times_ms, 0.5), "ms", None, note)


def _measure(ck: Any, bootstrap: str) -> list[float]:
    arrived = threading.Semaphore(0)
    times_ms: list[float] = []
    done = threading.Event()
    reading = threading.Thread(target=_read, args=(ck, bootstrap, arrived.release, times_ms, done))
    reading.start()
    producer = ck.Producer({"bootstrap.servers": bootstrap, "acks": -1, "linger.ms": 0})
    for _ in range(LATENCY_RECORDS):
        producer.produce("latency", str(time.monotonic_ns()))
        producer.poll(0)
        assert arrived.acquire(timeout=SETTLE_S), "the consumer hears nothing"
    done.set()
    reading.join()
    producer.flush(SETTLE_S)
    return times_ms[LATENCY_RECORDS // 10 :]


def _read(ck: Any, bootstrap: str, tell: Callable[[], None], times_ms: list[float], done: threading.Event) -> None:
    consumer = ck.Consumer({"bootstrap.servers": bootstrap, "group.id": "none", "fetch.wait.max.ms": 500})
    consumer.assign([ck.TopicPartition("latency", 0, 0)])
    while not done.is_set():
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            times_ms.append((time.monotonic_ns() - int(message.value())) / 1e6)
            tell()
    consumer.close()
