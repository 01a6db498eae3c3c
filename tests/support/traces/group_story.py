"""A consumer group as its coordinators tell it: one member, then two, the coordinator dies, a member goes."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces import story

GROUP = "readers"
Parts = tuple[tuple[str, int], ...]
PARTS = tuple(("orders", number) for number in range(4))


def changed(
    told: story.Story, node: int, before: str, state: str, generation: int, members: tuple[str, ...], why: str
) -> None:
    told.say(node, ev.GroupStateChanged(group=GROUP, before=before, state=state, generation=generation,
                                        members=members, why=why))  # fmt: skip


def generation(told: story.Story, node: int, number: int, parts: dict[str, tuple[tuple[str, int], ...]]) -> None:
    members = tuple(parts)
    told.say(node, ev.GroupGenerationBegan(group=GROUP, generation=number, protocol="range", leader=members[0],
                                           members=members, subscriptions=()))  # fmt: skip
    changed(told, node, "PreparingRebalance", "CompletingRebalance", number, members, "all have joined")
    given = tuple((member, *part) for member, owned in parts.items() for part in owned)
    told.say(node, ev.GroupAssigned(group=GROUP, generation=number, protocol="range", offset=number, assignments=given))
    changed(told, node, "CompletingRebalance", "Stable", number, members, "the assignment is committed")


def joins(told: story.Story, node: int, member: str, number: int, client: str = "") -> None:
    told.say(node, ev.GroupMemberJoined(group=GROUP, member_id=member, instance_id="", generation=number,
                                        client_id=client or member.partition("-")[0], client_host="/127.0.0.1",
                                        session_timeout_ms=6000, rebalance_timeout_ms=6000))  # fmt: skip


def group_story(*, until: str = "end") -> story.Story:
    """Up to one, two, moved or end."""
    told = story.Story()
    told.begin("groups")
    told.say(1, ev.PartitionApplied(topic="orders", partition=0, leader=1, leader_epoch=0, partition_epoch=0, isr=(1,),
                                    elr=(), replicas=(1,), min_insync_replicas=1))  # fmt: skip
    told.say(1, ev.ReplicaAppended(topic="orders", partition=0, base_offset=0, count=7, end_offset=7, leader_epoch=0,
                                   batches=((0, 7, 0, "00000000"),), role="leader", size_bytes=70))  # fmt: skip
    told.say(1, ev.HighWatermarkAdvanced(topic="orders", partition=0, high_watermark=7, leader_epoch=0, role="leader",
                                         log_end_offsets=()))  # fmt: skip
    changed(told, 2, "Empty", "PreparingRebalance", 0, (), "a member joins")
    joins(told, 2, "a-1", 0)
    generation(told, 2, 1, {"a-1": PARTS})
    told.say(2, ev.OffsetsCommitted(group=GROUP, member_id="a-1", generation=1, offset=9,
                                    offsets=(("orders", 0, 5),)))  # fmt: skip
    if until == "one":
        return told
    joins(told, 2, "b-1", 1)
    changed(told, 2, "Stable", "PreparingRebalance", 1, ("a-1", "b-1"), "a member joins")
    told.say(2, ev.GroupRequestRefused(function="heartbeat", group=GROUP, member_id="a-1", generation=1, error=27,
                                       group_generation=1, state="PreparingRebalance"))  # fmt: skip
    generation(told, 2, 2, {"a-1": PARTS[:2], "b-1": PARTS[2:]})
    if until == "two":
        return told
    told.say(0, ev.ProcessExited(node_id=2, incarnation_number=0, exit_code=-9, expected=True))
    told.say(3, ev.CoordinatorLoaded(partition=0, leader_epoch=1, end_offset=12, groups=((GROUP, 2),),
                                     offsets=((GROUP, "orders", 0, 6),)))  # fmt: skip
    if until == "moved":
        return told
    told.say(3, ev.GroupMemberLeft(group=GROUP, member_id="a-1", instance_id="", generation=2, why="session expired",
                                   silent_ms=6001))  # fmt: skip
    changed(told, 3, "Stable", "PreparingRebalance", 2, ("b-1",), "a member is out")
    generation(told, 3, 3, {"b-1": PARTS})
    return told


def consumer_story() -> story.Story:
    """A group of the newer protocol: a has everything, b comes, a is asked for half of it and has not answered."""
    told = story.Story()
    told.begin("groups")

    def step(member: str, epoch: int, target: int, state: str, parts: Parts, revoking: Parts = ()) -> None:
        event = ev.ConsumerMemberReconciled(group=GROUP, member_id=member, member_epoch=epoch, target_epoch=target,
                                            state=state, offset=epoch, assigned=parts, revoking=revoking)  # fmt: skip
        told.say(2, event)

    def target(epoch: int, parts: dict[str, Parts]) -> None:
        rows = tuple((member, *part) for member, owned in parts.items() for part in owned)
        event = ev.ConsumerGroupTargeted(group=GROUP, group_epoch=epoch, assignor="uniform", offset=epoch,
                                         members=tuple(parts), subscriptions=(), assignments=rows)  # fmt: skip
        told.say(2, event)

    joins(told, 2, "a-1", 1)
    target(1, {"a-1": PARTS})
    step("a-1", 1, 1, "stable", PARTS)
    changed(told, 2, "Empty", "Stable", 1, ("a-1",), "a member is new")
    joins(told, 2, "b-1", 2)
    target(2, {"a-1": PARTS[:2], "b-1": PARTS[2:]})
    step("b-1", 2, 2, "unreleased_partitions", ())
    changed(told, 2, "Stable", "Reconciling", 2, ("a-1", "b-1"), "a member is new")
    step("a-1", 1, 2, "unrevoked_partitions", PARTS[:2], PARTS[2:])
    return told
