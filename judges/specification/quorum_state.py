"""What is seen of a quorum after a step, and the message that was handled in it."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.model.entry import Entry
from cluster.model.identifiers import Epoch, NodeId, Offset

ADDED = {
    "batch-tail": "one fetch brings a batch; the specification copies one record at a time",
    "give-up": "as in Kafka a round of pre-votes ends when its time is over, or when a majority has refused it; the "
    "specification waits for every message",
    "again": "a message that is asked for or answered again; in the specification each is there once",
    "lost-tail": "what was not flushed is lost; the specification's guarantees do not cover it",
    "late-fetch": "a fetch is answered to a voter that follows no more, and names a newer epoch",
    "begin-answer": "an answer to an announcement names a newer epoch; the specification does not answer announcements",
    "learn-leader": "a leader is learned from another node's answer",
}
"""Actions that were added to the specification, and why."""


@dataclass(frozen=True, slots=True)
class Message:
    """A request for a vote or pre-vote, or the answer to one."""

    source: NodeId
    dest: NodeId
    pre_vote: bool
    epoch: Epoch
    """Of the request, or of who answers."""
    last: tuple[Epoch, Offset] = (0, 0)
    """Of a request: where the log of the asker ends."""
    granted: bool | None = None
    """Of an answer; None for a request."""


@dataclass(frozen=True, slots=True)
class Voter:
    """What a voter is and has."""

    role: str
    epoch: Epoch
    leader: NodeId
    voted: NodeId
    """0 for nobody."""
    log: tuple[Epoch, ...]
    """Leader epoch of each record."""
    high_watermark: Offset = 0


@dataclass(frozen=True, slots=True)
class QuorumState:
    """All that is seen after one step."""

    label: str
    node: NodeId
    peer: NodeId
    """Who sent what was handled; 0 for nobody."""
    nodes: tuple[NodeId, ...]
    voters: tuple[Voter, ...]
    """Of nodes, in their order."""
    entry: Entry | None
    said: str = ""
    message: Message | None = None
    """What was handled or comes again; None where the run does not say it."""
    granted: bool = False
    """What a request for a vote was answered."""
