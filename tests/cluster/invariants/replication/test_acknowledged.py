"""Invariants P1, P18 and P19: what producers were told."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import CONTROLLER, Partition
from tests.support.traces.traces import CLIENT, recovered


def acknowledged(**settings: object) -> Partition:
    """One record, replicated and acknowledged."""
    trace = Partition(**settings)
    trace.begin()
    trace.replicate(0, "aa")
    trace.answer(1, 0)
    trace.acknowledge(0, "aa")
    return trace


def test_an_acknowledged_record_on_the_next_leader_is_quiet() -> None:
    trace = acknowledged()
    trace.elect(2, 1, (2, 3), start=1, high_watermark=0)
    assert trace.holds("P1", "P18")


def test_a_leader_without_an_acknowledged_record_is_caught() -> None:
    trace = acknowledged()
    trace.truncate(2, 0, 1)
    trace.elect(2, 1, (2, 3))
    found = trace.violations("P1")
    assert "the log of node 2 does not hold it" in found[0].sentence
    assert found[0].record == "orders-0 offset 0"
    assert found[0].events[1].node == CLIENT


def test_what_a_deleted_topic_loses_is_held_against_nobody() -> None:
    trace = acknowledged()
    trace.add(CONTROLLER, ev.TopicDeleted(topic="orders", topic_id=1, partitions=1))
    trace.truncate(2, 0, 1)
    trace.elect(2, 1, (2, 3))
    assert not trace.violations("P1")
    other = acknowledged()
    other.add(CONTROLLER, ev.TopicDeleted(topic="others", topic_id=1, partitions=1))
    other.truncate(2, 0, 1)
    other.elect(2, 1, (2, 3))
    assert other.violations("P1")


def test_a_lost_record_is_reported_once() -> None:
    trace = acknowledged()
    for node in (2, 3):
        trace.truncate(node, 0, 1)
    trace.elect(2, 1, (2, 3))
    trace.elect(3, 2, (2, 3))
    assert trace.verdicts()["P1"].violation_count == 1


def test_a_record_that_another_one_replaced_is_lost() -> None:
    trace = acknowledged()
    trace.truncate(2, 0, 1)
    trace.elect(2, 1, (2, 3))
    trace.append(2, 0, "bb", 1)
    assert trace.verdicts()["P1"].violation_count == 1


def test_an_acknowledgement_of_what_no_leader_holds_is_caught() -> None:
    trace = acknowledged()
    trace.acknowledge(0, "ff")
    assert "at offset 0; the log of node 1 does not hold it" in trace.sentence("P1")


def test_an_in_sync_replica_without_it_at_the_end_is_caught() -> None:
    trace = acknowledged()
    trace.truncate(3, 0, 1)
    assert "the log of node 3" in trace.sentence("P1")


def test_a_replica_that_came_back_with_less_is_not_asked_before_it_is_back_in_the_isr() -> None:
    trace = acknowledged()
    trace.power_loss(3)
    trace.start(3, "broker")
    trace.recover(3)
    assert trace.holds("P1")
    trace.decide(partition_epoch=1, isr=(1, 2))
    trace.apply(1, partition_epoch=1, isr=(1, 2))
    trace.register(3)
    trace.copy(3, 0, "aa")
    trace.committed(1, (1, 2, 3), 2)
    trace.truncate(3, 0, 1)
    assert "the log of node 3" in trace.sentence("P1")


def test_the_last_in_sync_replica_may_lose_what_it_alone_held() -> None:
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1,), minimum=1)
    trace.append(1, 0, "aa")
    trace.advance(1, 1, 0, ((1, 1),))
    trace.acknowledge(0, "aa")
    trace.power_loss(1)
    trace.start(1, "broker")
    trace.recover(1)
    assert trace.excuse("P1") == "A2"
    assert trace.excuse("C1") == "A2"


def test_an_answer_above_the_high_watermark_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.answer(1, 0)
    assert "its high watermark is 0" in trace.sentence("P18")


def test_a_client_that_is_told_too_early_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.acknowledge(0, "aa")
    assert "no leader's high watermark passed 0" in trace.sentence("P18")


def test_an_answer_below_min_insync_replicas_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.committed(1, (1,), 1)
    trace.answer(1, 0)
    assert "its ISR is [1] and min.insync.replicas 2" in trace.sentence("P18")


def test_a_leader_goes_by_the_min_insync_replicas_that_it_has_applied() -> None:
    """Who sets another value has it decided at once; the leader learns of it with the metadata."""
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1,), minimum=1)
    trace.append(1, 0, "aa")
    trace.decide(1, 0, 1, (1,), minimum=2)
    trace.advance(1, 1, 0, ((1, 1),))
    trace.answer(1, 0)
    assert trace.holds("P8", "P18")
    trace.apply(1, 1, 0, 1, (1,), minimum=2)
    trace.append(1, 1, "bb")
    trace.advance(1, 2, 0, ((1, 2),))
    trace.answer(1, 1)
    assert "its ISR is [1] and min.insync.replicas 2" in trace.sentence("P18")
    assert "min.insync.replicas is 2" in trace.sentence("P8")


def test_a_record_appended_below_min_insync_replicas_is_no_acks_all_record() -> None:
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1,), followers=(2,))
    trace.append(1, 0, "aa")
    trace.copy(2, 0, "aa")
    trace.progress(1, 2, 1)
    trace.propose(1, (1, 2), (1,))
    trace.decide(partition_epoch=1, isr=(1, 2))
    trace.committed(1, (1, 2), 1)
    trace.advance(1, 1, 0, ((1, 1), (2, 1)))
    assert trace.holds("P8")
    trace.answer(1, 0)
    assert "appended while the ISR was below" in trace.sentence("P18")


def test_an_offset_that_is_written_again_in_another_epoch_is_another_record() -> None:
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1,))
    trace.append(1, 0, "aa")
    trace.truncate(1, 0, 1)
    trace.progress(1, 2, 0)
    trace.propose(1, (1, 2), (1,))
    trace.decide(partition_epoch=1, isr=(1, 2))
    trace.committed(1, (1, 2), 1)
    trace.elect(2, 1, (1, 2), partition_epoch=2, followers=())
    trace.elect(1, 2, (1, 2), partition_epoch=3)
    trace.replicate(0, "bb", 2, isr=(1, 2))
    trace.answer(1, 0)
    assert trace.holds("P18")


def test_acks_one_below_min_insync_replicas_is_legal() -> None:
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1,))
    trace.append(1, 0, "aa")
    trace.answer(1, 0, acks=1)
    trace.acknowledge(0, "aa", acks=1)
    assert not trace.bad()


def in_one_step(entry: Entry) -> None:
    """The first event of a step names what set it off; the others do not."""
    entry.trigger = "ProduceRequest from 1002"


def test_a_refusal_that_leaves_a_record_is_caught() -> None:
    refused = ev.ProduceRefused(**WHERE, client_id="p", error=ErrorCode.NOT_ENOUGH_REPLICAS, acks=-1)
    for appends_first in (True, False):
        trace = Partition()
        trace.begin()
        for appends in (appends_first, not appends_first):
            if appends:
                trace.append(1, 0, "aa")
            else:
                trace.add(1, refused)
        in_one_step(trace.entries[-2])
        assert "refuses a produce and appends it" in trace.sentence("P18")


def test_a_refusal_beside_the_append_of_another_request_is_quiet() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    in_one_step(trace.entries[-1])
    trace.add(1, ev.ProduceRefused(**WHERE, client_id="p", error=ErrorCode.NOT_ENOUGH_REPLICAS, acks=-1))
    in_one_step(trace.entries[-1])
    assert trace.holds("P18")


def zombie(*, is_copied: bool) -> Partition:
    """Broker 1 acknowledges in epoch 0 while broker 2 leads epoch 1 already."""
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    for node in (2, 3) if is_copied else ():
        trace.copy(node, 0, "aa")
        trace.progress(1, node, 1)
    trace.elect(2, 1, (2, 3), start=int(is_copied))
    trace.advance(1, 1)
    trace.answer(1, 0)
    return trace


def test_a_deposed_leader_may_acknowledge_what_the_next_one_holds() -> None:
    assert zombie(is_copied=True).holds("P19")


def test_a_deposed_leader_that_acknowledges_what_nobody_holds_is_caught() -> None:
    assert "leader epoch 0, which was over" in zombie(is_copied=False).sentence("P19")


def test_the_next_leader_is_not_asked_once_it_has_dropped_its_log_in_order() -> None:
    trace = zombie(is_copied=True)
    trace.add(2, ev.LogRemoved(**WHERE, log_end_offset=1))
    trace.add(2, recovered(0, topic="orders"))
    assert "P19" not in trace.bad()


def test_what_was_lost_before_a_record_was_written_does_not_excuse_its_loss() -> None:
    """One of three loses power, and min.insync.replicas is 1: what was written by then may go, and no later record."""
    trace = Partition()
    trace.begin(minimum=1)
    trace.replicate(0, "aa")
    trace.acknowledge(0, "aa")
    trace.power_loss(3)
    trace.start(3, "broker")
    trace.recover(3)
    trace.replicate(1, "bb", isr=(1, 2))
    trace.acknowledge(1, "bb")
    trace.elect(3, 1, (3,), minimum=1)
    found = {item.record: item.broken for item in trace.verdicts()["P1"].violations}
    assert found["orders-0 offset 1"] is None
    excuse = found["orders-0 offset 0"]
    assert excuse is not None and (excuse.assumption, excuse.below) == ("A2", 1)


def told_to_a_kafka_client(*, acks: int = -1, client: str = "rdkafka") -> Partition:
    """Two batches are committed and acknowledged to a Kafka client with one event."""
    trace = Partition()
    trace.begin()
    trace.replicate(0, "a")
    trace.replicate(1, "b")
    trace.answer(1, 0, count=2, acks=acks, client=client, kafka=True)
    return trace


def test_what_a_kafka_client_was_told_is_on_the_next_leader() -> None:
    trace = told_to_a_kafka_client()
    trace.elect(2, 1, (2, 3), start=2, high_watermark=2)
    assert trace.holds("P1", "P18", "C1")


def test_a_record_that_a_kafka_client_was_told_of_is_lost_by_name() -> None:
    trace = told_to_a_kafka_client()
    trace.truncate(2, 1, 2)
    trace.elect(2, 1, (2, 3), start=1, high_watermark=1)
    found = trace.violations("P1")
    assert [item.record for item in found] == ["orders-0 offset 1"]
    assert "a produce of rdkafka was acknowledged" in found[0].sentence
    assert trace.violations("C1")[0].record == "orders-0 offset 1"


def test_another_record_at_its_offset_does_not_make_up_for_what_a_kafka_client_lost() -> None:
    trace = told_to_a_kafka_client()
    trace.truncate(2, 1, 2)
    trace.elect(2, 1, (2, 3), start=1, high_watermark=1)
    trace.append(2, 1, "c", 1)
    assert [item.record for item in trace.violations("P1")] == ["orders-0 offset 1"]


def test_acks_one_promises_a_kafka_client_nothing() -> None:
    trace = told_to_a_kafka_client(acks=1)
    trace.truncate(2, 1, 2)
    trace.elect(2, 1, (2, 3), start=1, high_watermark=1)
    assert not trace.violations("P1")


def test_what_the_name_of_a_kafka_client_says_to_the_terminal_is_not_said() -> None:
    trace = told_to_a_kafka_client(client="x\x1b[2Jy")
    trace.truncate(2, 1, 2)
    trace.elect(2, 1, (2, 3), start=1, high_watermark=1)
    assert "a produce of x??2Jy was" in trace.violations("P1")[0].sentence
