"""The picture of ZooKeeper's era from literal events."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.picture.cluster_state import ClusterState
from tests.support.traces.story import Story


def written(path: str, kind: str, zxid: int, client: int, data: str = "") -> ev.ZNodeWritten:
    return ev.ZNodeWritten(kind=kind, path=path, version=0, zxid=zxid, owner=1, client=client, data=data)


def test_znodes_say_who_is_in_service_and_who_controls() -> None:
    story, state = Story(), ClusterState()
    story.say(101, ev.SessionOpened(session_id=1, client=2, timeout_ms=3000))
    story.say(101, written("/brokers/ids/2", "created", 2, 2))
    story.say(101, written("/controller", "created", 3, 2))
    story.say(101, written("/controller_epoch", "created", 3, 2, data="1"))
    story.say(2, ev.ControllerRaceWon(controller_epoch=1, version=0))
    state.apply_all(story.entries)
    zookeeper = state.zookeeper
    assert (state.node(2).fenced, state.node(2).broker_epoch) == (False, 2)
    assert (zookeeper.controller, zookeeper.controller_epoch, zookeeper.acting) == (2, 1, {2: 1})


def test_a_controller_that_does_not_know_its_end_is_still_acting() -> None:
    story, state = Story(), ClusterState()
    story.say(101, written("/controller", "created", 3, 2))
    story.say(2, ev.ControllerRaceWon(controller_epoch=1, version=0))
    story.say(101, written("/controller", "deleted", 4, -1))
    story.say(101, written("/controller", "created", 5, 3))
    story.say(3, ev.ControllerRaceWon(controller_epoch=2, version=1))
    state.apply_all(story.entries)
    assert state.zookeeper.controller == 3 and state.zookeeper.acting == {2: 1, 3: 2}
    story.say(2, ev.ControllerDeactivated(epoch=1, why="its session expired"))
    state.apply(story.entries[-1])
    assert state.zookeeper.acting == {3: 2}


def test_a_coordinator_that_is_back_says_which_ephemeral_znodes_live() -> None:
    story, state = Story(), ClusterState()
    for broker in (1, 2):
        story.say(101, written(f"/brokers/ids/{broker}", "created", broker, broker))
    story.say(101, ev.ZooKeeperStarted(zxid=3, znodes=1, sessions=1, ephemerals=("/brokers/ids/1",)))
    state.apply_all(story.entries)
    assert [state.node(broker).fenced for broker in (1, 2)] == [False, True]
