"""A member of the newer protocol: one request joins, stays, acknowledges and leaves. Source: KIP-848.

The coordinator assigns. What it takes away is committed and given up first; the next heartbeat says so, and only then
may somebody else have it. Source: Kafka ConsumerHeartbeatRequestManager, ConsumerMembershipManager.
"""

from __future__ import annotations

from cluster.clients import reading
from cluster.clients.member_state import HEARTBEAT_TIMER, MemberState, Phase
from cluster.clients.membership import ELSEWHERE, end, fail
from cluster.clients.rules.retries import NO_ANSWER
from cluster.model.effects import CancelTimer, Effect, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.messages import ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse, Message

JOIN, LEAVE, LEAVE_FOR_A_WHILE = 0, -1, -2
FENCED = (ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.GROUP_ID_NOT_FOUND)
"""The group went on without this member: what it held is lost, and it joins anew."""


def join(state: MemberState) -> list[Effect]:
    """Come with nothing, under an id of its own: its name and its number, where Kafka's client draws one."""
    state.member_id = state.member_id or f"{state.client_id}-{state.node_id}"
    state.phase, state.tells_all = Phase.JOINING, True
    return _say(state, JOIN)


def heartbeat(state: MemberState) -> list[Effect]:
    """Say that the member is there; after an error, all that there is to say."""
    if state.phase is not Phase.MEMBER:
        return []
    again: list[Effect] = [SetTimer(HEARTBEAT_TIMER, state.heartbeat_interval_ms)]
    if state.coordinator == NO_NODE or state.waits("heartbeat"):
        return again
    return [*again, *_say(state, state.generation)]


def acknowledge(state: MemberState) -> list[Effect]:
    """Say what it owns now: what it gave up may go to others."""
    state.must_acknowledge = False
    return _say(state, state.generation, tells_owned=True)


def say_goodbye(state: MemberState) -> list[Effect]:
    """Leave: a static member for a while, so that it finds its place again."""
    if state.waits("commit") or state.waits("heartbeat"):
        return []
    if state.coordinator == NO_NODE or state.generation < 0:
        return end(state, "left")
    return _say(state, LEAVE_FOR_A_WHILE if state.instance_id else LEAVE)


def _say(state: MemberState, epoch: int, *, tells_owned: bool = False) -> list[Effect]:
    is_leaving = epoch < JOIN
    tells_all = state.tells_all and not is_leaving
    ids = state.topic_ids
    owned = tuple((ids[where.topic], where.partition) for where in sorted(state.owned)) if epoch > JOIN else ()
    request = ConsumerGroupHeartbeatRequest(
        group=state.group,
        member_id=state.member_id,
        member_epoch=epoch,
        instance_id=state.instance_id or None,
        rebalance_timeout_ms=state.settings.consumer_rebalance_timeout_ms if tells_all else -1,
        topics=state.topics if tells_all else None,
        assignor=state.assignors[0] if tells_all else None,
        owned=owned if tells_all or tells_owned else None,
        client_id=state.client_id,
        client_host="built-in",
    )

    def then(message: Message | None, now_ms: int) -> list[Effect]:
        return end(state, "left") if is_leaving else _on_told(state, message, now_ms)

    return state.ask("heartbeat", state.coordinator, request, then)


def _on_told(state: MemberState, message: Message | None, _now_ms: int) -> list[Effect]:
    if state.phase not in (Phase.JOINING, Phase.MEMBER):
        return []
    answer = (
        message
        if isinstance(message, ConsumerGroupHeartbeatResponse)
        else ConsumerGroupHeartbeatResponse(error=NO_ANSWER)
    )
    if answer.error != ErrorCode.NONE:
        return _on_error(state, answer.error)
    is_new = state.phase is Phase.JOINING
    state.phase, state.tells_all = Phase.MEMBER, False
    state.generation, state.heartbeat_interval_ms = answer.member_epoch, answer.heartbeat_interval_ms
    effects: list[Effect] = [SetTimer(HEARTBEAT_TIMER, answer.heartbeat_interval_ms)]
    if answer.assignment is not None:
        effects += _take(state, answer.assignment)
    return [*effects, *(reading.schedule_commit(state) if is_new else [])]


def _take(state: MemberState, assignment: tuple[tuple[int, int], ...]) -> list[Effect]:
    """Own exactly this. A topic that it has not heard of yet is asked for, and so is the assignment once more."""
    names = {topic_id: topic for topic, topic_id in state.topic_ids.items()}
    assigned = [TopicPartition(names[topic_id], index) for topic_id, index in assignment if topic_id in names]
    if len(assigned) < len(assignment):
        state.has_metadata, state.tells_all = False, True
    if set(assigned) == set(state.owned):
        return []
    state.must_acknowledge = True
    return reading.take(state, assigned)


def _on_error(state: MemberState, error: int) -> list[Effect]:
    is_joining = state.phase is Phase.JOINING
    state.tells_all = True
    if error in ELSEWHERE or error == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
        if error in ELSEWHERE:
            state.coordinator = NO_NODE
        state.phase = Phase.OUTSIDE if is_joining else state.phase
        return state.back_off()
    if error not in FENCED or (is_joining and error == ErrorCode.GROUP_ID_NOT_FOUND):
        return fail(state)
    state.phase, state.must_acknowledge = Phase.OUTSIDE, False
    effects = [*state.forget("heartbeat", "commit", "offsets"), CancelTimer(HEARTBEAT_TIMER)]
    effects += reading.give_up(state, tuple(state.owned), is_lost=True)
    state.generation = -1
    return effects
