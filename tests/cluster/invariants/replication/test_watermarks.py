"""A high watermark and the end of the log that it is of."""

from __future__ import annotations

from cluster.invariants.verdicts.verdict import Verdict
from tests.support.traces.partitions import Partition
from tests.support.traces.quorum_traces import led


def replicated() -> Partition:
    """One record is on all three replicas and committed."""
    trace = Partition()
    trace.begin()
    trace.replicate(0, "a")
    trace.learn(2, 1)
    return trace


def test_high_watermarks_that_stay_within_their_logs_are_quiet() -> None:
    trace = replicated()
    trace.append(1, 1, "b")
    trace.copy(2, 1, "b")
    trace.truncate(2, 1, 2, high_watermark=1, after=1)
    assert trace.verdicts()["P25"].verdict is Verdict.HOLDS


def test_p25_a_high_watermark_that_a_cut_left_where_it_was() -> None:
    trace = replicated()
    trace.truncate(2, 0, 1, high_watermark=1, after=1)
    assert trace.sentence("P25") == "node 2 has high watermark 1 of orders-0, and its log ends at 0"


def test_p25_an_older_trace_does_not_tell_it_at_the_cut_but_at_the_next_role() -> None:
    trace = replicated()
    trace.truncate(2, 0, 1, high_watermark=1)
    assert trace.verdicts()["P25"].verdict is Verdict.HOLDS
    trace.follow(2, 3, 1, end=0, high_watermark=1)
    assert "its log ends at 0" in trace.sentence("P25")


def test_p25_a_leader_or_a_follower_that_runs_ahead_of_its_log() -> None:
    trace = replicated()
    trace.learn(3, 2)
    assert trace.sentence("P25") == "node 3 has high watermark 2 of orders-0, and its log ends at 1"
    trace = replicated()
    trace.lead(2, 1, start=1, high_watermark=2)
    assert "node 2 has high watermark 2" in trace.sentence("P25")


def test_r21_a_quorum_node_that_runs_ahead_of_its_log() -> None:
    trace = led()
    assert trace.verdicts()["R21"].verdict is Verdict.HOLDS
    trace.advance(103, 2, role="follower")
    assert trace.violations("R21")[0].sentence == (
        "node 103 has high watermark 2 of __cluster_metadata-0, and its log ends at 1"
    )
