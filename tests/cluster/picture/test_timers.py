"""Timers that run on nodes, as events tell of them."""

from __future__ import annotations

import pytest

from cluster.model import events as ev
from tests.support.traces.seen import MS, Seen


@pytest.fixture
def seen() -> Seen:
    return Seen()


def role(name: str, leader: int = -1) -> ev.RoleChanged:
    return ev.RoleChanged(role=name, epoch=2, leader_id=leader, voted_for=-1, why="test")


def started(config: str) -> ev.RunStarted:
    return ev.RunStarted(config=config, world="simulated", title="test")


def beat(seen: Seen, at_ms: int, node: int = 101) -> None:
    heard = ((1, "BrokerHeartbeatRequest", 1, 0, at_ms * MS, at_ms * MS, "", -1, ()),)
    seen.tell(at_ms + 100, node, ev.TrafficSeen(since_ns=at_ms * MS, until_ns=(at_ms + 100) * MS, heard=heard))


def test_a_timer_drains_from_its_event_on_and_begins_anew(seen: Seen) -> None:
    first = seen.tell(100, 102, ev.TimerSet(timer="fetch", length_ms=333))
    seen.tell(400, 102, ev.TimerSet(timer="fetch", length_ms=333))
    (timer,) = seen.state.timers.of(102)
    assert [timer.left_ms(at * MS) for at in (400, 600, 800)] == [333, 133, 0]
    (before,) = seen.state.timers.of(102, 399 * MS)
    assert (before.left_ms(300 * MS), before.told_by) == (133, first.id)
    assert seen.state.timers.of(102, 99 * MS) == seen.state.timers.of(103) == []


def test_a_role_ends_the_timers_of_the_role_before(seen: Seen) -> None:
    seen.tell(0, 102, role("follower", 101))
    seen.tell(0, 102, ev.TimerSet(timer="fetch", length_ms=333))
    seen.tell(400, 102, role("candidate"))
    seen.tell(400, 102, ev.TimerSet(timer="election", length_ms=271))
    assert [(timer.name, timer.length_ms) for timer in seen.state.timers.of(102)] == [("election", 271)]
    seen.tell(500, 102, role("leader", 102))
    seen.tell(500, 102, ev.TimerSet(timer="check_quorum", length_ms=499))
    assert [timer.name for timer in seen.state.timers.of(102)] == ["check_quorum"]
    seen.tell(600, 0, ev.ProcessExited(node_id=102, incarnation_number=0, exit_code=-9, expected=True))
    assert seen.state.timers.of(102) == []


def test_a_session_begins_anew_with_each_heartbeat_that_the_active_controller_hears(seen: Seen) -> None:
    seen.tell(0, 0, started('{"broker_session_timeout_ms": 1500}'))
    seen.tell(10, 101, ev.ControllerActivated(epoch=1))
    beat(seen, 1_000)
    beat(seen, 1_300, node=102)
    (session,) = seen.state.timers.of(1)
    assert (session.name, session.left_ms(2_000 * MS)) == ("session", 500)
    fenced = ev.BrokerFenced(broker_id=1, broker_epoch=4, why="session expired")
    seen.tell(2_600, 101, fenced)
    assert seen.state.timers.of(1) == []


@pytest.mark.parametrize("config", ["", "no json", "[]", '{"broker_session_timeout_ms": "long"}', "{}"])
def test_settings_that_make_no_sense_give_no_session(seen: Seen, config: str) -> None:
    seen.tell(0, 0, started(config))
    seen.tell(10, 101, ev.ControllerActivated(epoch=1))
    beat(seen, 1_000)
    assert seen.state.timers.of(1) == []
