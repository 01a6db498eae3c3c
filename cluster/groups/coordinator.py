"""All groups of one broker behind one door: routes inputs, decides nothing itself. Source: Kafka GroupCoordinator."""

from __future__ import annotations

from typing import TypeAlias, assert_never

from msgspec.structs import asdict

from cluster.coordination import reading, writing
from cluster.coordination.coordinator import NAME_BYTES_MAX, Coordinator
from cluster.coordination.led_partition import Asker, LedPartition
from cluster.groups import loading, offsets, overview, transactional_offsets
from cluster.groups.classic import joining, presence, rebalancing, syncing
from cluster.groups.consumer import describe as consumer_describe
from cluster.groups.consumer import heartbeat as consumer_heartbeat
from cluster.groups.consumer.state import Topics
from cluster.groups.loading import Loading
from cluster.groups.state import Group, Shard, Shared
from cluster.model import messages as core
from cluster.model.effects import Effect, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import OFFSETS_TOPIC, NodeId
from cluster.model.inputs import Received, TimerFired
from cluster.model.messages import Message
from cluster.model.settings import Settings

EXPIRE_TIMER = "groups.expire"
OfGroup: TypeAlias = (
    core.JoinGroupRequest
    | core.SyncGroupRequest
    | core.HeartbeatRequest
    | core.LeaveGroupRequest
    | core.OffsetCommitRequest
    | core.OffsetFetchRequest
    | core.OffsetDeleteRequest
    | core.TxnOffsetCommitRequest
    | core.ConsumerGroupHeartbeatRequest
)


