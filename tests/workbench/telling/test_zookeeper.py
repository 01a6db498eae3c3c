"""Sentences of ZooKeeper's era: paths and what znodes hold come from anybody."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from tests.support.traces.story import Story
from workbench.telling.tell import describe


def told(event: Any, node: int = 101) -> str:
    story = Story()
    story.say(node, event)
    return describe(story.entries[-1])


def test_a_refused_push_names_the_error_and_the_epoch() -> None:
    refused = ev.PushRefused(kind="LeaderAndIsr", controller_id=1, controller_epoch=1, error=11)
    assert told(refused, 2) == "REFUSES LeaderAndIsr of n1, controller epoch 1: STALE_CONTROLLER_EPOCH"


def test_a_session_that_ends_names_what_goes_with_it() -> None:
    ended = ev.SessionEnded(session_id=4, client=1, why="expired", ephemerals=("/brokers/ids/1", "/controller"))
    assert told(ended) == "session 4 of n1 EXPIRED: /brokers/ids/1, /controller gone with it"


def test_what_a_znode_holds_cannot_write_to_the_terminal() -> None:
    data = "\x1b[31mred\n" + "x" * 500
    said = told(ev.ZNodeWritten(kind="created", path="/a\x1b", version=0, zxid=1, client=1001, data=data))
    assert "\x1b" not in said and "\n" not in said and len(said) < 300
    assert "by a tool" in said


def test_a_look_at_the_brokers_says_what_differs() -> None:
    seen = ev.BrokersFound(new=(3,), dead=(), bounced=(2,), controller_epoch=1)
    assert told(seen, 1) == "reads /brokers/ids: new n3; bounced n2"
    assert told(ev.BrokersFound(new=(), dead=(), bounced=(), controller_epoch=1), 1).endswith("as before")
