"""What a follower gives a consumer, against what is committed."""

from __future__ import annotations

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import Partition


def given(trace: Partition, node: int, fetch_offset: int, end_offset: int, high_watermark: int) -> None:
    trace.add(
        node,
        ev.FollowerRead(
            **WHERE, leader_epoch=0, fetch_offset=fetch_offset, end_offset=end_offset,
            high_watermark=high_watermark, rack="r2",
        ),
    )  # fmt: skip


def replicated() -> Partition:
    """One record is on all three replicas and committed; broker 2 knows that."""
    trace = Partition()
    trace.begin()
    trace.replicate(0, "a")
    trace.learn(2, 1)
    return trace


def test_what_a_follower_gives_below_its_high_watermark_is_quiet() -> None:
    trace = replicated()
    given(trace, 2, 0, 1, 1)
    assert trace.holds("P36")


def test_without_a_follower_that_serves_there_is_nothing_to_judge() -> None:
    assert replicated().verdicts()["P36"].verdict is Verdict.NOT_EVALUATED


def test_p36_more_than_it_knows_to_be_committed() -> None:
    trace = replicated()
    given(trace, 3, 0, 1, 1)
    assert trace.sentence("P36") == "node 3 gives a consumer orders-0 from 0 to 1; its high watermark is 0"


def test_p36_more_than_any_leader_has_committed() -> None:
    trace = replicated()
    trace.append(1, 1, "b")
    trace.copy(2, 1, "b")
    trace.learn(2, 2)
    given(trace, 2, 0, 2, 2)
    assert "no leader's high watermark passed 1" in trace.sentence("P36")


def test_p36_other_records_than_were_committed() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "a")
    trace.copy(2, 0, "0f")
    trace.progress(1, 2, 1)
    trace.progress(1, 3, 1)
    trace.advance(1, 1)
    trace.learn(2, 1)
    given(trace, 2, 0, 1, 1)
    assert "other records were committed there" in trace.violations("P36")[0].sentence
