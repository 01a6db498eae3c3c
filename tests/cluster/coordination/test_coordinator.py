"""A coordinator of any kind: it serves a partition once all of it is read and committed, and until it gives it up."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import asdict

from cluster.coordination.coordinator import Coordinator
from cluster.coordination.led_partition import LedPartition
from cluster.coordination.reading import PAUSE_MS, read_on
from cluster.model.effects import CancelTimer, Effect, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.offsets_topic import partition_for
from cluster.model.record_batch import Record, encode_batch
from tests.support.worlds.coordinated import Log

LOOK = SetTimer("kind.look", 100)
GONE = CancelTimer("kind.gone")


class Read(Struct):
    """How many batches were read."""

    batches: int = 0
    is_read: bool = False


class Kind(Coordinator[LedPartition, Read]):
    """Serves names that it does nothing with."""

    prefix = "kind."

    def _begin(self, led: LedPartition) -> tuple[LedPartition, Read]:
        return LedPartition(**asdict(led)), Read()

    def _set_timers(self) -> list[Effect]:
        return [LOOK]

    def _read_on(self, shard: LedPartition, read: Read) -> list[Effect]:
        def take(*_: object) -> None:
            read.batches += 1

        effects = read_on(shard, take)
        read.is_read = not effects
        return effects

    def _serve(self, shard: LedPartition, read: Read, now_ms: int) -> list[Effect]:
        shard.is_loaded = True
        return [SetTimer(f"kind.served.{read.batches}", now_ms)]

    def _give_up(self, shard: LedPartition, now_ms: int) -> list[Effect]:
        return [GONE]

    def read(self, partition: int, now_ms: int) -> list[Effect]:
        return self._go_on_reading(partition, now_ms)

    def error_of(self, name: str) -> ErrorCode:
        return self._shard_of(name)[1]


class Behind(Log):
    """A replica whose high watermark has yet to come."""

    committed = 0

    @property
    def high_watermark(self) -> int:
        return self.committed


def test_a_name_is_served_once_its_partition_is_read_and_committed() -> None:
    kind, log = Kind(), Behind()
    log.append(encode_batch([Record(None, b"a")]))
    assert kind.error_of("name") == ErrorCode.NOT_COORDINATOR, "the topic is not there"
    kind.partition_count = 1
    assert kind.error_of("name") == ErrorCode.NOT_COORDINATOR, "another broker leads it"
    assert kind.lead(0, 4, log, 5) == [LOOK, SetTimer("kind.load.0", PAUSE_MS)]
    assert kind.error_of("name") == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS and kind.is_loading
    assert kind.read(0, 6) == [SetTimer("kind.load.0", PAUSE_MS)]
    assert kind.read(0, 7) == [] and kind.is_loading, "read, and not committed"
    log.committed = 1
    assert kind.look(8) == [SetTimer("kind.served.1", 8)] and not kind.is_loading
    assert kind.error_of("name") == ErrorCode.NONE
    assert kind.look(9) == [] == kind.read(0, 9), "once is enough"


def test_who_leads_in_another_epoch_begins_anew_and_who_resigns_serves_nothing() -> None:
    kind, log = Kind(), Log()
    kind.partition_count = 1
    kind.lead(0, 4, log, 5)
    kind.read(0, 6)
    assert kind.error_of("name") == ErrorCode.NONE
    assert kind.lead(0, 5, log, 7) == [GONE, LOOK, SetTimer("kind.load.0", PAUSE_MS)]
    assert kind.error_of("name") == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert kind.resign(0, 8) == [GONE] and not kind.is_loading
    assert kind.resign(0, 8) == [] and kind.error_of("name") == ErrorCode.NOT_COORDINATOR


def test_timers_are_set_with_the_first_partition_alone_and_each_name_has_one_of_them() -> None:
    kind = Kind()
    kind.partition_count = 2
    assert LOOK in kind.lead(0, 1, Log(), 0) and LOOK not in kind.lead(1, 1, Log(), 0)
    kind.resign(0, 1)
    gone, left = (next(f"n{at}" for at in range(100) if partition_for(f"n{at}", 2) == where) for where in (0, 1))
    assert kind.error_of(gone) == ErrorCode.NOT_COORDINATOR
    assert kind.error_of(left) == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
