"""Events that a lesson's conditions and values ask for."""

from __future__ import annotations

from pathlib import Path

from cluster.model.events import CATALOGUE
from tests.support.worlds.steps_lesson import steps_lesson
from workbench.course.asked_events import asked_events


def test_they_are_found_in_conditions_and_in_texts(tmp_path: Path) -> None:
    def asked(*changes: tuple[str, str]) -> set[str]:
        return {name for name, kind in CATALOGUE.items() if kind in asked_events(steps_lesson(tmp_path, *changes))}

    assert asked() == {"ctl.partition_changed"}, "in a reveal; a hold waits for an event without counting any"
    in_each_place = (
        ("when: leader orders-0 = 2", "when: events proc.exited = 1"),
        ("why: Broker 2 was in the ISR.", "why: {events ctl.broker_fenced} times."),
        ("hold when log_end", "hold when events rep.appended > 0 and log_end"),
        ("look: events: Two", "look: events: {events part.became_leader}. Two"),
        ("done when: isr", "done when: events ctl.broker_unfenced > 3 and isr"),
        ("reveal if leader", "reveal if events part.became_follower = 7 and leader"),
    )
    assert asked(*in_each_place) == {
        "ctl.partition_changed",
        "proc.exited",
        "ctl.broker_fenced",
        "rep.appended",
        "part.became_leader",
        "ctl.broker_unfenced",
        "part.became_follower",
    }
