"""ConsumerGroupHeartbeat: members of the newer protocol join, stay, leave and fall silent. Source: KIP-848.

A group changes one record batch at a time: while one waits for its replicas, whoever comes waits too. So what is known
of a group is always committed, and nothing need be taken back when the offsets topic refuses a record. Kafka goes on
with what is not committed yet, and takes it back.
"""

from __future__ import annotations

from cluster.coordination.led_partition import Asker
from cluster.coordination.writing import Answer, write
from cluster.groups.consumer import step
from cluster.groups.consumer.assignors import ASSIGNORS
from cluster.groups.consumer.events import Change, tell
from cluster.groups.consumer.records import changes
from cluster.groups.consumer.rules import members as rules
from cluster.groups.consumer.state import (
    JOIN,
    LEAVE,
    LEAVE_FOR_A_WHILE,
    ConsumerGroup,
    ConsumerMember,
    MemberState,
    Topics,
)
from cluster.groups.group_state import GroupState
from cluster.groups.records import group_tombstone
from cluster.groups.rules import fits_record
from cluster.groups.state import Group, Presence, Queued, Shard, Shared, found_group
from cluster.groups.state_changes import change_state, told_of_another_kind
from cluster.groups.timers import forget_timer
from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import GroupRequestRefused
from cluster.model.identifiers import Offset
from cluster.model.messages import ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse
from cluster.model.ruling import Decision

RETRY_MS = 500
"""After which a member that could not be put out is put out again; Kafka's, and no setting there either."""


def on_heartbeat(
    shared: Shared, shard: Shard, asker: Asker, request: ConsumerGroupHeartbeatRequest, topics: Topics, now_ms: int
) -> list[Effect]:
    """Serve a member now, or after the change of its group that is under way."""
    group = shard.groups.get(request.group)
    if group is None or not group.is_writing:
        return _serve(shared, shard, asker, request, topics, now_ms)

    def refuse(error: ErrorCode) -> list[Effect]:
        return [Send(asker.sender, ConsumerGroupHeartbeatResponse(error=error), asker.correlation)]

    group.queue.append(Queued(lambda then_ms: _serve(shared, shard, asker, request, topics, then_ms), refuse))
    return []


def _serve(
    shared: Shared, shard: Shard, asker: Asker, request: ConsumerGroupHeartbeatRequest, topics: Topics, now_ms: int
) -> list[Effect]:
    group = shard.groups.get(request.group)
    error, decision = rules.valid_request(request, ASSIGNORS).with_evidence
    if error == ErrorCode.NONE:
        error, decision = fits_record(request.member_id).with_evidence
    if error == ErrorCode.NONE:
        error, decision = rules.of_this_kind(group, joins=request.member_epoch == JOIN).with_evidence
    if error != ErrorCode.NONE:
        return _refuse(asker, group, request, error, decision)
    if group is None:
        group = found_group(shared, shard, request.group, now_ms)
    consumer_group = group.consumer or ConsumerGroup()
    member_id = request.member_id or shared.member_id("")[1:]
    if request.member_epoch >= JOIN:
        error, decision = rules.has_room(
            consumer_group, member_id, shared.settings.consumer_group_max_size
        ).with_evidence
    if error == ErrorCode.NONE:
        error, decision = rules.known_member(consumer_group, request).with_evidence
    if error == ErrorCode.NONE and request.member_epoch >= JOIN and member_id in consumer_group.members:
        owned = None if request.owned is None else frozenset(request.owned)
        error, decision = rules.member_epoch(
            consumer_group.members[member_id], request.member_epoch, owned
        ).with_evidence
    if error != ErrorCode.NONE:
        return _refuse(asker, group, request, error, decision)
    if request.member_epoch < JOIN:
        return _on_leave(shared, shard, group, asker, request, topics, now_ms)
    return _on_stay(shared, shard, group, member_id, asker, request, topics, now_ms)


def _on_stay(
    shared: Shared,
    shard: Shard,
    group: Group,
    member_id: str,
    asker: Asker,
    request: ConsumerGroupHeartbeatRequest,
    topics: Topics,
    now_ms: int,
) -> list[Effect]:
    before = group.consumer or ConsumerGroup()
    after, decision = step.heartbeat(before, member_id, request, topics)
    gone = [key for key in before.members if key not in after.members]
    change = Change(
        before=before, after=after, decision=decision, why="replaced", silent_ms=_silent_ms(group, gone, now_ms)
    )
    response = _told(shared, before.members.get(member_id), after.members[member_id], request)
    effects = _hear(shared, group, member_id, now_ms)
    return [*effects, *_write(shared, shard, group, change, topics, _answering(asker, response), now_ms)]


