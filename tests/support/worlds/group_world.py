"""One coordinator with its partition of __consumer_offsets in memory, a clock, and members who ask it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from msgspec import structs

from cluster.groups.consumer.state import Parts
from cluster.groups.coordinator import GroupCoordinator
from cluster.groups.group_state import GroupState
from cluster.groups.state import Group, Member
from cluster.model.consumer_protocol import Subscription, encode_assignment, encode_subscription
from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import OFFSETS_TOPIC, TopicPartition
from cluster.model.inputs import Received, TimerFired
from cluster.model.messages import (
    ConsumerGroupHeartbeatRequest,
    HeartbeatRequest,
    HeartbeatResponse,
    JoinGroupRequest,
    JoinGroupResponse,
    LeaveGroupRequest,
    LeaveGroupResponse,
    Message,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    ProduceRequest,
    ProduceResponse,
    SyncGroupRequest,
    SyncGroupResponse,
)
from cluster.model.record_batch import read_header, with_offset_and_epoch
from cluster.model.settings import Settings, kafka_timing
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.node_store import NodeStore

BROKER, CLIENT = 1, 1001
WHERE = TopicPartition(OFFSETS_TOPIC, 0)
Kind = TypeVar("Kind")


class OffsetsLog:
    """The broker's replica of the offsets partition: appends, and commits at once unless told to wait."""

    def __init__(self) -> None:
        self.store = NodeStore(MemoryFiles(), host_fsync=False, emit=lambda *_: None, is_buffered=False)
        self.log, _ = self.store.open(WHERE)
        self.high_watermark = 0


class SomeTopics:
    """orders with 10 partitions and id 7; a test adds others, or takes partitions away."""

    def __init__(self) -> None:
        self.counts = {"orders": (7, 10)}

    def exists(self, where: TopicPartition) -> bool:
        return where.partition < self.counts.get(where.topic, (0, 0))[1]

    def parts(self, topic: str) -> Parts:
        topic_id, count = self.counts.get(topic, (0, 0))
        return frozenset((topic_id, index) for index in range(count))

    def name(self, topic_id: int) -> str:
        return next((name for name, (known, _) in self.counts.items() if known == topic_id), "")

    def names(self) -> list[str]:
        return list(self.counts)


