"""Decisions of ZooKeeper's era that do not follow from their numbers."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from cluster.model.messages.zookeeper import ZooKeeperCode
from cluster.model.ruling import Numbers
from tests.support.traces.decided import Case, cases, is_wrong, judged

PUSHED = {"controller_epoch": 3, "known_controller_epoch": 3, "broker_epoch": 20, "own_broker_epoch": 20}
OBEYED = ev.PushObeyed(kind="LeaderAndIsr", controller_id=1, controller_epoch=3, partitions=1)
NOT_OBEYED = ev.PushRefused(
    kind="LeaderAndIsr", controller_id=1, controller_epoch=3, error=ErrorCode.STALE_CONTROLLER_EPOCH
)


def found(new: tuple[int, ...], dead: tuple[int, ...], bounced: tuple[int, ...] = ()) -> ev.BrokersFound:
    return ev.BrokersFound(new=new, dead=dead, bounced=bounced, controller_epoch=3)


def looked(known: dict[int, int], alive: dict[int, int]) -> Numbers:
    """Broker to broker epoch, before and now."""
    return {
        "known": list(known), "known epochs": list(known.values()), "alive": list(alive),
        "alive epochs": list(alive.values()),
    }  # fmt: skip


def refused(error: ZooKeeperCode, kind: str = "set") -> ev.ZNodeRefused:
    return ev.ZNodeRefused(kind=kind, path="/controller", error=error, client=1)


def decided(leader: int, isr: tuple[int, ...]) -> ev.PartitionDecided:
    return ev.PartitionDecided(
        topic="orders", partition=0, leader=leader, leader_epoch=5, partition_epoch=8, isr=isr, elr=(),
        replicas=(1, 2, 3), min_insync_replicas=1, why="", unclean=False,
    )  # fmt: skip


@cases(
    Case("obey_controller", OBEYED, PUSHED, ({"known_controller_epoch": 4}, {"own_broker_epoch": 21}),
         ({"broker_epoch": -1}, {"own_broker_epoch": 19}, {"known_controller_epoch": 2})),
    Case("obey_controller", NOT_OBEYED, {**PUSHED, "known_controller_epoch": 4}, (PUSHED,),
         ({**PUSHED, "own_broker_epoch": 21},), granted=False),
    Case("compare_brokers", found((3,), (1,)), looked({1: 7, 2: 8}, {2: 8, 3: 9}),
         (looked({2: 8}, {2: 8, 3: 9}), looked({1: 7, 2: 8}, {2: 8}), looked({1: 7, 2: 8, 3: 9}, {2: 8, 3: 9}))),
    Case("compare_brokers", found((), (), (2,)), looked({2: 8}, {2: 9}),
         (looked({2: 8}, {1: 7, 2: 9}), looked({2: 8}, {2: 8}))),
    Case("compare_brokers", found((), ()), looked({2: 8}, {2: 8}), (looked({2: 8}, {}),), granted=False),
    Case("expire_session", ev.SessionEnded(session_id=1, client=1, why="expired", ephemerals=(), zxid=1),
         {"silence_ms": 500, "zookeeper.session.timeout.ms": 500}, ({"silence_ms": 499},)),
    Case("change_znode", refused(ZooKeeperCode.BAD_VERSION), {"version": 4, "expected_version": 3},
         ({"expected_version": 4}, {"expected_version": -1}, {"version": -1}), granted=False),
    Case("change_znode", refused(ZooKeeperCode.NO_NODE), {"version": -1, "expected_version": 3}, ({"version": 3},),
         granted=False),
    Case("change_znode", refused(ZooKeeperCode.NOT_EMPTY, "delete"), {"version": 4, "expected_version": 4}, (),
         granted=False),
    Case("shrink_without", decided(2, (2, 3)), {"isr": [1, 2, 3], "gone": [1], "leader": 2, "known_leader_epoch": 4},
         ({"gone": [3]}, {"leader": 3}, {"leader": 1}, {"known_leader_epoch": 5}, {"known_leader_epoch": 3})),
    Case("shrink_without", decided(-1, (1,)), {"isr": [1, 2], "gone": [1, 2], "leader": 1, "known_leader_epoch": 4},
         ({"isr": [2, 1]},)),
)  # fmt: skip
def test_a_decision_that_does_not_follow_from_its_numbers_is_found(case: Case) -> None:
    judged("Z8", case)


@cases(
    Case("obey_controller", OBEYED, PUSHED, (), granted=False),
    Case("compare_brokers", found((), ()), looked({2: 8}, {2: 8}), ()),
    Case("compare_brokers", found((), (), (3,)), looked({2: 8}, {2: 8}), ()),
    Case("change_znode", refused(ZooKeeperCode.NOT_EMPTY), {"version": 4, "expected_version": 4}, (), granted=False),
)
def test_what_nobody_does_is_found_whatever_was_compared(case: Case) -> None:
    is_wrong("Z8", case)
