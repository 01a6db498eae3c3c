"""A network that is too slow for the election timeout is a broken assumption of liveness, and of nothing else."""

from __future__ import annotations

import json

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.timed import TIMERS, Timed
from tests.support.traces.traces import LAB


class Slow(Timed):
    """Election timeout 100 ms, and frames that take up to `latency_us_max`."""

    def __init__(self, latency_us_max: int) -> None:
        self.latency_us_max = latency_us_max
        super().__init__()

    def run(self, **settings: object) -> None:  # type: ignore[override]
        """A simulation begins."""
        latency_us, config = self.latency_us_max, json.dumps(settings)
        self.add(LAB, ev.RunStarted(config=config, world="simulation", title="by hand", latency_us_max=latency_us))


@pytest.mark.parametrize(("latency_us_max", "verdict"), [(50_000, Verdict.VIOLATED), (50_001, Verdict.EXPECTED)])
def test_no_leader_is_excused_when_a_frame_takes_more_than_half_an_election_timeout(
    latency_us_max: int, verdict: Verdict
) -> None:
    assert TIMERS["quorum_election_timeout_ms"] == 100
    trace = Slow(latency_us_max)
    trace.wait(60)
    trace.end()
    line = trace.verdicts()["L1"]
    assert line.verdict is verdict
    broken = line.violations[0].broken
    assert verdict is Verdict.VIOLATED or (
        broken is not None
        and broken.why == "a frame may be on its way for 50 ms, with an election timeout of 100 ms"
        and broken.assumption == "A8"
    )


def test_a_slow_network_excuses_no_loss() -> None:
    trace = Slow(90_000)
    trace.elect(1, 0)
    trace.replicate(0, "a")
    trace.acknowledge(0, "a")
    trace.truncate(2, 0, 1)
    trace.elect(2, 1, (2, 3))
    assert trace.verdicts()["P1"].verdict is Verdict.VIOLATED
