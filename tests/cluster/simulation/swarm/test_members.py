"""The swarm keeps as many members at work as planned, whatever it does to them."""

from __future__ import annotations

from random import Random

import pytest

from cluster.faults.grammar import parse_command
from cluster.simulation.swarm.members import SwarmMembers
from cluster.simulation.swarm.planned import PlannedGroup


@pytest.mark.parametrize(("protocol", "assignor"), [("classic", "sticky"), ("consumer", "uniform")])
def test_as_many_members_as_planned_are_at_work(protocol: str, assignor: str) -> None:
    sent: list[str] = []
    at_work: set[str] = set()

    def send(text: str) -> bool:
        parse_command(text)
        sent.append(text)
        words = text.split()
        if words[0] == "consume":
            at_work.add(next(word for word in words if word.startswith("member=")).removeprefix("member="))
        elif words[2] in ("leave", "kill"):
            at_work.discard(words[1])
        return True

    members = SwarmMembers(Random(1), send, PlannedGroup("swarm", ("orders",), 3, protocol, assignor))
    for _ in range(500):
        members.look()
    assert len(at_work) in (2, 3), "one may just have gone"
    assert {text.split()[-1] for text in sent if text.startswith("member")} == {
        "leave", "kill", "pause", "resume", "commit",
    }  # fmt: skip


def test_a_topic_that_is_not_there_yet_is_asked_for_again() -> None:
    asked: list[str] = []

    def refuse(text: str) -> bool:
        asked.append(text)
        return False

    group = PlannedGroup("swarm", ("orders",), 2, "classic", "range")
    members = SwarmMembers(Random(1), refuse, group)
    members.look()
    members.look()
    assert len(asked) == 2
