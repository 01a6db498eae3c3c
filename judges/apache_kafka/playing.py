"""Plays one case in one world and notes the moments that are compared."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from cluster.lab import Lab
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.scenario.runner import NotStarted, ScriptRunner, StepReport
from cluster.scenario.script import ClusterPlan, Script, settings_of
from judges.apache_kafka.cases import SETTLE, Case, for_kafka
from judges.apache_kafka.jars import Jars
from judges.apache_kafka.lab import made
from judges.apache_kafka.states import Moment, answers_of
from workbench.runs.launch import process_launcher, simulated_launcher

SIMULATION, PROCESSES, KAFKA = WORLDS = ("simulation", "processes", "Kafka")
SLOW = {SIMULATION: 1.0, PROCESSES: 2.0, KAFKA: 4.0}
"""How many times the classroom's timers: one machine carries several Java processes beside other work."""


@dataclass(slots=True)
class Played:
    """What one world showed."""

    moments: list[Moment] = field(default_factory=list)
    failed: str = ""
    """The expectation of the script that did not hold, and what was seen; empty when all held."""
    checked: int = 0
    """Expectations of the script that held."""
    left_out: list[str] = field(default_factory=list)
    """Those that this world cannot be asked."""
    seconds: float = 0.0


async def played(case: Case, world: str, home: Path, jars: Jars, *, slow: float | None = None) -> Played:
    """One world. OSError when its cluster does not start."""
    result, began_s = Played(), monotonic()
    factor = SLOW[world] if slow is None else slow
    script = case.script
    if world == KAFKA:
        script, result.left_out = for_kafka(case)
    await _play(script, _launcher(case, world, home, jars, factor), result, case, factor)
    result.seconds = monotonic() - began_s
    return result


Launch = Callable[[ClusterPlan, str], Awaitable[Lab]]


def _launcher(case: Case, world: str, home: Path, jars: Jars, slow: float) -> Launch:
    if world == SIMULATION:
        return simulated_launcher(home, 0, slow)
    if world == PROCESSES:
        return process_launcher(home, slow)

    async def launch(plan: ClusterPlan, _title: str) -> Lab:
        controllers = plan.controllers if case.needs_quorum else 1
        lab = made(jars, plan, settings_of(plan, slow), controllers=controllers)
        try:
            await lab.begin()
        except BaseException:
            await lab.close()
            raise
        return lab

    return launch


async def _play(script: Script, launch: Launch, result: Played, case: Case, slow: float) -> None:
    last, acknowledged = "the beginning", Counter[tuple[TopicPartition, NodeId]]()

    def note(entry: Entry) -> None:
        event = entry.event
        if isinstance(event, ev.ProduceAnswered) and not event.error and event.acks:
            acknowledged[TopicPartition(event.topic, event.partition), entry.node] += event.count

    def report(step: StepReport) -> None:
        nonlocal last
        if step.kind == "do":
            last = step.text
        if not step.held:
            result.failed = f"{step.text}: {step.seen}"
        elif step.text == SETTLE:
            result.moments.append(
                Moment(last, answers_of(runner.state, quorum=case.needs_quorum, acknowledged=acknowledged))
            )
        elif step.kind in ("expect", "keep"):
            result.checked += 1

    runner = ScriptRunner(script, launch, report, title=f"against Kafka: {case.name}"[:80], slow=slow)
    runner.on_entry = note
    try:
        await runner.run()
    except NotStarted as error:
        result.failed = f"the cluster did not start: {error}"
    finally:
        for folder in runner.run_folders:
            if folder.name.startswith("kraft-workbench-kafka-"):
                shutil.rmtree(folder, ignore_errors=True)
