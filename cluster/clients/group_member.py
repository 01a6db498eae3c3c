"""A consumer that belongs to a group: one door; after each input it asks what it needs next. Source: KafkaConsumer."""

from __future__ import annotations

from cluster.clients import consumer_membership, membership, reading
from cluster.clients.assignors import ASSIGNORS
from cluster.clients.member_state import (
    COMMIT_TIMER,
    FETCHER_TIMER,
    HEARTBEAT_TIMER,
    REQUEST_TIMER,
    RETRY_TIMER,
    CommitMode,
    MemberState,
    Phase,
)
from cluster.fetch_sessions.session_handler import FetchSessionHandler
from cluster.model.effects import CancelTimer, Effect
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.model.inputs import ClientRequest, Disconnected, Input, Received, TimerFired
from cluster.model.messages import SessionFetchResponse
from cluster.model.settings import Settings

ORDERS = ("leave", "commit")
CONSUMER = "consumer"
"""group.protocol of members of the newer protocol (KIP-848)."""
OF_COORDINATOR = ("uniform", "range")
"""Assignors that such a member may ask its coordinator for."""


class GroupMember:
    """Reads its part of some topics until it is told to leave."""

    __slots__ = ("_fetches", "_state")

    def __init__(
        self,
        client_id: str,
        node_id: NodeId,
        brokers: tuple[NodeId, ...],
        settings: Settings,
        asked: ClientRequest,
        *,
        first_correlation: int = 0,
    ) -> None:
        """
        Args:
            asked: the arguments group, topics and assignors (with commas between), instance, commit and protocol.

        Raises:
            ValueError: an assignor or a way to commit that does not exist.
        """
        given = asked.arguments
        is_consumer = given.get("protocol") == CONSUMER
        assignors = tuple(str(given.get("assignors", "uniform" if is_consumer else "range")).split(","))
        if unknown := set(assignors) - set(OF_COORDINATOR if is_consumer else ASSIGNORS):
            raise ValueError(f"no assignor {sorted(unknown)[0]}")
        self._state = MemberState(
            client_id=client_id,
            node_id=node_id,
            brokers=brokers,
            settings=settings,
            group=str(given["group"]),
            topics=tuple(str(given["topics"]).split(",")),
            assignors=assignors,
            instance_id=str(given.get("instance", "")),
            mode=CommitMode(str(given.get("commit", "auto"))),
            is_consumer=is_consumer,
            first_correlation=first_correlation,
        )
        self._fetches = (
            FetchSessionHandler(
                FETCHER_TIMER,
                settings.request_timeout_ms,
                self._state.fresh_correlation,
                lambda correlation: correlation in self._state.asked,
            )
            if settings.fetch_sessions
            else None
        )

    @property
    def idle(self) -> bool:
        """Whether it has left."""
        return self._state.phase is Phase.ENDED

    @property
    def group(self) -> str:
        """Id of the group that it is a member of, or wants to be."""
        return self._state.group

    @property
    def member_id(self) -> str:
        """As the coordinator named it; empty before."""
        return self._state.member_id

    @property
    def owned(self) -> tuple[TopicPartition, ...]:
        """The partitions that it owns now, sorted."""
        return tuple(sorted(self._state.owned))

    def waits_for(self, node: NodeId) -> bool:
        """Whether a request that can be lost is on its way to that node."""
        return any(item.target == node for item in self._state.asked.values())

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        if self._state.phase is Phase.ENDED:
            return []
        if self._fetches is None:
            return [*self._on(happened, now_ms), *self._go_on(now_ms)]
        effects = self._on_in_session(self._fetches, happened, now_ms) + self._go_on(now_ms)
        kept = list(self._fetches.gather(effects))
        return kept + (self._fetches.close() if self.idle else self._fetches.send())

    def _on_in_session(self, fetches: FetchSessionHandler, happened: Input, now_ms: int) -> list[Effect]:
        """Take an answer to several fetches apart."""
        match happened:
            case Received(sender=sender, correlation=correlation, message=SessionFetchResponse() as response):
                received = fetches.answered(sender, correlation, response)
                if received is None:
                    return []
                taken = [effect for each in received for effect in self._on(each, now_ms)]
                return [fetches.guard(sender), *taken]
            case TimerFired(name=name) if fetches.on_timer(name):
                return []
            case Disconnected(peer=peer):
                fetches.lost(peer)
            case _:
                pass
        return self._on(happened, now_ms)

    def _on(self, happened: Input, now_ms: int) -> list[Effect]:
        state = self._state
        match happened:
            case ClientRequest(operation="leave"):
                return membership.leave(state)
            case ClientRequest(operation="commit"):
                return reading.commit(state)
            case Received(correlation=correlation, message=message):
                asked = state.asked.pop(correlation, None)
                if asked is None:
                    return []
                return [CancelTimer(f"{REQUEST_TIMER}{correlation}"), *asked.then(message, now_ms)]
            case TimerFired(name=name):
                return self._on_timer(name, now_ms)
            case Disconnected(peer=peer):
                lost = [number for number, item in state.asked.items() if item.target == peer]
                return [effect for number in lost for effect in self._on_silence(number, now_ms)]
            case _:
                return []

    def _on_timer(self, name: str, now_ms: int) -> list[Effect]:
        state = self._state
        if name == RETRY_TIMER:
            state.is_backing_off = False
            return []
        if name == HEARTBEAT_TIMER:
            return consumer_membership.heartbeat(state) if state.is_consumer else membership.heartbeat(state)
        if name == COMMIT_TIMER:
            is_member = state.phase is Phase.MEMBER
            effects = reading.commit(state) if is_member and not state.waits("commit") else []
            return [*effects, *reading.schedule_commit(state)]
        if name.startswith(REQUEST_TIMER):
            return self._on_silence(int(name.removeprefix(REQUEST_TIMER)), now_ms)
        return []

    def _on_silence(self, correlation: int, now_ms: int) -> list[Effect]:
        """No answer will come on this way."""
        asked = self._state.asked.pop(correlation, None)
        if asked is None:
            return []
        return [CancelTimer(f"{REQUEST_TIMER}{correlation}"), *asked.then(None, now_ms)]

    def _go_on(self, now_ms: int) -> list[Effect]:
        """Whatever is missing is asked for, one thing after the other; reading goes on meanwhile."""
        state = self._state
        if state.phase is Phase.LEAVING:
            return consumer_membership.say_goodbye(state) if state.is_consumer else membership.say_goodbye(state)
        effects: list[Effect] = [] if state.is_backing_off else self._ask_next(now_ms)
        busy = {item.where for item in state.asked.values() if item.kind == "fetch"}
        for where, item in sorted(state.owned.items()):
            if item.position >= 0 and where not in busy and state.is_led(where):
                effects += reading.fetch(state, where)
        return effects

    def _ask_next(self, now_ms: int) -> list[Effect]:
        state = self._state
        effects: list[Effect] = []
        if not state.has_metadata or state.lacks_leader:
            effects += [] if state.waits("metadata") else membership.ask_metadata(state)
        if state.coordinator == NO_NODE:
            effects += [] if state.waits("find") else membership.find(state)
        elif state.phase is Phase.OUTSIDE or (state.phase is Phase.MEMBER and state.must_rejoin):
            effects += self._join(now_ms) if state.has_metadata else []
        elif state.phase is Phase.MEMBER and state.must_acknowledge:
            is_busy = state.waits("commit") or state.waits("heartbeat")
            effects += [] if is_busy else consumer_membership.acknowledge(state)
        elif state.phase is Phase.MEMBER and any(item.position < 0 for item in state.owned.values()):
            effects += [] if state.waits("offsets") else reading.ask_offsets(state)
        elif state.phase is Phase.MEMBER and state.must_commit and not state.waits("commit"):
            effects += reading.commit(state)
        return effects

    def _join(self, now_ms: int) -> list[Effect]:
        state = self._state
        return consumer_membership.join(state) if state.is_consumer else membership.join(state, now_ms)
