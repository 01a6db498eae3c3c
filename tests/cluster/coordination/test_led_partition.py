"""What all that a broker coordinates shares: one counter, and writes that find the one who waits for them."""

from __future__ import annotations

from cluster.coordination.led_partition import Coordination, LedPartition
from cluster.coordination.writing import nobody, nothing, write
from cluster.model.effects import Send, SetTimer
from cluster.model.record_batch import Record
from cluster.model.settings import kafka_timing
from tests.support.kinds import those
from tests.support.worlds.coordinated import Log


def coordination() -> Coordination:
    return Coordination(
        broker_id=1, settings=kafka_timing(), topic="__t", prefix="kind", client_id="c", patience_ms=5_000
    )


def led(partition: int) -> LedPartition:
    return LedPartition(partition=partition, leader_epoch=4, replica=Log(), next_offset=0, load_timer="load")


def test_no_number_is_given_twice_and_none_is_0() -> None:
    shared = coordination()
    assert [shared.number() for _ in range(3)] == [1, 2, 3]


def test_writes_of_two_partitions_have_correlations_and_timers_of_their_own() -> None:
    shared = coordination()
    effects = [effect for at in (0, 1) for effect in write(shared, led(at), [Record(None, b"a")], nothing, nobody)]
    correlations = [sent.correlation for sent in those(Send, effects)]
    assert len(set(correlations)) == len({timer.name for timer in those(SetTimer, effects)}) == 2
    assert [(each, shared.writes[each].partition) for each in correlations] == list(
        zip(correlations, (0, 1), strict=True)
    )


def test_two_kinds_of_coordinators_wait_for_their_own_writes() -> None:
    groups, transactions = coordination(), coordination()
    write(groups, led(0), [Record(None, b"a")], nothing, nobody)
    assert (len(groups.writes), len(transactions.writes), transactions.counter) == (1, 0, 0)


def test_a_partition_is_not_served_before_its_log_is_read() -> None:
    assert not led(0).is_loaded
