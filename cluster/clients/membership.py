"""A member finds its coordinator, joins, divides partitions when it leads, stays. Source: AbstractCoordinator.

Every answer ends in one of four ways: go on, join again, come as a stranger, or look for another coordinator.
"""

from __future__ import annotations

from cluster.clients import reading
from cluster.clients.assignors import ASSIGNORS, STICKY, Applicant
from cluster.clients.member_state import COMMIT_TIMER, HEARTBEAT_TIMER, MemberState, Phase
from cluster.clients.rules.retries import NO_ANSWER
from cluster.model.consumer_protocol import (
    PROTOCOL_TYPE,
    ProtocolError,
    Subscription,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from cluster.model.effects import CancelTimer, Effect, Emit, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import ConsumerEnded
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.messages import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    HeartbeatRequest,
    HeartbeatResponse,
    JoinGroupRequest,
    JoinGroupResponse,
    LeaveGroupRequest,
    Message,
    MetadataRequest,
    MetadataResponse,
    SyncGroupRequest,
    SyncGroupResponse,
)

ELSEWHERE = (
    NO_ANSWER,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
)
"""Another broker may coordinate the group now."""
STRANGER = (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION)
"""The group went on without this member: what it held is lost."""
LATER = (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.REBALANCE_IN_PROGRESS)
SYNC_MARGIN_MS = 5_000
"""A JoinGroup waits for the slowest member; Kafka's client gives it the rebalance timeout and this on top."""


def find(state: MemberState) -> list[Effect]:
    """Ask any broker who coordinates the group."""

    def then(message: Message | None, _now_ms: int) -> list[Effect]:
        if isinstance(message, FindCoordinatorResponse) and message.error == ErrorCode.NONE:
            state.coordinator = message.coordinator
            return []
        return state.back_off()

    return state.ask("find", state.next_broker(), FindCoordinatorRequest(group=state.group), then)


def ask_metadata(state: MemberState) -> list[Effect]:
    """Ask any broker who leads the partitions. What an out-of-date broker says is not believed."""

    def then(message: Message | None, _now_ms: int) -> list[Effect]:
        if not isinstance(message, MetadataResponse):
            return state.back_off()
        for topic, partition, leader in message.partitions:
            where = TopicPartition(topic, partition)
            if topic in state.topics and leader.leader_epoch >= state.leaders.get(where, (NO_NODE, -1))[1]:
                state.leaders[where] = (leader.leader, leader.leader_epoch)
                state.topic_ids[topic] = leader.topic_id
        state.has_metadata = set(state.topics) <= {where.topic for where in state.leaders}
        return [] if state.has_metadata and not state.lacks_leader else state.back_off()

    return state.ask("metadata", state.next_broker(), MetadataRequest(topics=state.topics), then)


def join(state: MemberState, now_ms: int) -> list[Effect]:
    """Ask to be in the next generation. All but cooperative members give up what they hold first."""
    effects: list[Effect] = [CancelTimer(HEARTBEAT_TIMER), *state.forget("heartbeat", "offsets")]
    state.must_rejoin = False
    if not state.is_cooperative:
        effects += reading.give_up(state, tuple(state.owned), is_lost=False)
    state.phase = Phase.JOINING
    settings = state.settings
    request = JoinGroupRequest(
        group=state.group,
        member_id=state.member_id,
        instance_id=state.instance_id,
        client_id=state.client_id,
        client_host="built-in",
        session_timeout_ms=settings.consumer_session_timeout_ms,
        rebalance_timeout_ms=settings.consumer_rebalance_timeout_ms,
        protocol_type=PROTOCOL_TYPE,
        protocols=tuple((name, _subscription(state, name)) for name in state.assignors),
    )
    patience_ms = settings.consumer_rebalance_timeout_ms + SYNC_MARGIN_MS

    def then(message: Message | None, now_ms: int) -> list[Effect]:
        return _on_join(state, message, now_ms)

    return [*effects, *state.ask("join", state.coordinator, request, then, patience_ms=patience_ms)]


