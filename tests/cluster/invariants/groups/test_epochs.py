"""GR11: members of the newer protocol and their epochs, by hand and in storms of members that come and go."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from cluster.groups.consumer import step as consumer_step
from cluster.groups.consumer.rules.reconciliation import reconcile
from cluster.groups.consumer.state import NOTHING, ConsumerMember
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from tests.support.traces.group_traces import GroupTrace
from tests.support.traces.traces import Trace
from tests.support.worlds.group_world import GroupWorld
from tests.support.worlds.newcomer import HEARTBEAT_MS, Newcomer


class EpochTrace(GroupTrace):
    """A group of the newer protocol by hand."""

    def step(self, member: str, epoch: int, *have: int, gives: tuple[int, ...] = (), target: int = 9) -> None:
        """A member is led one step further."""
        step = ev.ConsumerMemberReconciled(
            group="g", member_id=member, member_epoch=epoch, target_epoch=target, state="stable", offset=self._next(),
            assigned=tuple(("orders", index) for index in have), revoking=tuple(("orders", index) for index in gives),
        )  # fmt: skip
        self.add(1, step)

    def aim(self, epoch: int, **parts: tuple[int, ...]) -> None:
        """A target assignment."""
        rows = tuple((member, "orders", index) for member, part in parts.items() for index in part)
        aimed = ev.ConsumerGroupTargeted(
            group="g", group_epoch=epoch, assignor="uniform", offset=self._next(), members=tuple(parts),
            subscriptions=tuple((member, "orders") for member in parts), assignments=rows,
        )  # fmt: skip
        self.add(1, aimed)

    def loaded(self, node: int, epoch: int, members: dict[str, int], **held: tuple[int, ...]) -> None:
        """Another coordinator has read the group."""
        self.load(node, epoch=epoch, generation=2)
        rows = tuple((member, "orders", index) for member, part in held.items() for index in part)
        told = ev.ConsumerGroupLoaded(
            group="g", group_epoch=2, target_epoch=2, end_offset=self.log_end,
            members=tuple((member, member, number) for member, number in members.items()), held=rows,
        )  # fmt: skip
        self.add(node, told)


def reconciled() -> EpochTrace:
    trace = EpochTrace()
    trace.aim(1, a=(0, 1))
    trace.step("a", 1, 0, 1)
    trace.aim(2, a=(0,), b=(1,))
    trace.step("b", 2)
    trace.step("a", 1, 0, gives=(1,))
    trace.step("a", 2, 0)
    trace.step("b", 2, 1)
    return trace


def test_one_after_the_other_is_quiet_and_judged() -> None:
    trace = reconciled()
    trace.loaded(2, 1, {"a": 2, "b": 2}, a=(0,), b=(1,))
    assert trace.found() == {}
    assert trace.verdicts()["GR11"].verdict is Verdict.HOLDS


def test_a_partition_that_its_owner_has_yet_to_give_up_is_nobody_elses() -> None:
    trace = EpochTrace()
    trace.step("a", 1, 0, gives=(1,))
    trace.step("b", 2, 1)
    assert trace.found() == {"GR11": "two members of group g may have orders-1 at the same time"}


def test_an_epoch_that_goes_back_is_caught() -> None:
    trace = reconciled()
    trace.step("a", 1, 0)
    assert trace.found() == {"GR11": "a member of group g goes back from epoch 2 to 1"}


def test_an_epoch_that_goes_back_with_the_coordinator_is_caught() -> None:
    trace = reconciled()
    trace.loaded(2, 1, {"a": 1, "b": 2}, a=(0,), b=(1,))
    assert trace.found() == {"GR11": "a member of group g goes back from epoch 2 to 1"}


def test_an_epoch_beyond_its_target_is_caught() -> None:
    trace = EpochTrace()
    trace.step("a", 3, 0, target=2)
    assert trace.found() == {"GR11": "a member is in epoch 3, its target is of 2"}


def test_a_static_member_may_go_away_and_come_back() -> None:
    trace = reconciled()
    trace.step("a", -2, 0)
    trace.step("a", 2, 0)
    assert trace.found() == {}


def test_a_static_member_is_replaced_only_when_it_has_left_for_a_while() -> None:
    for epoch, found in ((-2, {}), (1, {"GR11": "a member of group g is replaced in epoch 1, and has not left"})):
        trace = EpochTrace()
        trace.step("a-1", epoch, 0)
        trace.leave("a", "replaced")
        assert trace.found() == found


def owning() -> EpochTrace:
    """One member has everything, and says so."""
    trace = EpochTrace()
    trace.join("a")
    trace.aim(1, **{"a-1": (0, 1)})
    trace.step("a-1", 1, 0, 1)
    trace.own("a", 0, 1)
    return trace


def test_a_member_that_the_log_says_is_out_may_be_succeeded() -> None:
    trace = owning()
    trace.loaded(2, 1, {})
    trace.join("b")
    trace.step("b-1", 3, 0, 1)
    trace.own("b", 0, 1)
    assert trace.found() == {}, "that it is out was committed after its coordinator had lost the leadership"


def test_a_member_that_the_log_says_is_in_may_not_be_succeeded() -> None:
    trace = owning()
    trace.loaded(2, 1, {"a-1": 1}, **{"a-1": (0, 1)})
    trace.join("b")
    trace.own("b", 0)
    assert trace.found() == {"GR3": "two members of group g own orders-0 at the same time"}


def test_a_member_whose_coming_only_the_log_tells_of_is_in() -> None:
    trace = owning()
    trace.loaded(2, 1, {"a-1": 1, "b-1": 2}, **{"a-1": (0, 1)})
    trace.own("b", 0)
    assert trace.found() == {"GR3": "two members of group g own orders-0 at the same time"}


def test_what_a_former_coordinator_reads_late_is_not_believed() -> None:
    trace = owning()
    then = trace.log_end
    trace.loaded(2, 2, {"a-1": 1}, **{"a-1": (0, 1)})
    trace.leave("a", "session_expired", silent_ms=1_000)
    trace.join("b")
    trace.step("b-1", 3, 0, 1)
    now, trace.log_end = trace.log_end, then
    trace.loaded(1, 1, {"a-1": 1}, **{"a-1": (0, 1)})
    trace.log_end = now
    trace.own("b", 0, 1)
    assert trace.found() == {}
    trace.step("a-1", 4, 0)
    assert trace.found() == {"GR11": "two members of group g may have orders-0 at the same time"}


def test_what_a_member_had_that_is_out_is_free() -> None:
    trace = reconciled()
    trace.add(1, ev.GroupMemberLeft(group="g", member_id="b", instance_id="", generation=3, why="left", silent_ms=0))
    trace.aim(3, a=(0, 1))
    trace.step("a", 3, 0, 1)
    assert trace.found() == {}


def test_a_target_gives_each_partition_once_and_none_is_left_out() -> None:
    trace = EpochTrace()
    trace.aim(1, a=(0, 1), b=(1,))
    assert trace.found() == {"GR1": "the target of group epoch 1 gives orders-1 to two members"}
    for first, second in (((0,), (2,)), ((0,), (1,))):
        trace = EpochTrace(partitions=3)
        trace.aim(1, a=first, b=second)
        assert trace.found() == {"GR2": "the target of group epoch 1 leaves out a partition of orders"}


def test_a_topic_that_the_coordinator_has_divided_before_is_not_left_out_whole() -> None:
    trace = EpochTrace()
    trace.aim(1, a=(0, 1))
    trace.aim(2, a=(), b=())
    assert trace.found() == {"GR2": "the target of group epoch 2 leaves out orders, which it knows"}


def test_another_coordinator_may_have_yet_to_hear_of_a_topic() -> None:
    trace = EpochTrace()
    trace.aim(1, a=(0, 1))
    trace.entries[-1].node = 2
    trace.aim(2, a=())
    assert trace.found() == {}


@pytest.mark.parametrize(
    ("waited_s", "exists", "is_caught"), [(2.5, True, False), (3.5, False, False), (3.5, True, True)]
)
def test_in_long_calm_no_topic_that_exists_is_left_out_whole(waited_s: float, exists: bool, is_caught: bool) -> None:
    trace = EpochTrace()
    trace.join("a")
    trace.aim(1, **{"a-1": ()})
    if exists:
        trace.write(0, 1)
    trace.start(1, "broker")
    trace.add(1, ev.ProcessReady(node_id=1, port=0))
    trace.exit(1)
    trace.entries[-1].t_ns += int(waited_s * 1e9)
    what = "orders is subscribed, and the target of group epoch 1 leaves it out after"
    assert trace.found().get("GR2", "").startswith(what) is is_caught


def test_a_group_epoch_that_goes_back_is_caught() -> None:
    trace = reconciled()
    trace.aim(1, a=(0, 1))
    assert trace.found() == {"GR4": "group g goes back from group epoch 2 to 1"}


@pytest.mark.parametrize(
    ("member", "epoch", "why"),
    [("a", 2, ""), ("a", 1, "in epoch 1, not in 2"), ("x", 2, "by somebody who is not in the group"),
     ("", -1, "without an epoch while the group has members")],
)  # fmt: skip
def test_a_commit_belongs_to_a_member_in_its_epoch(member: str, epoch: int, why: str) -> None:
    trace = reconciled()
    committed = ev.OffsetsCommitted(
        group="g", member_id=member, generation=epoch, offset=trace._next(), offsets=(("orders", 0, 1),)
    )
    trace.add(1, committed)
    assert trace.found() == ({"GR5": f"group g takes a commit {why}"} if why else {})


class Storm:
    """Real members and the real coordinator: somebody comes, goes, dies, says that it is there, or it moves."""

    def __init__(self, seed: int) -> None:
        self.rng, self.trace = Random(seed), Trace()
        self.trace.run()
        for topic, count in (("__consumer_offsets", 1), ("orders", 10)):
            self.trace.add(101, ev.TopicCreated(topic=topic, topic_id=1, partitions=count, min_insync_replicas=1))
        self.world = GroupWorld(consumer_group_session_timeout_ms=20_000)
        self.epoch = 0
        self.world.lead()
        self.members = [Newcomer(self.world, name, instance_id=name if name == "d" else None) for name in "abcd"]
        self.living: list[Newcomer] = []
        self.told = 0

    def run(self, steps: int = 250) -> dict[str, str]:
        """What the checker finds of it."""
        for _ in range(steps):
            self._one()
            self.world.pass_ms(self.rng.randrange(0, HEARTBEAT_MS))
            for event in self.world.events[self.told :]:
                self.trace.add(1, event)
            self.told = len(self.world.events)
        return {
            invariant: line.violations[0].sentence
            for invariant, line in self.trace.verdicts().items()
            if line.violations
        }

    def _one(self) -> None:
        chance = self.rng.random()
        absent = [item for item in self.members if item not in self.living]
        if chance < 0.08 and absent:
            member = self.rng.choice(absent)
            if member.join() == ErrorCode.NONE:
                self.living.append(member)
        elif chance < 0.10 and self.living:
            self.living.pop(self.rng.randrange(len(self.living))).leave()
        elif chance < 0.12 and self.living:
            self.living.pop(self.rng.randrange(len(self.living)))
        elif chance < 0.14:
            self.epoch += 1
            self.world.start()
            self.world.lead(self.epoch)
        elif self.living:
            member = self.rng.choice(self.living)
            error = member.beat()
            if error in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH):
                error = member.join()
            if error != ErrorCode.NONE:
                self.living.remove(member)
            elif member.owned:
                member.commit(min(index for _, index in member.owned), self.rng.randrange(9))


SEEDS = range(1, 9)


def test_no_storm_breaks_a_rule() -> None:
    for seed in SEEDS:
        storm = Storm(seed)
        assert storm.run() == {}, f"seed {seed}"
        assert storm.trace.verdicts()["GR11"].verdict is Verdict.HOLDS
        steps = [event.state for event in storm.world.told(ev.ConsumerMemberReconciled)]
        assert {"unrevoked_partitions", "unreleased_partitions"} <= set(steps), "it had to give up, and to wait"


def gives_what_others_have(real: Callable[..., Any]) -> Callable[..., Any]:
    def broken(member: ConsumerMember, *told: Any) -> Any:
        target_epoch, target, subscribed, _held, owned = told
        return real(member, target_epoch, target, subscribed, NOTHING, owned)

    return broken


def test_a_planted_bug_that_gives_a_partition_to_two_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer_step, "reconcile", gives_what_others_have(reconcile))
    found = [Storm(seed).run() for seed in SEEDS]
    assert any("may have orders-" in each.get("GR11", "") for each in found)
