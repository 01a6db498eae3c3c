"""What was done to a cluster, as a script that does it again."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass

from cluster.model.entry import Entry
from cluster.model.events import (
    FaultApplied,
    FaultInjected,
    FaultReverted,
    PartitionDecided,
    ProcessStarted,
    RunStarted,
    TopicCreated,
)
from cluster.model.settings import classroom_timing


@dataclass(frozen=True, slots=True)
class Deed:
    """One fault or heal of a run's past, to be done once more."""

    after_s: float
    """Since the deed before; 0 for the first."""
    command: str
    """As typed; empty for a heal."""
    heals: int
    """Number of the fault, counted among the deeds from 0, that is over with it; -1 for a fault."""


def deeds_of(entries: Iterable[Entry]) -> list[Deed]:
    """Every fault that came into force and every one that ended before the next run, in order."""
    deeds: list[Deed] = []
    commands: dict[int, str] = {}
    places: dict[int, int] = {}
    before_ns = 0
    for entry in entries:
        match entry.event:
            case FaultInjected(fault_id=number, command=command):
                commands[number] = command
                continue
            case FaultApplied(fault_id=number) if number in commands:
                deed = commands[number], -1
                places[number] = len(deeds)
            case FaultReverted(fault_id=number) if number in places:
                deed = "", places.pop(number)
            case _:
                continue
        after_s = (entry.t_ns - before_ns) / 1e9 if deeds else 0.0
        deeds.append(Deed(after_s, *deed))
        before_ns = entry.t_ns
    return deeds


class NoScript(Exception):
    """The run cannot be written as a script. The message says why, for people."""


def history_script(entries: Collection[Entry], run: str) -> str:
    """Cluster, topics, then every fault that came into force and every one that ended, with the times as comments.

    NoScript for combined nodes, which the script language does not know. Source: cluster/scenario/README.md.
    """
    controllers: set[int] = set()
    brokers: set[int] = set()
    settings = ""
    steps: list[str] = []
    commands: dict[int, str] = {}
    start_ns = 0
    replicas = {
        entry.event.topic: len(entry.event.replicas) for entry in entries if isinstance(entry.event, PartitionDecided)
    }
    for entry in entries:
        start_ns = start_ns or entry.t_ns
        seconds = (entry.t_ns - start_ns) / 1e9
        match entry.event:
            case RunStarted(config=config):
                settings = _settings(config)
            case ProcessStarted(node_id=node, roles=roles) if roles:
                if len(roles) > 1:
                    raise NoScript("a script knows no nodes with both roles")
                (controllers if roles[0] == "controller" else brokers).add(node)
            case TopicCreated() as topic if not topic.topic.startswith("__"):
                # Where each replica went is the controller's choice again.
                steps.append(
                    f"topic {topic.topic} partitions={topic.partitions} replicas={replicas.get(topic.topic, 1)} "
                    f"min-isr={topic.min_insync_replicas}"
                )
            case FaultInjected(fault_id=number, command=command):
                commands[number] = command
            case FaultApplied(fault_id=number) if number in commands:
                steps += [f"# {seconds:.3f} s: fault {number}", commands[number]]
            case FaultReverted(fault_id=number):
                steps += [f"# {seconds:.3f} s", f"try heal {number}"]
            case _:
                pass
    head = f"# The faults of run {run}. `try heal N` ends fault N when nothing else has."
    plan = f"cluster controllers={len(controllers)} brokers={len(brokers)} timing=classroom{settings}"
    return "\n".join((head, plan, *steps)) + "\n"


def _settings(config: str) -> str:
    """What differs from the classroom profile, as words of the cluster line."""
    usual = asdict(classroom_timing())
    words = []
    try:
        settings = dict(json.loads(config or "{}"))
    except (ValueError, TypeError, RecursionError):
        return ""
    for name, value in settings.items():
        if name in usual and value != usual[name]:
            words.append(f" {name}={('on' if value else 'off') if isinstance(value, bool) else value}")
    return "".join(words)