def _subscription(state: MemberState, assignor: str) -> bytes:
    """What it holds goes along, which is nothing where it is eager; sticky is told what sticky dealt.
    Source: ConsumerCoordinator.metadata, StickyAssignor.subscriptionUserData."""
    subscription = Subscription(
        topics=state.topics,
        user_data=state.sticky_data if assignor == STICKY else b"",
        owned=tuple(state.owned),
        generation=state.owned_generation,
    )
    return encode_subscription(subscription)


def _on_join(state: MemberState, message: Message | None, now_ms: int) -> list[Effect]:
    response = message if isinstance(message, JoinGroupResponse) else JoinGroupResponse(error=NO_ANSWER)
    if response.error == ErrorCode.MEMBER_ID_REQUIRED:
        state.member_id, state.phase = response.member_id, Phase.OUTSIDE
        return []
    if response.error != ErrorCode.NONE:
        return on_error(state, response.error, now_ms)
    state.member_id, state.generation = response.member_id, response.generation
    state.protocol, state.phase = response.protocol, Phase.SYNCING
    is_leader = response.leader == response.member_id and not response.skip_assignment
    asked = _lead(state, response) if is_leader else _sync(state, ())
    return [*asked, *schedule_heartbeat(state)]


def _sync(state: MemberState, parts: tuple[tuple[str, bytes], ...]) -> list[Effect]:
    """Ask for the own part; the leader hands in those of all."""
    request = SyncGroupRequest(
        group=state.group,
        generation=state.generation,
        member_id=state.member_id,
        instance_id=state.instance_id,
        protocol_type=PROTOCOL_TYPE,
        protocol=state.protocol,
        assignments=parts,
    )

    def then(answer: Message | None, now_ms: int) -> list[Effect]:
        return _on_sync(state, answer, now_ms)

    patience_ms = state.settings.consumer_rebalance_timeout_ms + SYNC_MARGIN_MS
    return state.ask("sync", state.coordinator, request, then, patience_ms=patience_ms)


def _lead(state: MemberState, response: JoinGroupResponse) -> list[Effect]:
    """The leader's task: everybody's part, of topics that it may not subscribe to itself."""
    applicants = [_applicant(*member) for member in response.members]
    counts: dict[str, int] = {}
    for topic, partition in state.leaders:
        counts[topic] = max(counts.get(topic, 0), partition + 1)
    missing = {topic for item in applicants for topic in item.subscription.topics} - set(counts)
    generation = state.generation

    def divide() -> list[Effect]:
        parts = ASSIGNORS[response.protocol](applicants, counts)
        return _sync(state, tuple((member_id, encode_assignment(part)) for member_id, part in parts.items()))

    def then(message: Message | None, _now_ms: int) -> list[Effect]:
        if state.phase is not Phase.SYNCING or state.generation != generation:
            return []
        for topic, partition, _ in message.partitions if isinstance(message, MetadataResponse) else ():
            counts[topic] = max(counts.get(topic, 0), partition + 1)
        return divide()

    if not missing:
        return divide()
    return state.ask("topics", state.next_broker(), MetadataRequest(topics=tuple(sorted(missing))), then)


def _applicant(member_id: str, instance_id: str, data: bytes) -> Applicant:
    """One whose subscription cannot be read wants nothing."""
    try:
        return Applicant(member_id, instance_id, decode_subscription(data))
    except ProtocolError:
        return Applicant(member_id, instance_id, Subscription(topics=()))


def _on_sync(state: MemberState, message: Message | None, now_ms: int) -> list[Effect]:
    response = message if isinstance(message, SyncGroupResponse) else SyncGroupResponse(error=NO_ANSWER)
    if response.error != ErrorCode.NONE:
        return on_error(state, response.error, now_ms)
    state.phase = Phase.MEMBER
    effects = reading.take(state, decode_assignment(response.assignment))
    return [*effects, *reading.schedule_commit(state)]


