"""Z4 to Z7 on literal events."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.invariants.checker import check
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.story import Story


def won(epoch: int) -> ev.ControllerRaceWon:
    return ev.ControllerRaceWon(controller_epoch=epoch, version=epoch - 1)


def obeyed(epoch: int) -> ev.PushObeyed:
    return ev.PushObeyed(kind="LeaderAndIsr", controller_id=1, controller_epoch=epoch, partitions=1)


def state(version: int, leader: int, leader_epoch: int, isr: str = "1,2") -> ev.ZNodeWritten:
    data = f'{{"controller_epoch":1,"leader":{leader},"version":1,"leader_epoch":{leader_epoch},"isr":[{isr}]}}'
    kind = "changed" if version else "created"
    path = "/brokers/topics/t/partitions/0/state"
    return ev.ZNodeWritten(kind=kind, path=path, version=version, zxid=version + 1, client=1, data=data)


def applied(version: int, leader: int, leader_epoch: int) -> ev.PartitionApplied:
    return ev.PartitionApplied(
        topic="t", partition=0, leader=leader, leader_epoch=leader_epoch, partition_epoch=version, isr=(1, 2), elr=(),
        replicas=(1, 2), min_insync_replicas=1,
    )  # fmt: skip


def verdicts(*told: tuple[int, Any]) -> dict[str, Verdict]:
    story = Story()
    for node, event in told:
        story.say(node, event)
    return {line.info.id: line.verdict for line in check(story.entries)}


def test_what_is_sound_is_quiet() -> None:
    found = verdicts((1, won(1)), (2, won(2)), (3, obeyed(1)), (3, obeyed(2)), (101, state(0, 1, 0)),
                     (101, state(1, 2, 1)), (3, applied(0, 1, 0)), (3, applied(1, 2, 1)))  # fmt: skip
    assert [found[rule] for rule in ("Z4", "Z5", "Z6", "Z7")] == [Verdict.HOLDS] * 4


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        pytest.param("Z4", ((1, won(1)), (2, won(1))), id="two controllers of one epoch"),
        pytest.param("Z5", ((3, obeyed(2)), (3, obeyed(1))), id="a zombie is obeyed"),
        pytest.param("Z6", ((101, state(0, 1, 0)), (3, applied(0, 2, 0))), id="another leader than was written"),
        pytest.param("Z6", ((101, state(0, 1, 0)), (3, applied(4, 1, 0))), id="a version that never was"),
        pytest.param("Z7", ((101, state(0, 1, 3)), (101, state(1, 2, 3))), id="two leaders of one leader epoch"),
        pytest.param("Z7", ((101, state(0, 1, 3)), (101, state(1, 1, 2))), id="a leader epoch falls"),
        pytest.param("Z7", ((101, state(0, 1, 3)), (101, state(1, 3, 4))), id="a leader outside its ISR"),
    ],
)
def test_what_may_not_be_is_named(rule: str, told: tuple[tuple[int, Any], ...]) -> None:
    assert verdicts(*told)[rule] is Verdict.VIOLATED
