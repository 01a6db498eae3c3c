"""What a link machine is told, and what it asks for. Effects are done in the order of their list.

What holds a channel is left to the garbage collector: a channel leads to its world, which may hold it again.
"""

from __future__ import annotations

from enum import Enum
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from cluster.faults.effects_on_links import LinkRules
from cluster.links.frame import Frame
from cluster.model.events import Event
from cluster.model.identifiers import NodeId


class Channel(Protocol):
    """This process's end of one connection. The world makes it; the machine only looks at it."""

    peer: NodeId
    """The process at the other end."""
    is_call: bool
    """Whether this end made the connection: then requests leave over it, and answers come in."""
    is_open: bool
    """Whether what is written to it may still arrive."""


AnyChannel = TypeVar("AnyChannel", bound=Channel)


class Wait(Enum):
    """What a timer of the machine is for."""

    HEAL_THERE = "frames to the peer are held"
    HEAL_BACK = "frames from the peer are held"
    PLUCKED = "a message between here and the peer is late"
    LEAVE = "frames to the peer are on a delayed or slow way"
    CALL = "a connection cannot be made while the link is cut"


class Timer(NamedTuple):
    """One timer. The world hands it back when it has run out; one that is out of date changes nothing."""

    peer: NodeId
    wait: Wait
    number: int
    """Unique in its machine."""


class RequestOut(Struct, gc=False):
    """The process has a request for a node."""

    target: NodeId
    frame: Frame


class AnswerOut(Struct, Generic[AnyChannel]):
    """The process has an answer to a request that came in."""

    channel: AnyChannel
    """What the request came in on."""
    frame: Frame


class FramesIn(Struct, Generic[AnyChannel]):
    """Frames arrived over one connection, in this order."""

    channel: AnyChannel
    frames: list[Frame]


class Accepted(Struct, Generic[AnyChannel]):
    """A peer has made a connection."""

    channel: AnyChannel


class Connected(Struct, Generic[AnyChannel]):
    """A connection that was asked for is up."""

    channel: AnyChannel
    attempt: int
    """As in the effect Connect."""


class Refused(Struct, gc=False):
    """A connection that was asked for could not be made, or took too long."""

    target: NodeId
    attempt: int
    """As in the effect Connect."""


class Closed(Struct, Generic[AnyChannel]):
    """A connection is gone."""

    channel: AnyChannel


class RulesChanged(Struct, gc=False):
    """These link faults are in force from now on, in place of those before."""

    rules: LinkRules


class ResetAsked(Struct, gc=False):
    """Every connection with one peer is to be reset."""

    peer: NodeId
    trigger: str
    """Told with the event."""


class Silenced(Struct, gc=False):
    """Nothing is said or heard from now on: power is about to be lost."""


class TimerFired(Struct, gc=False):
    """A timer has run out."""

    timer: Timer


Input: TypeAlias = (
    RequestOut
    | AnswerOut[AnyChannel]
    | FramesIn[AnyChannel]
    | Accepted[AnyChannel]
    | Connected[AnyChannel]
    | Refused
    | Closed[AnyChannel]
    | RulesChanged
    | ResetAsked
    | Silenced
    | TimerFired
)


class Write(Struct, Generic[AnyChannel]):
    """Send a frame over a connection, after those before it."""

    channel: AnyChannel
    frame: Frame


class Deliver(Struct, gc=False):
    """Give frames to the process, in this order."""

    frames: list[Frame]


class Connect(Struct, gc=False):
    """Make a connection; answered by Connected or Refused."""

    target: NodeId
    attempt: int
    """Unique in its machine."""


class Reset(Struct, Generic[AnyChannel]):
    """Break a connection: what is on its way over it is gone, and the other end is told."""

    channel: AnyChannel


class Lost(Struct, gc=False):
    """Tell the process that requests to a peer are lost: its connection is gone or could not be made."""

    peer: NodeId
    is_soon: bool = False
    """Only when the step that the process is in is over."""


class SetTimer(Struct, gc=False):
    """Hand the timer back after a while."""

    delay_ns: int
    timer: Timer


class Tell(Struct, gc=False):
    """Write an event to the trace."""

    event: Event
    trigger: str


Effect: TypeAlias = Write[AnyChannel] | Deliver | Connect | Reset[AnyChannel] | Lost | SetTimer | Tell
