"""One quorum node that is told things by hand, and says in words what it asks for: whole lists, in their order."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.model.effects import (
    Append,
    Effect,
    Send,
    Truncate,
)  # fmt: skip
from cluster.model.election_state import ElectionState
from cluster.model.identifiers import METADATA, NodeId
from cluster.model.inputs import Flushed, Input, NodeStarted, Received, TimerFired
from cluster.model.messages import FetchRequest, FetchResponse, Message, VoteRequest, VoteResponse
from cluster.model.metadata_records import MetadataRecord
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import Settings
from cluster.raft.quorum import Quorum
from tests.support.worlds.in_words import in_words
from tests.support.worlds.quorum_harness import MemoryLog

THREE = (101, 102, 103)
OTHERS_CANCELLED = ["cancel quorum.check", "cancel quorum.begin", "cancel quorum.fetch", "cancel quorum.retry"]
"""What ends with every role."""


class OneVoter:
    """Node 101, just started; its log is in memory."""

    def __init__(
        self, voters: tuple[NodeId, ...] = THREE, saved: ElectionState | None = None, *, pre_vote: bool = False
    ) -> None:
        self.log = MemoryLog()
        self.effects: list[Effect] = []
        """What it asked for last."""
        self.asked: dict[type, int] = {}
        """Correlation of its newest request of each kind."""
        self.quorum = Quorum(101, voters, Settings(pre_vote=pre_vote), self.log, saved)

    def started(self) -> OneVoter:
        """It has begun."""
        self.give(NodeStarted())
        return self

    def give(self, happened: Input) -> list[str]:
        """Tell it one thing; what it asks for, in words."""
        return self._done(self.quorum.handle(happened, 0))

    def write(self, record: MetadataRecord) -> list[str]:
        """It leads, and its controller writes."""
        return self._done(self.quorum.append((record,), 0)[1])

    def _done(self, effects: list[Effect]) -> list[str]:
        self.effects = effects
        for effect in self.effects:
            match effect:
                case Append(records=records):
                    self.log.append(records)
                case Truncate(end_offset=end_offset):
                    self.log.truncate(end_offset)
                case Send(message=message, correlation=correlation):
                    self.asked[type(message)] = correlation
        return in_words(self.effects)

    def fire(self, name: str) -> list[str]:
        """A timer runs out."""
        return self.give(TimerFired(name=name))

    def hear(self, sender: NodeId, message: Message, correlation: int = 7) -> list[str]:
        """A request comes, or an answer."""
        return self.give(Received(sender=sender, correlation=correlation, message=message))

    def flush(self) -> list[str]:
        """Its log is on disk, as far as it goes."""
        self.log.flushed_offset = self.log.log_end_offset
        return self.give(Flushed(topic_partition=METADATA, end_offset=self.log.log_end_offset))

    def fetched(self, sender: NodeId = 102, **fields: Any) -> list[str]:
        """The answer to its newest fetch comes."""
        usual = FetchResponse(topic=METADATA.topic, partition=0, leader_epoch=3, leader_id=102, high_watermark=0)
        return self.hear(sender, replace(usual, **fields), self.asked[FetchRequest])

    def voted(self, voter: NodeId, *, granted: bool = True, epoch: int = 1, pre_vote: bool = False) -> list[str]:
        """The answer to its newest request for a vote comes."""
        answer = VoteResponse(epoch=epoch, granted=granted, pre_vote=pre_vote)
        return self.hear(voter, answer, self.asked[VoteRequest])

    def lead(self) -> OneVoter:
        """It wins epoch 1."""
        self.fire("quorum.election")
        self.voted(102)
        return self


def batch(base_offset: int = 0, count: int = 1, epoch: int = 3) -> bytes:
    """Records as a leader gives them."""
    return encode_batch([Record(None, b"r")] * count, base_offset, epoch, 0)
