"""What a built-in member of a consumer group knows."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct, field

from cluster.clients.assignors import COOPERATIVE
from cluster.clients.state import CORRELATION_REMAINDER, CORRELATION_STEP
from cluster.model.effects import CancelTimer, Effect, Send, SetTimer
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, Offset, TopicPartition
from cluster.model.messages import Message
from cluster.model.settings import Settings

RETRY_TIMER, HEARTBEAT_TIMER, COMMIT_TIMER = "member.retry", "member.heartbeat", "member.commit"
REQUEST_TIMER, FETCHER_TIMER = "member.request.", "member.fetcher."
Then = Callable[[Message | None, int], list[Effect]]
"""What to do with an answer, None for none, and the time."""


class Phase(StrEnum):
    """Where a member is in the life of its group."""

    OUTSIDE = "outside"
    """It has to join."""
    JOINING = "joining"
    """Its JoinGroup waits for the others."""
    SYNCING = "syncing"
    """Its SyncGroup waits for the leader."""
    MEMBER = "member"
    """It has its part."""
    LEAVING = "leaving"
    """It has said so."""
    ENDED = "ended"
    """It does nothing more."""


class CommitMode(StrEnum):
    """When offsets are committed."""

    AUTO = "auto"
    """Every auto.commit.interval.ms, before partitions are given up, and when leaving."""
    EACH = "each"
    """After every poll that brought records."""
    NO = "no"
    """Only when asked to."""


class Asked(Struct):
    """A request on its way."""

    kind: str
    """find, metadata, join, topics, sync, heartbeat, leave, commit, offsets, fetch."""
    target: NodeId
    then: Then
    where: TopicPartition | None = None


class Reading(Struct):
    """One partition that the member owns."""

    position: Offset = -1
    """Next to read; -1 before the committed offset is known."""
    committed: Offset = -1
    """As last committed or found committed; -1 for none."""


class MemberState(Struct, kw_only=True):
    """What a built-in member of a group knows: its coordinator, its partitions, and what it waits for."""

    client_id: str
    """Untrusted text."""
    node_id: NodeId
    """From 1001."""
    brokers: tuple[NodeId, ...]
    """All of the run."""
    settings: Settings
    group: str
    topics: tuple[str, ...]
    assignors: tuple[str, ...]
    """In order of preference."""
    instance_id: str
    """Of a static member; empty for a dynamic one."""
    mode: CommitMode
    """When offsets are committed."""
    is_consumer: bool = False
    """It speaks the newer protocol (KIP-848): the coordinator assigns, and the generation is its member epoch."""
    first_correlation: int = 0
    """Added to every correlation, so that several clients can share a connection."""
    counter: int = 0
    phase: Phase = Phase.OUTSIDE
    coordinator: NodeId = NO_NODE
    """-1 while it has to be found."""
    next_target: int = 0
    """Whom to ask next for coordinator or metadata."""
    has_metadata: bool = False
    """All of its topics are known."""
    leaders: dict[TopicPartition, tuple[NodeId, Epoch]] = field(default_factory=dict)
    """(leader, leader epoch) of every partition of the topics."""
    member_id: str = ""
    """As given by the coordinator."""
    generation: int = -1
    """Of the group; -1 outside."""
    protocol: str = ""
    owned: dict[TopicPartition, Reading] = field(default_factory=dict)
    owned_generation: int = -1
    """In which it got what it owns."""
    sticky_data: bytes = b""
    """What the sticky assignor dealt to it last, as it tells the next leader; empty while sticky has never dealt."""
    asked: dict[int, Asked] = field(default_factory=dict)
    """On their way, by correlation."""
    is_backing_off: bool = False
    """The retry timer runs."""
    must_rejoin: bool = False
    """A rebalance was announced, or partitions were given up that others wait for."""

    topic_ids: dict[str, int] = field(default_factory=dict)
    """Newer protocol: the id of each topic that it has heard of."""
    heartbeat_interval_ms: int = 0
    """Newer protocol: as the coordinator told it."""
    tells_all: bool = True
    """Newer protocol: an answer may have been lost, so the next heartbeat says everything."""
    must_acknowledge: bool = False
    """Newer protocol: the coordinator has to hear what it owns now."""
    must_commit: bool = False
    """A commit did not succeed, found no coordinator, or found another one on its way: it is for the next look."""

    @property
    def is_cooperative(self) -> bool:
        """Whether what it holds is kept while it joins: one eager assignor in its list makes it eager, whichever deals.
        Source: ConsumerCoordinator, its constructor."""
        return set(self.assignors) == {COOPERATIVE}

    @property
    def lacks_leader(self) -> bool:
        """Whether it owns a partition of which it knows no leader, or that leader was found wrong."""
        return any(not self.is_led(where) for where in self.owned)

    def is_led(self, where: TopicPartition) -> bool:
        """Whether it knows whom to ask for records of that partition."""
        return self.leaders.get(where, (NO_NODE, -1))[0] != NO_NODE

    def waits(self, kind: str) -> bool:
        """Whether such a request is on its way."""
        return any(item.kind == kind for item in self.asked.values())

    def ask(
        self,
        kind: str,
        target: NodeId,
        message: Message,
        then: Then,
        *,
        where: TopicPartition | None = None,
        patience_ms: int = 0,
    ) -> list[Effect]:
        """Send a request; the answer, or None after patience_ms, goes to then."""
        correlation = self.fresh_correlation()
        self.asked[correlation] = Asked(kind, target, then, where)
        timer = SetTimer(f"{REQUEST_TIMER}{correlation}", patience_ms or self.settings.request_timeout_ms)
        return [Send(target, message, correlation), timer]

    def fresh_correlation(self) -> int:
        """One that no request of this member has had."""
        self.counter += 1
        return self.first_correlation + self.counter * CORRELATION_STEP + CORRELATION_REMAINDER

    def forget(self, *kinds: str, where: TopicPartition | None = None) -> list[Effect]:
        """Answers to such requests are not wanted any more."""
        gone = [
            number
            for number, item in self.asked.items()
            if item.kind in kinds and (where is None or item.where == where)
        ]
        for number in gone:
            del self.asked[number]
        return [CancelTimer(f"{REQUEST_TIMER}{number}") for number in gone]

    def back_off(self) -> list[Effect]:
        """Wait retry.backoff.ms before anything is asked again."""
        self.is_backing_off = True
        return [SetTimer(RETRY_TIMER, self.settings.retry_backoff_ms)]

    def next_broker(self) -> NodeId:
        """Whom to ask what any broker knows."""
        self.next_target += 1
        return self.brokers[self.next_target % len(self.brokers)]
