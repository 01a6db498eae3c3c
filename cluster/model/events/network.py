"""Events of messages between nodes: single ones, and what came in during a quarter of a second.

They are observations. They stand beside the steps of the protocol, move no clock, and nothing follows from them: a
simulated run is the same with and without them.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import NodeId
from cluster.model.positional import Positional

LEFT, HELD, DELIVERED, LOST, UNANSWERED = "left", "held", "delivered", "lost", "unanswered"
"""Fates of a message, as the node that tells of it knows them.

left: it was given to a link, and its end is not known yet. held: a link keeps it back. lost: it will not arrive.
unanswered: a request whose answer will not come any more; whether the request arrived, its sender does not know.
"""


class MessageSeen(Positional, kw_only=True):
    """A single message left, is held, was delivered, or is lost.

    Told of votes, of the begin and end of an epoch, of changes of the ISR, of what is on its way while a leader is
    missing, of a link that a fault touches, and of each message that is known to be lost.
    """

    name: ClassVar[str] = "net.message"
    source: NodeId
    target: NodeId
    message: str
    """Kind of the message: VoteRequest, VoteResponse, ..."""
    is_answer: bool
    fate: str
    """left, held, delivered, lost or unanswered."""
    left_ns: int
    """When its sender gave it to the link, on the run's clock; 0 when the sender did not say."""
    ended_ns: int = 0
    """When it was delivered, was lost, or was waited for no longer; 0 while it is on its way or held."""
    correlation: int = 0
    """Chosen by the requester, repeated in the answer."""
    why: str = ""
    """Why it is held or lost."""
    topic: str = ""
    """Of the partition it is about, __cluster_metadata for the quorum; empty for none."""
    partition: int = -1
    numbers: tuple[tuple[str, int], ...] = ()
    """What labels it, by name: epoch, offset, granted, error, ..."""


class TrafficSeen(Positional, kw_only=True):
    """What a node heard over its links in a quarter of a second or, when it heard little, in a longer time.

    Each message is counted here by the node that it came to, also one that is told singly.
    """

    name: ClassVar[str] = "net.traffic"
    since_ns: int
    """When the counting began, on the run's clock."""
    until_ns: int
    """When it ended (exclusive)."""
    heard: tuple[tuple[NodeId, str, int, int, int, int, str, int, tuple[tuple[str, int], ...]], ...] = ()
    """(sender, kind, messages, bytes of records in them, then of one of them: when it left and when it was delivered,
    topic, partition, numbers) of each kind from each sender."""
    held: tuple[tuple[NodeId, NodeId, int, int], ...] = ()
    """(source, target, messages, age of the oldest in ms) of each direction on which this node holds messages."""
    unanswered: tuple[tuple[NodeId, int, int], ...] = ()
    """(node, requests to it without an answer yet, age of the oldest in ms)."""


NetworkEvent: TypeAlias = MessageSeen | TrafficSeen
