"""Nothing is broken by who makes, grows, configures and deletes topics while the swarm breaks everything else."""

from __future__ import annotations

import pytest

from cluster.simulation.swarm.seed import run_seed
from tests.support.bugs.administration import administered

SEEDS = (31005, 31010, 31027)
"""In each something was wrong once: a deleted topic that came back, one that was to be led, and min.insync.replicas
that a leader had not heard of.
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_topics_may_change_while_the_cluster_is_broken(seed: int) -> None:
    with administered():
        result = run_seed(seed, 20.0)
    assert result.unexpected == ()
    assert {"P11", "L2"} <= set(result.evaluated)
