"""What a cluster is given: the grammar, and the files that come of it."""

from __future__ import annotations

import pytest

from cluster.language.words import CommandError
from cluster.model.codec import decode_metadata_record
from cluster.model.election_state import ElectionState
from cluster.model.identifiers import METADATA, TopicPartition
from cluster.model.metadata_records import LeaderChangeRecord, NoOpRecord, PartitionRecord, TopicRecord
from cluster.model.record_batch import batches, decode_records
from cluster.scenario.given import EpochRun, GivenElection, GivenLog, GivenNetwork, GivenTopic, network_in, parse_given
from cluster.scenario.parse import parse_script
from cluster.scenario.prepare import prepare
from cluster.scenario.script import ClusterPlan, ScriptError
from cluster.scenario.terms import GrammarError
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.node_store import NodeStore

ORDERS = TopicPartition("orders", 0)


def plan_of(*lines: str) -> ClusterPlan:
    plan = parse_script("\n".join(("cluster controllers=3 brokers=2", *lines))).sections[0].plan
    assert plan is not None
    return plan


def opened(plan: ClusterPlan, node: int) -> NodeStore:
    spec = plan.spec("Given")
    disks = {number: MemoryFiles() for number in spec.nodes}
    prepare(spec, lambda number: disks[number])
    return NodeStore(disks[node], host_fsync=False, emit=lambda _event: None)


