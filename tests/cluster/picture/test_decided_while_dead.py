"""What the controller decides is the state of a partition, also when no broker lives to apply it."""

from __future__ import annotations

from itertools import count

from cluster.model.entry import Entry
from cluster.model.events import (
    ControllerDeactivated,
    MetadataAppended,
    MetadataHighWatermarkAdvanced,
    PartitionDecided,
)
from cluster.model.identifiers import TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.terms import TERMS, parse_term
from tests.support.traces.watched import Watched

ORDERS = TopicPartition("orders", 0)


def test_terms_follow_what_is_committed_while_every_broker_is_dead() -> None:
    world = Watched(seed=1)
    world.do("topic orders assign=1,2,3 min-isr=1", "kill 2", "kill 3")
    world.advance(10)
    before = world.cluster().facts(ORDERS)
    assert before is not None and before.leader == 1
    world.do("kill 1")
    world.advance(10)
    newest = [event for event in world.of(PartitionDecided) if event.topic == "orders"][-1]
    assert newest.leader == -1 and newest.leader_epoch == before.leader_epoch + 1
    for name in ("leader_epoch", "partition_epoch", "leader"):
        assert name in TERMS
        term = parse_term([name, "orders-0"], frozenset())
        assert term.value(world.cluster(), {}) == getattr(newest, name), name


def decided(leader_epoch: int) -> PartitionDecided:
    return PartitionDecided(
        topic="orders", partition=0, leader=-1, leader_epoch=leader_epoch, partition_epoch=leader_epoch, isr=(),
        elr=(), replicas=(1,), min_insync_replicas=1, why="by hand", unclean=False,
    )  # fmt: skip


def test_what_was_decided_and_never_committed_is_no_state() -> None:
    state, seqs = ClusterState(), count()

    def tell(node: int, event: object) -> None:
        state.apply(Entry("r", node, 0, next(seqs), 0, 0, 0, None, "", None, event))  # type: ignore[arg-type]

    def decide(node: int, leader_epoch: int, end_offset: int) -> None:
        tell(node, decided(leader_epoch))
        appended = MetadataAppended(
            base_offset=end_offset - 1, end_offset=end_offset, epochs=((1, end_offset - 1),), kinds=(), role="leader"
        )
        tell(node, appended)

    def commit(node: int, offset: int) -> None:
        tell(node, MetadataHighWatermarkAdvanced(epoch=1, high_watermark=offset, role="leader", log_end_offsets=()))

    decide(101, 4, 8)
    commit(101, 7)
    assert state.facts(ORDERS) is None, "it ends at 8"
    commit(101, 8)
    facts = state.facts(ORDERS)
    assert facts is not None and facts.leader_epoch == 4
    decide(101, 5, 9)
    tell(101, ControllerDeactivated(epoch=2))
    commit(101, 9)
    assert facts.leader_epoch == 4, "another leader wrote what stands there now"
    decide(102, 6, 9)
    commit(102, 9)
    facts = state.facts(ORDERS)
    assert facts is not None and facts.leader_epoch == 6
