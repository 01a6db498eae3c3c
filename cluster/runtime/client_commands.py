"""Commands that built-in clients carry out: produce, consume, topic, elect."""

from __future__ import annotations

import asyncio
from typing import TypeAlias

from cluster.faults.catalogue import Consume, CreateTopic, Elect, Produce
from cluster.lab import Answer
from cluster.model.identifiers import TopicPartition
from cluster.runtime.lab_state import CommandRefused, LabState

KINDS = (Produce, Consume, CreateTopic, Elect)
ClientCommand: TypeAlias = Produce | Consume | CreateTopic | Elect
BROKERS_SECONDS = 5.0
POLL_SECONDS = 0.01


async def carry_out(lab: LabState, command: ClientCommand) -> Answer:
    """Check what can be checked from here, then let a client do it."""
    assert lab.clients is not None
    if isinstance(command, CreateTopic):
        await _wait_for_brokers(lab, command)
    else:
        await _must_exist(lab, command.topic_partition)
    return await lab.clients.run(command)


async def _wait_for_brokers(lab: LabState, command: CreateTopic) -> None:
    """A topic asked for while brokers are still registering gets a moment of patience, not a refusal."""
    wanted = set(command.assign) or set(lab.facts.brokers)
    if len(lab.facts.brokers) < command.replicas:
        raise CommandRefused(f"{command.replicas} replicas need as many brokers, there are {len(lab.facts.brokers)}")
    if unknown := sorted(wanted - set(lab.facts.brokers)):
        raise CommandRefused(f"no broker {unknown[0]}; there are {', '.join(map(str, lab.facts.brokers))}")
    loop = asyncio.get_running_loop()
    deadline = loop.time() + BROKERS_SECONDS
    while loop.time() < deadline:
        nodes = lab.cluster().nodes
        running = {node for node in wanted if node in lab.supervisor.nodes and not lab.supervisor.nodes[node].is_paused}
        if all(node in nodes and nodes[node].fenced is False for node in running):
            return
        await asyncio.sleep(POLL_SECONDS)


async def _must_exist(lab: LabState, topic_partition: TopicPartition) -> None:
    """A topic that nobody created would only be found missing after the client's whole patience."""
    topics = lab.cluster().topics
    topic, partition = topic_partition
    if topic not in topics:
        known = f"there are {', '.join(sorted(topics))}" if topics else f"create it: topic {topic}"
        raise CommandRefused(f"no topic {topic}; {known}")
    if partition >= topics[topic]:
        raise CommandRefused(f"topic {topic} has partitions 0 to {topics[topic] - 1}")
