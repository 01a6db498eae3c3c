"""What no command of a lab does, done by hand in a simulated cluster, for bugs that the swarm cannot reach."""

from __future__ import annotations

import asyncio

from cluster.checks.checker import Checker
from cluster.checks.verdict import Verdict
from cluster.commands.carry_out import carry_out
from cluster.model.identifiers import FIRST_CLIENT_ID, TopicPartition
from cluster.model.messages import DeleteRecordsRequest
from cluster.model.messages.delete_records import HIGH_WATERMARK
from cluster.simulation.cluster import SimulatedCluster, SimulationConfig
from cluster.wire.frame import Frame

ORDERS = TopicPartition("orders", 0)


def delete_records() -> frozenset[str]:
    """A client deletes what is committed, twice, as only Kafka clients can; the rules that are broken by then."""
    cluster, checker = SimulatedCluster(SimulationConfig(seed=3)), Checker()
    cluster.recording.readers.append(checker.feed_all)
    cluster.begin()
    for text in ("topic orders replicas=3 min-isr=2", "produce orders 5", "produce orders 5"):
        if text.startswith("produce"):
            _delete(cluster, before_offset=HIGH_WATERMARK)
        assert asyncio.run(carry_out(cluster.desk, text, cluster.ready)).ok
        cluster.advance(1)
    _delete(cluster, before_offset=7)
    cluster.finish()
    table = checker.finish()
    assert next(line.checks for line in table if line.info.id == "P24")
    return frozenset(line.info.id for line in table if line.verdict is Verdict.VIOLATED)


def _delete(cluster: SimulatedCluster, *, before_offset: int) -> None:
    leader = cluster.cluster().leader_of(ORDERS)
    request = DeleteRecordsRequest(topic="orders", partition=0, before_offset=before_offset, timeout_ms=1_000)
    cluster._clients.request(leader, Frame(FIRST_CLIENT_ID, 1, request))
    cluster.advance(1)
