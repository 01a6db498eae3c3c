"""Z1 to Z3 on literal events: what a sound coordinator tells is quiet, and each lie is named."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.invariants.checker import check
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.story import Story


def written(path: str, kind: str, version: int, zxid: int, owner: int = 0) -> ev.ZNodeWritten:
    return ev.ZNodeWritten(kind=kind, path=path, version=version, zxid=zxid, owner=owner, client=1)


OPENED = ev.SessionOpened(session_id=1, client=1, timeout_ms=3000)
WATCHED = ev.WatchSet(path="/a", of_children=False, session_id=1, client=1)
FIRED = ev.WatchFired(path="/a", of_children=False, kind="changed", session_id=1, client=1)
ENDED = ev.SessionEnded(session_id=1, client=1, why="expired", ephemerals=("/e",), zxid=5)
SOUND: tuple[Any, ...] = (
    OPENED, written("/a", "created", 0, 2), WATCHED, written("/a", "changed", 1, 3), FIRED,
    written("/e", "created", 0, 4, owner=1), ENDED, written("/e", "deleted", 0, 5, owner=1),
)  # fmt: skip


def verdicts(*events: Any) -> dict[str, Verdict]:
    story = Story()
    for event in events:
        story.say(101, event)
    return {line.info.id: line.verdict for line in check(story.entries)}


def test_a_sound_coordinator_is_quiet() -> None:
    found = verdicts(*SOUND)
    assert [found[rule] for rule in ("Z1", "Z2", "Z3")] == [Verdict.HOLDS] * 3


@pytest.mark.parametrize(
    ("rule", "events"),
    [
        pytest.param("Z1", (*SOUND[:3], written("/a", "changed", 2, 3)), id="a version is left out"),
        pytest.param("Z1", (*SOUND[:2], written("/b", "created", 0, 1)), id="an older transaction comes later"),
        pytest.param("Z1", (*SOUND, ev.ZooKeeperStarted(zxid=2, znodes=1, sessions=0)), id="it forgets transactions"),
        pytest.param("Z2", (*SOUND[:5], FIRED), id="a watch fires twice"),
        pytest.param("Z2", (*SOUND[:4], written("/b", "created", 0, 4)), id="a watch is silent"),
        pytest.param("Z3", (*SOUND[:7], written("/b", "created", 0, 6), ENDED), id="an ephemeral znode stays"),
        pytest.param("Z3", (*SOUND, written("/f", "created", 0, 6, owner=1)), id="one comes in a session that is over"),
    ],
)
def test_what_may_not_be_is_named(rule: str, events: tuple[Any, ...]) -> None:
    assert verdicts(*events)[rule] is Verdict.VIOLATED