class GroupCoordinator(Coordinator[Shard, Loading]):
    """Coordinates the groups of those partitions of __consumer_offsets that this broker leads."""

    __slots__ = ("_shared", "_topics")
    prefix = "groups."

    def __init__(self, broker_id: NodeId, incarnation_id: str, settings: Settings, topics: Topics) -> None:
        super().__init__()
        self._shared = Shared(
            broker_id=broker_id,
            incarnation_id=incarnation_id,
            settings=settings,
            topic=OFFSETS_TOPIC,
            prefix="groups",
            client_id="group-coordinator",
            patience_ms=settings.offsets_commit_timeout_ms,
        )
        self._topics = topics

    def group(self, name: str) -> Group | None:
        """For looking only."""
        shard, _ = self._find(name)
        return None if shard is None else shard.groups.get(name)

    def _begin(self, led: LedPartition) -> tuple[Shard, Loading]:
        return Shard(**asdict(led)), Loading()

    def _set_timers(self) -> list[Effect]:
        return [SetTimer(EXPIRE_TIMER, self._shared.settings.offsets_retention_check_interval_ms)]

    def _read_on(self, shard: Shard, read: Loading) -> list[Effect]:
        return loading.read_on(shard, read)

    def _serve(self, shard: Shard, read: Loading, now_ms: int) -> list[Effect]:
        return loading.finish(self._shared, shard, read, self._topics, now_ms)

    def _give_up(self, shard: Shard, now_ms: int) -> list[Effect]:
        return loading.resign(self._shared, shard, now_ms)

    def forget_topics(self, topics: set[str]) -> list[Effect]:
        """These were deleted. Source: GroupCoordinatorService.onPartitionsDeleted."""
        loaded = [shard for _, shard in sorted(self._shards.items()) if shard.is_loaded]
        return [effect for shard in loaded for effect in offsets.forget_topics(self._shared, shard, topics)]

    def handle(self, happened: Received | TimerFired, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        match happened:
            case Received(sender=sender, correlation=correlation, message=message):
                return self._on_message(Asker(sender, correlation), message, now_ms)
            case TimerFired(name=name):
                return self._on_timer(name, now_ms)
            case _:
                assert_never(happened)

    def _on_message(self, asker: Asker, message: object, now_ms: int) -> list[Effect]:
        match message:
            case core.ProduceResponse():
                return writing.on_response(self._shared, asker.correlation, message, now_ms)
            case core.OffsetsDecided(partition=partition):
                return self._on_decided(partition, message)
            case core.ListGroupsRequest():
                listed = overview.list_groups(self._shards.values(), message)
                return [Send(asker.sender, listed, asker.correlation)]
            case core.DescribeGroupsRequest(groups=names):
                return [Send(asker.sender, self._describe(names), asker.correlation)]
            case core.ConsumerGroupDescribeRequest(groups=names):
                response = consumer_describe.describe((self._look_up(name) for name in names), self._topics)
                return [Send(asker.sender, response, asker.correlation)]
            case core.DeleteGroupsRequest(groups=names):
                groups = [(name, *self._find(name)) for name in dict.fromkeys(names)]
                return overview.delete_groups(self._shared, groups, asker, now_ms)
            case _ if isinstance(message, OfGroup):
                return self._on_group(asker, message, now_ms)
            case _:
                return []

    def _on_decided(self, partition: int, decided: core.OffsetsDecided) -> list[Effect]:
        """A marker that came behind what was read so far is read, too, before anything is served."""
        shard, read = self._shards.get(partition), self._loading.get(partition)
        if shard is None:
            return []
        if read is None:
            return transactional_offsets.on_decided(shard, decided)
        read.is_read = False
        return [SetTimer(shard.load_timer, reading.PAUSE_MS)]

    def _on_group(self, asker: Asker, message: OfGroup, now_ms: int) -> list[Effect]:
        shard, error = self._find(message.group)
        if not message.group and isinstance(message, core.ConsumerGroupHeartbeatRequest):
            refused = core.ConsumerGroupHeartbeatResponse(error=ErrorCode.INVALID_REQUEST, message="it has no group id")
            return [Send(asker.sender, refused, asker.correlation)]
        if not message.group and not isinstance(message, core.OffsetCommitRequest | core.OffsetFetchRequest):
            error = ErrorCode.INVALID_GROUP_ID
        if shard is None or error != ErrorCode.NONE:
            return [Send(asker.sender, not_here(message, error), asker.correlation)]
        shared = self._shared
        match message:
            case core.JoinGroupRequest():
                return joining.on_join(shared, shard, asker, message, now_ms)
            case core.SyncGroupRequest():
                return syncing.on_sync(shared, shard, asker, message, now_ms)
            case core.HeartbeatRequest():
                return presence.on_heartbeat(shared, shard, asker, message, now_ms)
            case core.LeaveGroupRequest():
                return presence.on_leave(shared, shard, asker, message, now_ms)
            case core.OffsetCommitRequest():
                return offsets.on_commit(shared, shard, asker, message, self._topics.exists, now_ms)
            case core.TxnOffsetCommitRequest():
                return transactional_offsets.on_commit(shared, shard, asker, message, self._topics.exists, now_ms)
            case core.OffsetFetchRequest():
                return offsets.on_fetch(shard, asker, message)
            case core.OffsetDeleteRequest():
                return offsets.on_delete(shared, shard, asker, message, self._topics.exists)
            case core.ConsumerGroupHeartbeatRequest():
                return consumer_heartbeat.on_heartbeat(shared, shard, asker, message, self._topics, now_ms)
            case _:
                assert_never(message)

    def _find(self, name: str) -> tuple[Shard | None, ErrorCode]:
        """The shard that serves a group, or why there is none here."""
        if len(name.encode("utf-8", "replace")) > NAME_BYTES_MAX:
            return None, ErrorCode.INVALID_GROUP_ID
        return self._shard_of(name)

    def _look_up(self, name: str) -> tuple[str, Group | None, ErrorCode]:
        shard, error = self._find(name)
        return name, None if shard is None else shard.groups.get(name), error

    def _describe(self, names: tuple[str, ...]) -> core.DescribeGroupsResponse:
        groups, members = [], []
        for name in names:
            shard, error = self._find(name)
            if shard is None:
                groups.append((int(error), name, "", "", ""))
                continue
            described, its_members = overview.describe(name, shard.groups.get(name))
            groups.append(described)
            members += its_members
        return core.DescribeGroupsResponse(groups=tuple(groups), members=tuple(members))

    def _on_timer(self, name: str, now_ms: int) -> list[Effect]:
        kind, _, number = name.removeprefix(self.prefix).partition(".")
        match kind:
            case "write":
                return writing.on_timeout(self._shared, name, now_ms)
            case "load":
                return self._go_on_reading(int(number), now_ms)
            case "expire":
                return self._expire(now_ms)
            case _:
                return self._on_group_timer(kind, name, now_ms)

    def _on_group_timer(self, kind: str, name: str, now_ms: int) -> list[Effect]:
        owner, member_id = self._shared.timers.get(name, ("", ""))
        shard, _ = self._find(owner)
        group = None if shard is None else shard.groups.get(owner)
        if shard is None or group is None:
            return []
        if group.consumer is not None or member_id in group.presence:  # its first member may not be committed yet
            return consumer_heartbeat.on_timer(self._shared, shard, group, name, self._topics, now_ms)
        match kind:
            case "session":
                return presence.on_session_timeout(self._shared, shard, group, name, member_id, now_ms)
            case "join":
                return rebalancing.on_join_timeout(self._shared, shard, group, now_ms)
            case "sync":
                return rebalancing.on_sync_timeout(self._shared, group, now_ms)
            case _:
                return []

    def _expire(self, now_ms: int) -> list[Effect]:
        effects: list[Effect] = []
        for _, shard in sorted(self._shards.items()):
            if shard.is_loaded:
                effects += offsets.expire(self._shared, shard, now_ms)
        if self._shards:
            effects += self._set_timers()
        return effects


def not_here(message: OfGroup, error: ErrorCode) -> Message:
    """The answer of a broker that does not serve the group now.

    A heartbeat is not worth an error while the group is being read: its session begins anew anyway.
    """
    match message:
        case core.JoinGroupRequest():
            return core.JoinGroupResponse(error=error, member_id=message.member_id)
        case core.SyncGroupRequest():
            return core.SyncGroupResponse(error=error)
        case core.HeartbeatRequest():
            is_loading = error == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
            return core.HeartbeatResponse(error=ErrorCode.NONE if is_loading else error)
        case core.LeaveGroupRequest():
            return core.LeaveGroupResponse(error=error)
        case core.OffsetCommitRequest():
            partitions = tuple((item[0], item[1], int(error)) for item in message.offsets)
            return core.OffsetCommitResponse(error=error, partitions=partitions)
        case core.TxnOffsetCommitRequest():
            return transactional_offsets.refusal(message, error)
        case core.OffsetFetchRequest():
            return core.OffsetFetchResponse(error=error)
        case core.OffsetDeleteRequest():
            return core.OffsetDeleteResponse(error=error)
        case core.ConsumerGroupHeartbeatRequest():
            return core.ConsumerGroupHeartbeatResponse(error=error)
        case _:
            assert_never(message)
