"""Rule L5: who reads in calm comes to the end."""

from __future__ import annotations

from tests.support.traces.timed import Timed

LATE_S = 16.0


def written() -> Timed:
    """Two committed records and a cluster at rest."""
    trace = Timed()
    trace.lead_quorum()
    trace.elect(1, 0)
    trace.replicate(0, "aa")
    trace.replicate(1, "bb")
    return trace


def test_a_consumer_that_reads_all_is_quiet() -> None:
    trace = written()
    trace.read(0, "x", "y")
    trace.end()
    assert trace.holds("L5")


def test_a_consumer_that_gets_no_answer_is_late() -> None:
    trace = written()
    trace.invoke("consume", "from 0")
    trace.wait(LATE_S)
    trace.end()
    assert "has not come to the end of 2 records, it is at its first poll" in trace.sentence("L5")


def test_who_reads_committed_records_need_not_come_to_the_high_watermark() -> None:
    """Found by the swarm, seed 18 with transactions: the last records were of a transaction that was open then."""
    trace = written()
    trace.invoke("consume", "from 0", isolation="read_committed")
    trace.wait(LATE_S)
    trace.end()
    assert not trace.verdicts()["L5"].violations


def test_a_consumer_that_stops_half_way_is_late() -> None:
    trace = written()
    trace.read(0, "x")
    trace.wait(LATE_S)
    trace.end()
    assert "it is at offset 1" in trace.sentence("L5")


def test_a_consumer_that_is_done_late_or_gives_up_late_is_late() -> None:
    trace = written()
    operation = trace.invoke("consume", "from 0")
    trace.wait(LATE_S)
    trace.fail(operation, -1, function="consume")
    assert "gave up" in trace.sentence("L5")


def test_a_consumer_need_not_reach_what_a_quorum_has_forgotten() -> None:
    """Found by the swarm, seed 42534 with damaged disks: the topic is not known any more."""
    trace = written()
    trace.wipe_voter()
    operation = trace.invoke("consume", "from 0")
    trace.wait(LATE_S)
    trace.fail(operation, -1, function="consume")
    assert trace.excuse("L5") == "A1"


def test_a_consumer_that_gives_up_at_once_proves_nothing() -> None:
    trace = written()
    trace.fail(trace.invoke("consume", "from 0"), 1, function="consume")
    trace.end()
    assert trace.verdicts()["L5"].checks == 0
    assert "L5" not in trace.bad()


def test_a_fault_ends_the_wait() -> None:
    trace = written()
    trace.invoke("consume", "from 0")
    trace.wait(1)
    trace.fault(1)
    trace.wait(LATE_S)
    trace.end()
    assert "L5" not in trace.bad()


def test_a_new_leader_may_know_less_for_a_while() -> None:
    trace = written()
    trace.read(0, "x")
    trace.elect(2, 1, start=2, high_watermark=1)
    trace.wait(LATE_S)
    trace.end()
    assert "L5" not in trace.bad()


def test_an_empty_log_has_no_end_to_reach() -> None:
    trace = Timed()
    trace.lead_quorum()
    trace.elect(1, 0)
    trace.read(0)
    trace.wait(LATE_S)
    trace.end()
    assert "L5" not in trace.bad()


def test_a_consumer_that_was_at_it_before_the_calm_has_its_own_end() -> None:
    trace = written()
    trace.fault(1)
    trace.read(0, "x")
    trace.heal(1)
    trace.invoke("consume", "from 1", client="consumer-1")
    trace.wait(LATE_S)
    trace.end()
    assert "L5" not in trace.bad()


def test_a_consumer_that_stays_has_to_come_to_the_new_end() -> None:
    trace = written()
    trace.read(0, "x", "y")
    trace.read(2)
    trace.replicate(2, "cc")
    trace.invoke("consume", "from 2", client="consumer-1")
    trace.wait(LATE_S)
    trace.end()
    assert "has not come to the end of 3 records" in trace.sentence("L5")


def test_a_consumer_need_not_reach_the_end_of_what_was_deleted() -> None:
    trace = written()
    trace.invoke("consume", "from 0")
    trace.delete_topic()
    trace.wait(LATE_S)
    trace.end()
    assert "L5" not in trace.bad()
