"""What was done to a cluster, as a script that does it again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

from cluster.model.entry import Entry
from cluster.model.events import FaultApplied, FaultInjected, FaultReverted, ProcessStarted, RunStarted, TopicCreated
from cluster.model.settings import classroom_timing


class NoScript(Exception):
    """The run cannot be written as a script. The message says why, for people."""


def history_script(entries: Iterable[Entry], run: str) -> str:
    """Cluster, topics, then every fault that came into force and every one that ended, with the times as comments.

    NoScript for combined nodes, which the script language does not know. Source: cluster/scenario/README.md.
    """
    controllers: set[int] = set()
    brokers: set[int] = set()
    settings = ""
    steps: list[str] = []
    commands: dict[int, str] = {}
    start_ns = 0
    for entry in entries:
        start_ns = start_ns or entry.t_ns
        seconds = (entry.t_ns - start_ns) / 1e9
        match entry.event:
            case RunStarted(config=config):
                settings = _settings(config)
            case ProcessStarted(node_id=node, roles=roles):
                if len(roles) > 1:
                    raise NoScript("a script knows no nodes with both roles")
                (controllers if roles[0] == "controller" else brokers).add(node)
            case TopicCreated() as topic if not topic.topic.startswith("__"):
                # Where each replica went is the controller's choice again.
                steps.append(
                    f"topic {topic.topic} partitions={topic.partitions} replicas={min(3, len(brokers) or 1)} "
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
    found = []
    try:
        told = dict(json.loads(config or "{}"))
    except (ValueError, TypeError):
        return ""
    for name, value in told.items():
        if name in usual and value != usual[name]:
            found.append(f" {name}={('on' if value else 'off') if isinstance(value, bool) else value}")
    return "".join(found)
