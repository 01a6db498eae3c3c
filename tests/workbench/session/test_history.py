"""What was done to a cluster, as a script."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from cluster.model import events as ev
from cluster.model.settings import classroom_timing
from cluster.scenario.parse import parse_script
from cluster.scenario.script import Do
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from workbench.session.history import NoScript, deeds_of, history_script


def run(config: str = "{}", *, combined: bool = False) -> story.Story:
    told = story.Story()
    told.say(0, ev.RunStarted(config=config, world="processes", title="Faults"))
    for node in (101, 102, 103, 1, 2):
        roles = ("controller", "broker") if combined else ("controller",) if node > 100 else ("broker",)
        told.say(0, ev.ProcessStarted(node_id=node, roles=roles, incarnation_number=0, pid=node))
    return told


def break_it(told: story.Story) -> None:
    """A kill that is healed, a cut that stays, a pause that never came into force."""
    for number, command, kind in ((1, "kill 1", "Kill"), (2, "cut 2>101,2>102", "CutLinks"), (3, "pause 7", "Pause")):
        fields = fault_fields(number, kind, command.partition(" ")[2])
        told.say(0, ev.FaultInjected(**fields, command=command))
        if number < 3:
            told.say(0, ev.FaultApplied(**fields))
    told.say(0, ev.FaultReverted(**fault_fields(1, "Kill", "1")))


def test_faults_and_their_ends_become_steps_that_the_script_language_reads() -> None:
    told = run(json.dumps(asdict(replace(classroom_timing(), elr=False, request_timeout_ms=2500))))
    told.say(101, ev.TopicCreated(topic="orders", topic_id=1, partitions=2, min_insync_replicas=2))
    for topic, replicas in (("orders", (2, 1)), ("lonely", (1,))):
        decided = ev.PartitionDecided(
            topic=topic, partition=0, leader=1, leader_epoch=0, partition_epoch=0, isr=replicas, elr=(),
            replicas=replicas, min_insync_replicas=1, why="created", unclean=False,
        )  # fmt: skip
        told.say(101, decided)
    told.say(101, ev.TopicCreated(topic="lonely", topic_id=2, partitions=1, min_insync_replicas=1))
    break_it(told)
    script = parse_script(history_script(told.entries, "r7"))
    (section,) = script.sections
    plan = section.plan
    assert plan is not None and (plan.controllers, plan.brokers) == (3, 2)
    assert dict(plan.overrides) == {"elr": False, "request_timeout_ms": 2500}
    steps = [(step.text, step.may_fail) for step in section.steps if isinstance(step, Do)]
    assert steps == [
        ("topic orders partitions=2 replicas=2 min-isr=2", False),
        ("topic lonely partitions=1 replicas=1 min-isr=1", False),
        ("kill 1", False),
        ("cut 2>101,2>102", False),
        ("heal 1", True),
    ], "a fault that never came into force is left out"


def test_a_run_of_combined_nodes_is_refused() -> None:
    with pytest.raises(NoScript, match="both roles"):
        history_script(run(combined=True).entries, "r7")


def test_deeds_are_what_came_into_force_and_ended_with_the_pauses_between() -> None:
    told = run()
    break_it(told)
    deeds = deeds_of(told.entries)
    assert [(deed.command, deed.heals) for deed in deeds] == [("kill 1", -1), ("cut 2>101,2>102", -1), ("", 0)]
    assert deeds[0].after_s == 0 and all(deed.after_s >= 0 for deed in deeds)


def test_a_trace_that_somebody_made_up_breaks_no_script() -> None:
    told = story.Story()
    told.say(0, ev.RunStarted(config="[" * 100_000, world="processes", title="odd"))
    told.say(0, ev.ProcessStarted(node_id=1, roles=(), incarnation_number=0, pid=1))
    assert "controllers=0 brokers=0 timing=classroom" in history_script(told.entries, "odd")
