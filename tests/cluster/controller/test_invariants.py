"""Whatever brokers do, what the controller writes stays sane (invariants P10 and P11)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis.strategies import booleans, integers, lists, sampled_from, tuples

from cluster.model.identifiers import NO_NODE
from cluster.model.metadata_records import PartitionRecord
from cluster.model.partition_state import PartitionState
from cluster.model.settings import Settings
from tests.support.worlds.controller_driver import three_brokers

ACTIONS = sampled_from(["kill", "lose", "return", "leave", "beat", "expand", "shrink", "prefer", "unclean"])


def check(before: PartitionState, after: PartitionState, elr: bool, unclean: bool) -> None:
    assert after.partition_epoch == before.partition_epoch + 1
    assert after.leader_epoch == before.leader_epoch + (1 if after.leader != before.leader else 0)
    assert set(after.isr) <= set(after.replicas)
    assert after.leader == NO_NODE or after.leader in after.isr
    assert not set(after.isr) & set(after.elr)
    assert after.isr or elr
    if len(after.isr) >= after.min_insync_replicas:
        assert after.elr == ()
    if after.recovering:
        assert len(after.isr) <= 1, "none, when the recovering leader is fenced and eligible to come back"
    if not unclean and after.leader not in (NO_NODE, before.leader):
        assert after.leader in before.isr + before.elr


@settings(deadline=None, max_examples=60)
@given(
    steps=lists(tuples(ACTIONS, integers(1, 3)), max_size=25),
    elr=booleans(),
    unclean=booleans(),
    minimum=integers(1, 3),
)
def test_every_partition_record_follows_from_the_one_before(
    steps: list[tuple[str, int]], elr: bool, unclean: bool, minimum: int
) -> None:
    driver = three_brokers(Settings(elr=elr, unclean_leader_election=unclean), minimum)
    for action, broker in steps:
        leader = driver.partition.leader
        match action:
            case "kill":
                driver.kill(broker)
            case "lose" | "return" if broker not in driver.image.unfenced_brokers():
                driver.join(broker, clean=action == "return")
            case "leave":
                driver.heartbeat(broker, leave=True)
            case "beat":
                driver.heartbeat(broker)
            case "expand" if leader != NO_NODE:
                driver.alter(leader, *sorted({*driver.partition.isr, broker}))
            case "shrink" if leader != NO_NODE:
                driver.alter(leader, *sorted({*driver.partition.isr, leader} - ({broker} - {leader})))
            case "prefer" | "unclean":
                driver.elect(unclean=action == "unclean")
    states = [record.state for record in driver.records if isinstance(record, PartitionRecord)]
    asked_unclean = unclean or elr or any(action == "unclean" for action, _ in steps)
    for before, after in zip(states, states[1:], strict=False):
        check(before, after, elr, asked_unclean)
