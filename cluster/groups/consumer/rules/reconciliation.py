"""How a member of the newer protocol comes to what it is to have, step by step. Source: KIP-848."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.groups.consumer.state import NOTHING, ConsumerMember, MemberState, Parts
from cluster.model.ruling import Numbers, Ruling, rule


@rule(source="KIP-848", kafka="CurrentAssignmentBuilder.build")
def reconcile(
    member: ConsumerMember,
    target_epoch: int,
    target: Parts,
    subscribed: Parts,
    held_by_others: Parts,
    owned: Parts | None,
) -> Ruling[ConsumerMember]:
    """A member gives up first what is no more its own, and gets what is new to it when nobody else has it any more.

    The value is its next step, or the same member when there is none to take.

        has      target    the member is told        until
        0 1 2    0 1       0 1, in its old epoch     it says that it has 2 no more
        0 1      0 1 2     0 1, in the new epoch     the member that has 2 has given it up
        0 1 2    0 1 2     0 1 2, in the new epoch

    Args:
        subscribed: all partitions of the topics that it subscribes to now.
        held_by_others: what other members have or may still have.
        owned: what it says that it has; None when it did not say.
    """
    if member.state is MemberState.STABLE and member.epoch == target_epoch:
        return _step(member, "it has what it is to have", target_epoch)
    if member.state is MemberState.UNREVOKED_PARTITIONS and _still_has(member.revoking, owned):
        unwanted = member.assigned - subscribed
        if unwanted:
            member = replace(
                member.in_epoch(member.epoch), assigned=member.assigned - unwanted, revoking=member.revoking | unwanted
            )
        return _step(member, "it has not said that it gave up what it has to", target_epoch)
    return _next(member, target_epoch, target & subscribed, held_by_others, owned)


def _next(
    member: ConsumerMember, target_epoch: int, target: Parts, held_by_others: Parts, owned: Parts | None
) -> Ruling[ConsumerMember]:
    kept, lost = member.assigned & target, member.assigned - target
    loses: Numbers = {"loses": len(lost), "says it has of these": len(lost if owned is None else lost & owned)}
    if lost and _still_has(lost, owned):
        next_member = replace(
            member.in_epoch(member.epoch), state=MemberState.UNREVOKED_PARTITIONS, assigned=kept, revoking=lost
        )
        return _step(next_member, "it has to give something up first", target_epoch, loses)
    missing = target - kept
    # What another has been told to give up it may still be reading: it hears of it with its next heartbeat, and says
    # that it is done with the one after. Given out before that, a partition has two readers. In an eager rebalance of
    # the classic protocol nobody reads meanwhile; here everybody goes on, so each partition is waited for by itself.
    unreleased = missing & held_by_others
    state = MemberState.UNRELEASED_PARTITIONS if unreleased else MemberState.STABLE
    next_member = replace(
        member.in_epoch(target_epoch), state=state, assigned=kept | (missing - unreleased), revoking=NOTHING
    )
    if unreleased and next_member == replace(member, previous_epoch=next_member.previous_epoch):
        return _step(member, "others still have what it waits for", target_epoch, loses)
    reason = "others still have a part of it" if unreleased else "nothing stands in its way"
    return _step(next_member, reason, target_epoch, {**loses, "not released yet": len(unreleased)})


def _still_has(parts: Parts, owned: Parts | None) -> bool:
    """Whether a member may still have some of these: it has, or it did not say."""
    return owned is None or bool(parts & owned)


def _step(
    member: ConsumerMember, reason: str, target_epoch: int, more: Numbers | None = None
) -> Ruling[ConsumerMember]:
    numbers: Numbers = {
        "member epoch": member.epoch,
        "target epoch": target_epoch,
        "may have": len(member.assigned),
        "has to give up": len(member.revoking),
        "not released yet": 0,
        **(more or {}),
    }
    return Ruling(member, member.state is MemberState.STABLE, reason, numbers)
