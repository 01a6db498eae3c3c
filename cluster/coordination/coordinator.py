"""What a coordinator of either kind does with the partitions that it leads: take on, read, serve, find, give up.

Source: Kafka's coordinator-common, CoordinatorRuntime.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, Protocol, TypeVar

from cluster.coordination.led_partition import CoordinatorReplica, LedPartition
from cluster.coordination.reading import PAUSE_MS
from cluster.model.effects import Effect, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Epoch
from cluster.model.offsets_topic import partition_for

NAME_BYTES_MAX = 32_767
"""What a record of a coordinator's topic can hold."""


class Reading(Protocol):
    """What was read of a partition so far."""

    is_read: bool
    """The log's end was reached."""


ShardT = TypeVar("ShardT", bound=LedPartition)
ReadingT = TypeVar("ReadingT", bound=Reading)


class Coordinator(ABC, Generic[ShardT, ReadingT]):
    """Keeps the partitions of the coordinator's topic that this broker leads, and says which one has a name."""

    __slots__ = ("_loading", "_shards", "partition_count")
    prefix: ClassVar[str]
    """Of the names of its timers."""

    def __init__(self) -> None:
        self._shards: dict[int, ShardT] = {}
        self._loading: dict[int, ReadingT] = {}
        self.partition_count = 0
        """Of the topic; 0 while it does not exist."""

    @property
    def is_loading(self) -> bool:
        """Whether a partition waits to be read or committed."""
        return bool(self._loading)

    def lead(self, partition: int, leader_epoch: Epoch, replica: CoordinatorReplica, now_ms: int) -> list[Effect]:
        """This broker leads a partition in a new epoch: read it, from the next step on."""
        effects = self.resign(partition, now_ms)
        if not self._shards:
            effects += self._set_timers()
        led = LedPartition(
            partition=partition,
            leader_epoch=leader_epoch,
            replica=replica,
            next_offset=replica.log.log_start_offset,
            load_timer=f"{self.prefix}load.{partition}",
        )
        self._shards[partition], self._loading[partition] = self._begin(led)
        return [*effects, SetTimer(led.load_timer, PAUSE_MS)]

    def resign(self, partition: int, now_ms: int) -> list[Effect]:
        """This broker leads it no more, or in another epoch."""
        shard = self._shards.pop(partition, None)
        self._loading.pop(partition, None)
        return [] if shard is None else self._give_up(shard, now_ms)

    def look(self, now_ms: int) -> list[Effect]:
        """The high watermark may have moved: serve what is read and committed."""
        effects: list[Effect] = []
        for partition, read in list(self._loading.items()):
            shard = self._shards[partition]
            if read.is_read and shard.replica.high_watermark >= shard.next_offset:
                del self._loading[partition]
                effects += self._serve(shard, read, now_ms)
        return effects

    def _go_on_reading(self, partition: int, now_ms: int) -> list[Effect]:
        read = self._loading.get(partition)
        if read is None:
            return []
        return [*self._read_on(self._shards[partition], read), *self.look(now_ms)]

    def _shard_of(self, name: str) -> tuple[ShardT | None, ErrorCode]:
        """The partition that a name belongs to, or why it is not served here."""
        if not self.partition_count:
            return None, ErrorCode.NOT_COORDINATOR
        shard = self._shards.get(partition_for(name, self.partition_count))
        if shard is None:
            return None, ErrorCode.NOT_COORDINATOR
        return (shard, ErrorCode.NONE) if shard.is_loaded else (None, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)

    @abstractmethod
    def _begin(self, led: LedPartition) -> tuple[ShardT, ReadingT]:
        """A partition of its kind, with nothing read."""

    @abstractmethod
    def _set_timers(self) -> list[Effect]:
        """It leads the first partition: what has to be looked at now and then."""

    @abstractmethod
    def _read_on(self, shard: ShardT, read: ReadingT) -> list[Effect]:
        """Read one more piece of the log."""

    @abstractmethod
    def _serve(self, shard: ShardT, read: ReadingT, now_ms: int) -> list[Effect]:
        """Everything is read and committed."""

    @abstractmethod
    def _give_up(self, shard: ShardT, now_ms: int) -> list[Effect]:
        """Somebody else coordinates it from now on."""