def _answering(asker: Asker, response: ConsumerGroupHeartbeatResponse) -> Answer:
    def answer(error: ErrorCode, _now_ms: int) -> list[Effect]:
        answer = response if error == ErrorCode.NONE else ConsumerGroupHeartbeatResponse(error=error)
        return [Send(asker.sender, answer, asker.correlation)]

    return answer


def _told(
    shared: Shared, before: ConsumerMember | None, after: ConsumerMember, request: ConsumerGroupHeartbeatRequest
) -> ConsumerGroupHeartbeatResponse:
    """The assignment is told when it has changed, and to a member that tells all of itself: it may have missed it."""
    has_subscription = request.topics is not None or request.pattern is not None
    tells_all = request.rebalance_timeout_ms != -1 and has_subscription and request.owned is not None
    has_changed = before is None or before.assigned != after.assigned
    is_told = request.member_epoch == JOIN or tells_all or has_changed
    return ConsumerGroupHeartbeatResponse(
        member_id=after.member_id,
        member_epoch=after.epoch,
        heartbeat_interval_ms=shared.settings.consumer_group_heartbeat_interval_ms,
        assignment=tuple(sorted(after.assigned)) if is_told else None,
    )


def _on_leave(
    shared: Shared,
    shard: Shard,
    group: Group,
    asker: Asker,
    request: ConsumerGroupHeartbeatRequest,
    topics: Topics,
    now_ms: int,
) -> list[Effect]:
    assert group.consumer is not None, "who leaves was known"
    before = group.consumer
    holder = None if request.instance_id is None else before.static_member(request.instance_id)
    member = holder or before.members[request.member_id]
    if request.member_epoch == LEAVE_FOR_A_WHILE:
        after = step.leave_for_a_while(before, member)
    else:
        after = step.leave(before, member.member_id)
    silent_ms = _silent_ms(group, [member.member_id], now_ms)
    change = Change(before=before, after=after, why="left", silent_ms=silent_ms)
    response = ConsumerGroupHeartbeatResponse(member_id=member.member_id, member_epoch=request.member_epoch)
    return _write(shared, shard, group, change, topics, _answering(asker, response), now_ms)


def on_timer(shared: Shared, shard: Shard, group: Group, name: str, topics: Topics, now_ms: int) -> list[Effect]:
    """A session or a rebalance timeout is over: the member is out, unless it has been heard meanwhile.

    Where the offsets topic refuses that, it is tried again. Source: CoordinatorRuntime.EventBasedCoordinatorTimer.
    """
    if group.is_writing:
        group.queue.append(Queued(lambda then_ms: on_timer(shared, shard, group, name, topics, then_ms), lambda _: []))
        return []
    presence = next((item for item in group.presence.items() if name in _timers(item[1])), None)
    member = None if presence is None or group.consumer is None else group.consumer.members.get(presence[0])
    if presence is None:
        return forget_timer(shared, name)
    if member is None or group.consumer is None:
        return forget(shared, group, presence[0])
    member_id, seen = presence
    silent_ms = now_ms - seen.heard_ms
    if name == seen.session_timer:
        why = "session_expired"
        ruling = rules.session_expired(silent_ms, shared.settings.consumer_group_session_timeout_ms)
    else:
        why, ruling = "rebalance_expired", rules.rebalance_expired(member, seen.rebalance_epoch)
    if not ruling.granted:
        return []
    after = step.leave(group.consumer, member_id)
    silent = {member_id: silent_ms}
    change = Change(before=group.consumer, after=after, decision=ruling.decision, why=why, silent_ms=silent)

    def again(error: ErrorCode, _now_ms: int) -> list[Effect]:
        return [] if error in (ErrorCode.NONE, ErrorCode.NOT_COORDINATOR) else [SetTimer(name, RETRY_MS)]

    return _write(shared, shard, group, change, topics, again, now_ms)


def _write(
    shared: Shared,
    shard: Shard,
    group: Group,
    change: Change,
    topics: Topics,
    answer: Answer,
    now_ms: int,
) -> list[Effect]:
    """Make a change durable, then tell of it; a heartbeat that changes nothing is answered at once."""
    records = changes(group.name, change.before, change.after)
    if not records:
        return answer(ErrorCode.NONE, now_ms)
    if group.consumer is None and group.protocol_type:
        records.insert(0, group_tombstone(group.name))
    group.is_writing = True

    def apply(offset: Offset) -> list[Effect]:
        return _apply(shared, group, change, topics, offset, now_ms)

    def done(then_ms: int) -> list[Effect]:
        group.is_writing = False
        return serve_queue(group, then_ms)

    return write(shared, shard, records, apply, answer, done)