def schedule_heartbeat(state: MemberState) -> list[Effect]:
    """The next one is due after heartbeat.interval.ms."""
    return [SetTimer(HEARTBEAT_TIMER, state.settings.consumer_heartbeat_interval_ms)]


def heartbeat(state: MemberState) -> list[Effect]:
    """Say that the member is alive, unless it has no place or no coordinator to say it to."""
    if state.phase not in (Phase.SYNCING, Phase.MEMBER):
        return []
    again = schedule_heartbeat(state)
    if state.coordinator == NO_NODE or state.waits("heartbeat"):
        return again
    request = HeartbeatRequest(
        group=state.group, generation=state.generation, member_id=state.member_id, instance_id=state.instance_id
    )

    def then(message: Message | None, now_ms: int) -> list[Effect]:
        error = message.error if isinstance(message, HeartbeatResponse) else NO_ANSWER
        if error == ErrorCode.REBALANCE_IN_PROGRESS:
            state.must_rejoin = state.phase is Phase.MEMBER
            return []
        return [] if error == ErrorCode.NONE else on_error(state, error, now_ms)

    return [*again, *state.ask("heartbeat", state.coordinator, request, then)]


def on_error(state: MemberState, error: int, now_ms: int) -> list[Effect]:
    """What a member does about an error of its coordinator."""
    if state.phase in (Phase.LEAVING, Phase.ENDED):
        return []
    waiting = state.phase in (Phase.JOINING, Phase.SYNCING)
    if error in STRANGER:
        state.phase = Phase.OUTSIDE
        effects = [
            *state.forget("join", "sync", "topics", "heartbeat", "commit", "offsets"),
            CancelTimer(HEARTBEAT_TIMER),
        ]
        effects += reading.give_up(state, tuple(state.owned), is_lost=True)
        state.generation = -1
        if error == ErrorCode.UNKNOWN_MEMBER_ID:
            state.member_id = ""
        return effects
    if error in ELSEWHERE:
        state.coordinator = NO_NODE
        state.phase = Phase.OUTSIDE if waiting else state.phase
        return [*state.forget("heartbeat"), *state.back_off()]
    if error in LATER:
        state.phase = Phase.OUTSIDE if waiting else state.phase
        return [] if error == ErrorCode.REBALANCE_IN_PROGRESS else state.back_off()
    return fail(state)


def fail(state: MemberState) -> list[Effect]:
    """The coordinator will never let this member in as it is: fenced, or with settings it does not take."""
    return [*reading.give_up(state, tuple(state.owned), is_lost=True), *end(state, "failed")]


def leave(state: MemberState) -> list[Effect]:
    """Commit, give everything up; say so once the commit has ended."""
    if state.phase is Phase.LEAVING:
        return []
    effects = reading.give_up(state, tuple(state.owned), is_lost=False)
    state.phase = Phase.LEAVING
    effects += [CancelTimer(HEARTBEAT_TIMER), CancelTimer(COMMIT_TIMER)]
    return [*effects, *state.forget("find", "metadata", "join", "sync", "topics", "heartbeat", "offsets", "fetch")]


def say_goodbye(state: MemberState) -> list[Effect]:
    """A static member says nothing: it may be back within its session. Source: KIP-345."""
    if state.waits("commit") or state.waits("leave"):
        return []
    if state.coordinator == NO_NODE or not state.member_id or state.instance_id:
        return end(state, "left")
    request = LeaveGroupRequest(group=state.group, members=((state.member_id, state.instance_id),))
    return state.ask("leave", state.coordinator, request, lambda _message, _now_ms: end(state, "left"))


def end(state: MemberState, how: str) -> list[Effect]:
    """Nothing more is done."""
    kinds = {item.kind for item in state.asked.values()}
    state.phase = Phase.ENDED
    event = ConsumerEnded(client_id=state.client_id, group=state.group, member_id=state.member_id, how=how)
    timers = [CancelTimer(name) for name in (HEARTBEAT_TIMER, COMMIT_TIMER)]
    return [*state.forget(*kinds), *timers, Emit(event)]