class GroupWorld:
    """Carries out what the coordinator asks for."""

    def __init__(self, **settings: Any) -> None:
        self.settings: Settings = replace(kafka_timing(), **settings)
        self.now_ms = 1_000
        self.log = OffsetsLog()
        self.topics = SomeTopics()
        self.commits = True
        """Whether records are committed as soon as they are appended."""
        self.refuses = ErrorCode.NONE
        """What the partition's leader says to an append instead of taking it."""
        self.answers: dict[int, Any] = {}
        self.events: list[Any] = []
        self.timers: dict[str, int] = {}
        self._waiting: list[tuple[int, int, int]] = []
        self.counter = 100
        """Correlation of the newest request of a client."""
        self._lives = 0
        self.start()

    def start(self) -> None:
        """A broker process begins; the old one is forgotten."""
        self._lives += 1
        self.timers, self._waiting = {}, []
        self.coordinator = GroupCoordinator(BROKER, f"life-{self._lives}", self.settings, self.topics)
        self.coordinator.partition_count = 1

    def lead(self, leader_epoch: int = 0) -> None:
        """It becomes leader of the partition and reads it."""
        self._do(self.coordinator.lead(0, leader_epoch, self.log, self.now_ms))
        while self.coordinator.is_loading and any(name.startswith("groups.load") for name in self.timers):
            self.pass_ms(1)

    def resign(self) -> None:
        """Another broker leads the partition now."""
        self._do(self.coordinator.resign(0, self.now_ms))

    def forget_topics(self, *topics: str) -> None:
        """They are deleted."""
        self._do(self.coordinator.forget_topics(set(topics)))

    def commit_all(self) -> None:
        """Replicas have everything."""
        self.log.high_watermark = self.log.log.log_end_offset
        waiting, self._waiting = self._waiting, []
        for correlation, base, _ in waiting:
            self._give(BROKER, correlation, ProduceResponse(topic=OFFSETS_TOPIC, partition=0, base_offset=base))
        self._do(self.coordinator.look(self.now_ms))

    def pass_ms(self, duration_ms: int) -> None:
        """Time passes; timers fire when they are due."""
        end_ms = self.now_ms + duration_ms
        while due := [(at, name) for name, at in self.timers.items() if at <= end_ms]:
            self.now_ms, name = min(due)
            del self.timers[name]
            self._do(self.coordinator.handle(TimerFired(name=name), self.now_ms))
        self.now_ms = end_ms

    def send(self, message: Message) -> int:
        """A client asks; the correlation under which the answer is found in answers."""
        self.counter += 1
        correlation = self.counter
        self._give(CLIENT, correlation, message)
        return correlation

    def ask(self, message: Message) -> Any:
        """The answer that comes at once."""
        return self.answers[self.send(message)]

    def send_heartbeat(self, member_id: str, epoch: int, **changes: Any) -> int:
        """A heartbeat of the newer protocol; its correlation."""
        return self.send(
            ConsumerGroupHeartbeatRequest(
                group="g", member_id=member_id, member_epoch=epoch, client_id="app", **changes
            )
        )

    def send_commit(self, member_id: str, epoch: int, offset: int) -> int:
        """A commit of orders-0 in a member epoch; its correlation."""
        return self.send(
            OffsetCommitRequest(
                group="g",
                generation=epoch,
                member_id=member_id,
                offsets=(("orders", 0, offset, -1, ""),),
                knows_member_epochs=True,
            )
        )

    def told(self, kind: type[Kind]) -> list[Kind]:
        """Events of a class, in order."""
        return [event for event in self.events if type(event) is kind]

    def group(self, name: str = "g") -> Group:
        """For looking only."""
        found = self.coordinator.group(name)
        assert found is not None
        return found

    def _give(self, sender: int, correlation: int, message: Message) -> None:
        received = Received(sender=sender, correlation=correlation, message=message)
        self._do(self.coordinator.handle(received, self.now_ms))

    def _do(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Emit(event=event):
                    self.events.append(event)
                case SetTimer(name=name, delay_ms=delay_ms):
                    self.timers[name] = self.now_ms + delay_ms
                case CancelTimer(name=name):
                    self.timers.pop(name, None)
                case Send(message=ProduceRequest() as request, correlation=correlation):
                    self._append(request, correlation)
                case Send(message=message, correlation=correlation):
                    assert correlation not in self.answers, "answered twice"
                    self.answers[correlation] = message
                case _:
                    raise AssertionError(f"a coordinator does not ask for {effect}")

    def _append(self, request: ProduceRequest, correlation: int) -> None:
        assert request.acks == -1
        if self.refuses != ErrorCode.NONE:
            self._give(BROKER, correlation, ProduceResponse(error=self.refuses, topic=OFFSETS_TOPIC, partition=0))
            return
        base = self.log.log.log_end_offset
        self.log.store.append(WHERE, with_offset_and_epoch(request.records, base, 0))
        self._waiting.append((correlation, base, read_header(request.records).count))
        if self.commits:
            self.commit_all()


def subscription(*topics: str) -> bytes:
    """What a consumer of these topics sends."""
    return encode_subscription(Subscription(topics=topics or ("orders",)))


def part(*indexes: int) -> bytes:
    """Partitions of the topic orders as an assignment."""
    return encode_assignment([TopicPartition("orders", index) for index in indexes])


class Person:
    """One member and what it was told last."""

    def __init__(self, world: GroupWorld, client_id: str, group: str = "g", instance_id: str = "") -> None:
        self.world, self.client_id, self.group, self.instance_id = world, client_id, group, instance_id
        self.member_id, self.generation = "", -1
        self.protocols: tuple[tuple[str, bytes], ...] = (("range", subscription()),)
        self.session_timeout_ms, self.rebalance_timeout_ms = 10_000, 60_000
        self._asked = 0

    def join(self, **changes: Any) -> JoinGroupResponse | None:
        """Ask to join; the answer when it comes at once. A new dynamic member comes twice."""
        response = self.ask_to_join(**changes)
        if response is not None and response.error == ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = response.member_id
            response = self.ask_to_join(**changes)
        return response

    def ask_to_join(self, **changes: Any) -> JoinGroupResponse | None:
        """One JoinGroup."""
        request = JoinGroupRequest(
            group=self.group,
            member_id=self.member_id,
            instance_id=self.instance_id,
            client_id=self.client_id,
            session_timeout_ms=self.session_timeout_ms,
            rebalance_timeout_ms=self.rebalance_timeout_ms,
            protocol_type="consumer",
            protocols=self.protocols,
        )
        self._asked = self.world.send(structs.replace(request, **changes))
        return self.joined()

    def joined(self) -> JoinGroupResponse | None:
        """The answer to the newest JoinGroup, once it is there."""
        response = self.world.answers.get(self._asked)
        assert response is None or isinstance(response, JoinGroupResponse)
        if response is not None and response.error == ErrorCode.NONE:
            self.member_id, self.generation = response.member_id, response.generation
        return response

    def sync(self, assignments: dict[str, bytes] | None = None, **changes: Any) -> SyncGroupResponse | None:
        """Ask for the own part; the answer when it comes at once."""
        request = SyncGroupRequest(
            group=self.group,
            generation=self.generation,
            member_id=self.member_id,
            instance_id=self.instance_id,
            assignments=tuple((assignments or {}).items()),
        )
        self._asked = self.world.send(structs.replace(request, **changes))
        return self.synced()

    def synced(self) -> SyncGroupResponse | None:
        """The answer to the newest SyncGroup, once it is there."""
        response = self.world.answers.get(self._asked)
        assert response is None or isinstance(response, SyncGroupResponse)
        return response

    def heartbeat(self, **changes: Any) -> ErrorCode:
        """What a heartbeat is answered."""
        request = HeartbeatRequest(
            group=self.group, generation=self.generation, member_id=self.member_id, instance_id=self.instance_id
        )
        response = self.world.ask(structs.replace(request, **changes))
        assert isinstance(response, HeartbeatResponse)
        return ErrorCode(response.error)

    def leave(self) -> ErrorCode:
        """Go."""
        response = self.world.ask(LeaveGroupRequest(group=self.group, members=((self.member_id, self.instance_id),)))
        assert isinstance(response, LeaveGroupResponse)
        return ErrorCode(response.error or response.members[0][2])

    def commit(self, partition: int, offset: int, **changes: Any) -> OffsetCommitResponse | None:
        """Commit one offset of orders; the answer when it comes at once."""
        request = OffsetCommitRequest(
            group=self.group,
            generation=self.generation,
            member_id=self.member_id,
            instance_id=self.instance_id,
            offsets=(("orders", partition, offset, -1, ""),),
        )
        response = self.world.answers.get(self.world.send(structs.replace(request, **changes)))
        assert response is None or isinstance(response, OffsetCommitResponse)
        return response


def committed(world: GroupWorld, partition: int, group: str = "g") -> int:
    """The committed offset of one partition of orders; -1 for none."""
    response = world.ask(OffsetFetchRequest(group=group, partitions=(("orders", partition),)))
    assert isinstance(response, OffsetFetchResponse) and response.error == ErrorCode.NONE
    return response.offsets[0][2]


def stable(world: GroupWorld, *people: Person) -> None:
    """All of them in one stable generation; partition n belongs to the n-th."""
    for person in people:
        person.join()
    world.pass_ms(world.settings.group_initial_rebalance_delay_ms * 2)
    share(*people)


def world_of(**settings: Any) -> GroupWorld:
    """A coordinator that serves."""
    world = GroupWorld(**settings)
    world.lead()
    return world


def one() -> tuple[GroupWorld, Person]:
    """A coordinator with a stable group of one."""
    world = world_of()
    a = Person(world, "a")
    stable(world, a)
    return world, a


def share(*people: Person) -> None:
    """The generation has begun: everybody syncs, the leader last."""
    told = {person: person.joined() for person in people}
    leader = next(person for person, response in told.items() if response and response.leader == person.member_id)
    for person in people:
        if person is not leader:
            person.sync()
    parts = {person.member_id: part(index) for index, person in enumerate(people)}
    leader.sync(parts)
    for index, person in enumerate(people):
        response = person.synced()
        assert response is not None and response.error == ErrorCode.NONE
        assert response.assignment == part(index)


def member(name: str, *assignors: str) -> Member:
    """A member that knows these assignors."""
    protocols = tuple((assignor, subscription()) for assignor in assignors)
    return Member(
        member_id=name, instance_id="", client_id=name, client_host="", session_timeout_ms=10_000,
        rebalance_timeout_ms=60_000, protocols=protocols, timer=name,
    )  # fmt: skip


def group_of(*members: Member, state: GroupState = GroupState.STABLE, generation: int = 3) -> Group:
    """A group of these members."""
    group = Group(name="g", partition=0, number=1, state=state, generation=generation, protocol_type="consumer")
    group.members = {item.member_id: item for item in members}
    return group
