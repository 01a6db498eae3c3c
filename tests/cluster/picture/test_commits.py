"""How long the newest commit took, and which rule a topic has."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition
from cluster.picture.cluster_state import ClusterState

ORDERS = TopicPartition("orders", 0)
MS = 1_000_000


def told(state: ClusterState, node: int, event: object, at_ms: int) -> None:
    state.apply(
        Entry(run="r", node=node, incarnation=0, seq=at_ms, t_ns=at_ms * MS, wall_ns=0, lamport=at_ms, cause=None,
              trigger="", decision=None, event=event)  # type: ignore[arg-type]
    )  # fmt: skip


def appended(node: int, base: int, role: str = "leader") -> ev.ReplicaAppended:
    return ev.ReplicaAppended(topic="orders", partition=0, base_offset=base, count=1, end_offset=base + 1,
                              leader_epoch=0, batches=((base, 1, 0, "0a"),), role=role, size_bytes=70)  # fmt: skip


def advanced(high_watermark: int, role: str = "leader") -> ev.HighWatermarkAdvanced:
    return ev.HighWatermarkAdvanced(topic="orders", partition=0, high_watermark=high_watermark, leader_epoch=0,
                                    role=role, log_end_offsets=())  # fmt: skip


def leads(start: int) -> ev.BecameLeader:
    return ev.BecameLeader(topic="orders", partition=0, leader_epoch=0, epoch_start_offset=start, high_watermark=0,
                           isr=(1, 2))  # fmt: skip


def test_it_is_the_time_from_the_leader_s_append_to_its_high_watermark() -> None:
    state = ClusterState()
    told(state, 1, leads(0), 1)
    assert state.commit_rules.commit_ns(ORDERS) == -1
    told(state, 1, appended(1, 0), 10)
    told(state, 1, appended(1, 1), 12)
    told(state, 2, appended(2, 0, "follower"), 13)
    told(state, 1, advanced(1), 15)
    assert state.commit_rules.commit_ns(ORDERS) == 5 * MS
    told(state, 2, advanced(2, "follower"), 16)
    told(state, 1, advanced(2), 20)
    assert state.commit_rules.commit_ns(ORDERS) == 8 * MS


def test_the_next_leader_has_its_own_time() -> None:
    state = ClusterState()
    told(state, 1, leads(0), 1)
    told(state, 1, appended(1, 0), 10)
    told(state, 2, leads(1), 50)
    told(state, 2, advanced(1), 60)
    told(state, 1, advanced(1), 70)
    assert state.commit_rules.commit_ns(ORDERS) == -1


def test_who_was_counted_at_the_newest_commit_is_known() -> None:
    state = ClusterState()
    told(state, 1, leads(0), 1)
    counted = ev.HighWatermarkAdvanced(topic="orders", partition=0, high_watermark=4, leader_epoch=0, role="leader",
                                       log_end_offsets=((1, 5), (3, 2), (2, 4)))  # fmt: skip
    told(state, 1, counted, 2)
    assert state.commit_rules.partitions[ORDERS].carriers == (1, 2)


def test_a_topic_that_does_not_say_has_the_rule_of_the_run() -> None:
    state = ClusterState()
    assert not state.commit_rules.is_majority("orders")
    state.commit_rules.run_started('{"commit_rule": "majority"}')
    told(state, 101, ev.TopicConfigChanged(topic="t", config="commit.rule", value="isr", is_default=False), 1)
    assert state.commit_rules.is_majority("orders")
    assert not state.commit_rules.is_majority("t")
    state.commit_rules.run_started("no json")
    assert not state.commit_rules.is_majority("orders")
