"""A member of the newer protocol, as a consumer with group.protocol=consumer behaves. It owns what it was given."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.model.errors import ErrorCode
from cluster.model.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    OffsetCommitRequest,
    OffsetFetchRequest,
)
from tests.support.worlds.group_world import GroupWorld

ORDERS = 7
"""Id of the topic orders."""
HEARTBEAT_MS = 5_000


class Newcomer:
    """One member and what it was told last."""

    def __init__(
        self, world: GroupWorld, member_id: str, *topics: str, group: str = "g", instance_id: str | None = None
    ) -> None:
        self.world, self.member_id, self.group, self.instance_id = world, member_id, group, instance_id
        self.topics = topics or ("orders",)
        self.epoch = 0
        self.owned: set[tuple[int, int]] = set()
        self.wanted: set[tuple[int, int]] = set()
        self.assignor: str | None = None

    @property
    def partitions(self) -> list[int]:
        """Of orders, that it owns."""
        return sorted(index for topic_id, index in self.owned if topic_id == ORDERS)

    def join(self, **changes: Any) -> ErrorCode:
        """Come with nothing."""
        self.epoch, self.owned = 0, set()
        everything = {"rebalance_timeout_ms": 60_000, "topics": self.topics, "owned": (), "assignor": self.assignor}
        told = self.say(**(everything | changes))
        return ErrorCode(told.error)

    def beat(self, **changes: Any) -> ErrorCode:
        """Say that it is there, and what it owns when that has changed since it was asked to give something up."""
        gives_up = bool(self.owned - self.wanted)
        self.owned &= self.wanted
        owned = tuple(sorted(self.owned)) if gives_up else None
        return ErrorCode(self.say(**{"owned": owned, **changes}).error)

    def say(self, **changes: Any) -> ConsumerGroupHeartbeatResponse:
        """One heartbeat as told; what it is given it owns, what it is to give up it still has until it beats again."""
        request = ConsumerGroupHeartbeatRequest(
            group=self.group,
            member_id=self.member_id,
            member_epoch=self.epoch,
            instance_id=self.instance_id,
            client_id="app",
        )
        response = self.world.ask(replace(request, **changes))
        assert isinstance(response, ConsumerGroupHeartbeatResponse)
        self.hear(response)
        return response

    def hear(self, response: ConsumerGroupHeartbeatResponse) -> None:
        """Take an answer."""
        if response.error:
            return
        self.epoch = response.member_epoch
        if response.assignment is not None:
            self.wanted = set(response.assignment)
            self.owned |= self.wanted

    def leave(self, epoch: int = -1) -> ErrorCode:
        """Go, or for a while."""
        return ErrorCode(self.say(member_epoch=epoch).error)

    def commit(self, partition: int, offset: int, **changes: Any) -> ErrorCode:
        """Commit one offset of orders."""
        request = OffsetCommitRequest(
            group=self.group,
            generation=self.epoch,
            member_id=self.member_id,
            offsets=(("orders", partition, offset, -1, ""),),
            knows_member_epochs=True,
        )
        return ErrorCode(self.world.ask(replace(request, **changes)).partitions[0][2])

    def fetch_error(self, **changes: Any) -> ErrorCode:
        """What asking for its offsets is answered."""
        request = OffsetFetchRequest(group=self.group, member_id=self.member_id, member_epoch=self.epoch)
        return ErrorCode(self.world.ask(replace(request, **changes)).error)


def settle(*members: Newcomer) -> None:
    """Everybody comes until nothing changes."""
    for _ in range(6):
        for member in members:
            assert member.beat() == ErrorCode.NONE


def pair(world: GroupWorld) -> tuple[Newcomer, Newcomer]:
    """Two members that have settled what they share."""
    first, second = Newcomer(world, "a"), Newcomer(world, "b")
    assert first.join() == ErrorCode.NONE and second.join() == ErrorCode.NONE
    settle(first, second)
    return first, second