def test_each_form_is_read() -> None:
    log = parse_given(["log", "orders-0", "on", "1,2", "=", "e1:0-2", "e3:3"])
    assert log == GivenLog(ORDERS, (1, 2), (EpochRun(1, 0, 2), EpochRun(3, 3, 3)))
    assert isinstance(log, GivenLog)
    assert log.end_offset == 4
    assert parse_given(["election", "on", "101", "=", "epoch", "5", "voted", "102"]) == GivenElection((101,), 5, 102)
    assert parse_given(["network", "loss=2%", "reorder=10%"]) == GivenNetwork(2, 0, 10)
    assert parse_given(["topic", "orders", "replicas=1,2", "isr=1", "leader_epoch=2"]) == GivenTopic(
        "orders", (1, 2), (1,), 2, 1
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("log orders-0 on 1 =", "the forms are"),
        ("log orders-0 on 1 = e1:0-2 e1:3", "above 1"),
        ("log orders-0 on 1 = e1:1-2", "at offset 0"),
        ("log orders-0 on 1 = e1:2-0", "at offset 0"),
        ("log orders-0 on 1,1 = e1:0", "named twice"),
        ("log orders-0 on 1 = 0-2", "not records of one epoch"),
        ("election on 101 = epoch 5 elected 2", "the forms are"),
        ("topic orders isr=1", "replicas are missing"),
        ("topic orders replicas=1 isr=2", "not among the replicas"),
        ("network loss=2", "not a share"),
        ("leader", "the forms are"),
        ("fault", "the forms are"),
        ("fault cut 1", "not a link"),
        ("fault kill 1", "no fault that a cluster can begin with: 'kill 1'"),
        ("fault cut 1>controller", "nobody plays a part yet: 'controller'"),
        ("leader x", "not a whole number"),
    ],
)
def test_each_mistake_gets_one_clear_message(text: str, message: str) -> None:
    with pytest.raises((CommandError, GrammarError)) as caught:
        parse_given(text.split())
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("given log orders-0 on 1 = e0:0", "topic 'orders' is not created"),
        ("given election on 104 = epoch 1", "no node 104"),
        ("given leader 104", "no node 104"),
        ("given fault cut 101>104", "no node 104"),
        ("given leader 1", "node 1 is no voter; allowed: controllers 101 to 103"),
        ("given leader 101\ngiven leader 102", "what the voters remember is given twice"),
        ("given leader 101\ngiven election on 102 = epoch 1", "what the voters remember is given twice"),
        ("given log metadata on 102 = e1:0-4\ngiven leader 101", "102 has the longer log and would not vote for it"),
        ("given leader 101\ngiven log metadata on 102 = e1:0-4", "102 has the longer log and would not vote for it"),
        (
            "given log metadata on 101 = e0:0-1 e2:2\ngiven log metadata on 102 = e0:0-2 e2:3",
            "epoch 2 has two histories, on nodes 102 and 101: it had one leader",
        ),
        ("status\ngiven election on 101 = epoch 1", "directly below its cluster line"),
    ],
)
def test_a_script_may_only_be_given_what_its_cluster_has(line: str, message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        plan_of(line)


def test_logs_that_parted_have_one_history_of_each_epoch() -> None:
    apart = ("given log metadata on 101 = e0:0-1 e2:2", "given log metadata on 102,103 = e0:0-2")
    assert len(plan_of(*apart).given) == 2


def test_a_log_is_laid_down_with_its_epochs_and_all_of_it_durable() -> None:
    plan = plan_of("given topic orders replicas=1,2", "given log orders-0 on 1,2 = e1:0-1 e3:2")
    logs = [opened(plan, node).open(ORDERS)[0] for node in (1, 2)]
    assert [log.log_end_offset for log in logs] == [3, 3]
    assert [log.durable_offset for log in logs] == [3, 3]
    assert logs[0].read(0, 1 << 20) == logs[1].read(0, 1 << 20), "the same epoch and offset is the same record"
    assert [header.leader_epoch for header, _ in batches(logs[0].read(0, 1 << 20))] == [1, 1, 3]


def test_the_quorums_log_begins_each_epoch_with_its_leader() -> None:
    log = opened(plan_of("given log metadata on 101 = e1:0-1 e2:2"), 101).open(METADATA)[0]
    records = [decode_metadata_record(decode_records(view)[0]) for _, view in batches(log.read(0, 1 << 20))]
    assert [type(record) for record in records] == [LeaderChangeRecord, NoOpRecord, LeaderChangeRecord]


def test_a_given_topic_is_in_the_log_of_every_controller() -> None:
    plan = plan_of("given topic orders replicas=2,1 isr=2 leader_epoch=4 min-isr=2")
    for node in (101, 102, 103):
        log = opened(plan, node).open(METADATA)[0]
        records = [decode_metadata_record(decode_records(view)[0]) for _, view in batches(log.read(0, 1 << 20))]
        topic, partition = records[1], records[2]
        assert isinstance(topic, TopicRecord)
        assert isinstance(partition, PartitionRecord)
        assert topic.topic == partition.topic == "orders"
        assert (partition.state.replicas, partition.state.isr, partition.state.leader) == ((2, 1), (2,), -1)
        assert partition.state.leader_epoch == 4
    assert opened(plan, 1).open(METADATA)[0].log_end_offset == 0, "a broker learns it from them"


def test_a_vote_and_a_high_watermark_are_on_disk() -> None:
    lines = ("given topic orders replicas=1", "given log orders-0 on 1 = e0:0-3")
    plan = plan_of(*lines, "given high_watermark orders-0 on 1 = 2", "given election on 102 = epoch 5 voted 101")
    assert opened(plan, 1).open(ORDERS)[1] == 2
    assert opened(plan, 102).election == ElectionState(epoch=5, voted_for=101)
    assert opened(plan, 101).election is None
    assert network_in(plan.given) is None


def test_a_given_leader_is_a_vote_of_all_voters_in_an_epoch_after_their_logs() -> None:
    plan = plan_of("given leader 102")
    assert [opened(plan, node).election for node in (101, 102, 103)] == [ElectionState(epoch=1, voted_for=102)] * 3
    assert opened(plan, 1).election is None
    later = plan_of("given log metadata on 101,102,103 = e1:0 e4:1-2", "given leader 102")
    assert opened(later, 103).election == ElectionState(epoch=5, voted_for=102)
    assert opened(plan_of("given topic orders replicas=1", "given leader 102"), 101).election == ElectionState(
        epoch=2, voted_for=102
    )