def _apply(shared: Shared, group: Group, change: Change, topics: Topics, offset: Offset, now_ms: int) -> list[Effect]:
    """The change is committed."""
    if group.state is GroupState.DEAD:
        return []
    effects: list[Effect] = []
    if group.consumer is None:
        effects += told_of_another_kind(group)
        group.protocol_type = group.protocol = group.leader = ""
        group.pending_members.clear()
    group.consumer, group.generation = change.after, change.after.epoch
    session_timeout_ms = shared.settings.consumer_group_session_timeout_ms
    effects += tell(group.name, change, offset, session_timeout_ms, topics.name)
    for member_id in change.before.members:
        if member_id not in change.after.members:
            effects += forget(shared, group, member_id)
    for member in change.after.members.values():
        effects += watch_revocation(shared, group, member)
    if change.after.state is not group.state:
        effects += change_state(group, change.after.state, _why(change), now_ms)
    return effects


def _why(change: Change) -> str:
    if len(change.after.members) < len(change.before.members):
        return f"a member is out: {change.why}"
    if len(change.after.members) > len(change.before.members):
        return "a member is new"
    if change.after.epoch != change.before.epoch:
        return "a member's subscription or the topics have changed"
    return "a member has come closer to its target"


def serve_queue(group: Group, now_ms: int) -> list[Effect]:
    """Serve who waited, up to the first that changes the group again."""
    effects: list[Effect] = []
    while group.queue and not group.is_writing:
        effects += group.queue.pop(0).serve(now_ms)
    return effects


def refuse_queue(group: Group, error: ErrorCode) -> list[Effect]:
    """This broker coordinates the group no more."""
    waiting, group.queue = group.queue, []
    return [effect for item in waiting for effect in item.refuse(error)]


def _hear(shared: Shared, group: Group, member_id: str, now_ms: int) -> list[Effect]:
    seen = watch(shared, group, member_id)
    seen.heard_ms = now_ms
    return [SetTimer(seen.session_timer, shared.settings.consumer_group_session_timeout_ms)]


def watch(shared: Shared, group: Group, member_id: str) -> Presence:
    """The signs of life of a member, from now on."""
    seen = group.presence.get(member_id)
    if seen is None:
        number = shared.number()
        seen = Presence(session_timer=f"groups.session.{number}", rebalance_timer=f"groups.rebalance.{number}")
        group.presence[member_id] = seen
        for timer in _timers(seen):
            shared.timers[timer] = (group.name, member_id)
    return seen


def forget(shared: Shared, group: Group, member_id: str) -> list[Effect]:
    """It is out, or never came in: its signs of life count no more."""
    seen = group.presence.pop(member_id, None)
    timers = () if seen is None else _timers(seen)
    return [effect for timer in timers for effect in forget_timer(shared, timer)]


def watch_revocation(shared: Shared, group: Group, member: ConsumerMember) -> list[Effect]:
    """A member that has to give something up has its rebalance timeout for it, in each of its epochs once."""
    seen = watch(shared, group, member.member_id)
    if member.state is not MemberState.UNREVOKED_PARTITIONS:
        is_on, seen.rebalance_epoch = seen.rebalance_epoch != -1, -1
        return [CancelTimer(seen.rebalance_timer)] if is_on else []
    if seen.rebalance_epoch == member.epoch:
        return []
    seen.rebalance_epoch = member.epoch
    return [SetTimer(seen.rebalance_timer, max(1, member.rebalance_timeout_ms))]


def resume(shared: Shared, group: Group, now_ms: int) -> list[Effect]:
    """A new coordinator gives each member a session anew: nobody heard it meanwhile."""
    effects: list[Effect] = []
    for member in group.consumer.members.values() if group.consumer is not None else ():
        effects += [*_hear(shared, group, member.member_id, now_ms), *watch_revocation(shared, group, member)]
    return effects


def _timers(seen: Presence) -> tuple[str, str]:
    return seen.session_timer, seen.rebalance_timer


def _silent_ms(group: Group, member_ids: list[str], now_ms: int) -> dict[str, int]:
    return {key: now_ms - group.presence[key].heard_ms for key in member_ids if key in group.presence}


def _refuse(
    asker: Asker, group: Group | None, request: ConsumerGroupHeartbeatRequest, error: ErrorCode, decision: Decision
) -> list[Effect]:
    event = GroupRequestRefused(
        function="leave" if request.member_epoch <= LEAVE else "consumer heartbeat",
        group=request.group,
        member_id=request.member_id,
        generation=request.member_epoch,
        error=error,
        group_generation=-1 if group is None else group.generation,
        state="" if group is None else str(group.state),
    )
    response = ConsumerGroupHeartbeatResponse(error=error, message=decision.reason)
    return [Emit(event, decision), Send(asker.sender, response, asker.correlation)]
