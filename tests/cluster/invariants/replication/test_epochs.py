"""Epochs in what brokers ask of a controller, and what an unclean election leaves."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.controlled import Controlled
from tests.support.traces.traces import LAB, recovered


def up() -> Controlled:
    """Brokers 1, 2 and 3 with broker epochs of their numbers; 1 leads in leader epoch 0 and partition epoch 0."""
    trace = Controlled()
    trace.up()
    return trace


def test_requests_of_the_epochs_that_hold_are_quiet() -> None:
    trace = up()
    trace.fence(3, asked=3)
    trace.fence(3, fenced=False, asked=3)
    trace.decide(1, 0, 1, (1, 2), recovery="recovered", asked=(1, 1, 0, 0))
    trace.decide(2, 1, 2, (2,), unclean=True, recovery="recovering")
    trace.decide(2, 1, 3, (2,), recovery="recovered", asked=(2, 2, 1, 2))
    verdicts = trace.verdicts()
    assert (verdicts["P26"].verdict, verdicts["P27"].verdict) == (Verdict.HOLDS, Verdict.HOLDS)


def test_p27_an_alter_partition_of_an_older_partition_epoch() -> None:
    trace = up()
    trace.decide(1, 0, 1, (1, 2), recovery="recovered", asked=(1, 1, 0, 0))
    trace.decide(1, 0, 2, (1,), recovery="recovered", asked=(1, 1, 0, 0))
    assert trace.sentence("P27") == (
        "controller 101 takes an AlterPartition of leader epoch 0 and partition epoch 0; the partition is in 0 and 1"
    )


def test_p27_an_alter_partition_of_a_process_that_is_no_more() -> None:
    trace = up()
    trace.join(1, 9, process="b")
    trace.decide(1, 0, 1, (1, 2), recovery="recovered", asked=(1, 1, 0, 0))
    assert trace.sentence("P27") == (
        "controller 101 takes an AlterPartition of broker 1 with broker epoch 1; it is registered with 9"
    )


@pytest.mark.parametrize("fenced", [True, False])
def test_p27_a_heartbeat_of_a_process_that_is_no_more(fenced: bool) -> None:
    trace = up()
    trace.join(3, 9, process="b")
    trace.fence(3, fenced=fenced, asked=3)
    assert "takes a heartbeat of broker 3 with broker epoch 3; it is registered with 9" in trace.sentence("P27")


def test_p26_a_controller_whose_disk_forgot_an_unclean_election_does_not_know_of_it() -> None:
    trace = Controlled()
    booted: dict[str, Any] = {"voted_for": -1, "leader_id": -1, "log_end_offset": 0, "last_epoch": 0, "voters": (101,)}
    trace.add(101, ev.QuorumBooted(epoch=1, **booted))
    trace.up()
    trace.decide(2, 1, 1, (2,), unclean=True, recovery="recovering")
    trace.write()
    trace.exit(101)
    trace.add(LAB, ev.FaultApplied(**fault_fields(1, "Wipe", "101")))
    trace.start(101, "controller")
    trace.add(101, recovered(0, ()))
    trace.decide(3, 1, 1, (3,), recovery="recovered")
    assert trace.excuse("P26") == "A1"


def test_older_traces_tell_no_epochs_and_no_recovery() -> None:
    trace = up()
    trace.decide(2, 1, 1, (2,), elr=(3,), unclean=True)
    trace.fence(3)
    assert trace.verdicts()["P26"].verdict is Verdict.NOT_EVALUATED
    assert trace.verdicts()["P27"].verdict is Verdict.NOT_EVALUATED


def test_p26_an_unclean_election_that_leaves_somebody_in_the_elr() -> None:
    trace = up()
    trace.decide(2, 1, 1, (2,), elr=(3,), unclean=True, recovery="recovering")
    assert trace.sentence("P26") == "controller 101 elects 2 uncleanly and leaves the ELR [3]"


def test_p26_an_unclean_election_that_is_not_called_one() -> None:
    trace = up()
    trace.decide(2, 1, 1, (2,), unclean=True, recovery="recovered")
    assert "does not say that the partition is recovering" in trace.sentence("P26")


def test_p26_nobody_joins_and_nobody_else_says_when_it_is_over() -> None:
    trace = up()
    trace.decide(2, 1, 1, (2,), unclean=True, recovery="recovering")
    trace.decide(2, 1, 2, (2, 3), recovery="recovering", asked=(2, 2, 1, 1))
    assert "lets replicas into the ISR [2, 3]" in trace.sentence("P26")
    trace = up()
    trace.decide(2, 1, 1, (2,), unclean=True, recovery="recovering")
    trace.decide(-1, 2, 2, (), elr=(2,), recovery="recovered")
    assert "its leader has not said so" in trace.sentence("P26")
