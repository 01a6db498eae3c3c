"""Each rule of the protocol has one name, one place and a source, is asked by a handler, and is told in a trace."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest

from cluster.model.entry import Entry
from cluster.rule_list import FILES, ListedRule, listed_rules
from cluster.simulation.swarm.seed import run_seed

ROOT = Path(__file__).parents[2]
RULES = listed_rules()
SEEDS = (4, 5, 10, 13, 18, 21, 29, 31, 37, 47)
"""Short runs of the swarm, chosen for the rules that they tell of."""
VOTER_SEEDS = (1, 4)
"""The same with voters that come and go."""
ZOOKEEPER_SEEDS = (1, 2, 4, 6, 21)
"""The same in zookeeper mode."""
UNTOLD = {
    "zookeeper.take_leader_epoch": "what is taken is told with the state that is applied; what is not changes nothing",
    "controller.eligible_leader_replicas": "the event of the partition has the ELR, and elect_leader shows it",
    "controller.isr_after_election": "the event of the partition has the ISR; its evidence is that of elect_leader",
    "controller.place_replicas": "the event of each partition has its replicas; its evidence is that of first_state",
    "controller.reassign_partition": "a refusal is told who asks, and what is granted is told with begin_reassignment",
    "controller.next_leader_epoch": "the event of the partition has the epoch; its evidence is that of elect_leader",
    "controller.create_partitions": "a refusal is told who asks, and the new partitions are told with first_state",
    "clients.is_retriable": "the event of each attempt has its error, and the next attempt has its number",
    "clients.may_have_happened": "the event of an operation's end says whether it is known",
    "broker.may_have_producer_id": "a refusal is told who asks, and the event of the id has no evidence",
    "raft.has_caught_up": "its answer is one of those that may_add_voter goes by",
    "raft.next_join_step": "the event of the change that it asks for, or of its refusal, tells",
    "raft.check_leader_epoch": "who asks is answered with the error, and no event tells of it",
    "replication.count_for_high_watermark": "advance_high_watermark shows who counted",
}
IN_TRANSACTIONS = "told where a producer has transactions, which no seed draws"
RARE = {
    **dict.fromkeys(
        (
            "replication.may_write_outside",
            "replication.must_verify",
            "replication.may_write_marker",
            "transactions.may_have_timeout",
            "transactions.init_producer",
            "transactions.may_add",
            "transactions.is_in_transaction",
            "transactions.end_transaction",
            "transactions.transaction_timed_out",
            "transactions.transactional_id_expired",
        ),
        IN_TRANSACTIONS,
    ),
    **dict.fromkeys(
        ("controller.begin_reassignment", "controller.complete_reassignment", "controller.revert_reassignment"),
        "told where a partition is reassigned",
    ),
    "controller.delete_topic": "told where a topic is deleted",
    "controller.alter_configs": "told where a setting of a topic is changed",
    "controller.effective_min_insync_replicas": "told where min.insync.replicas of a topic is changed",
    "replication.may_clean": "told where a topic is compacted and its log has several segments",
    "replication.expire_by_size": "told where a log has several segments and a bound of bytes",
    "clients.partition_by_murmur2": "told where a producer has a partitioner and its records have keys",
    "clients.partition_by_crc32": "told where a producer has the partitioner of librdkafka",
    "clients.partition_until_full": "told where a producer has a partitioner and its records have no key",
    "clients.partition_in_turn": "told where a producer has the partitioner of before KIP-480",
    "clients.partition_at_random": "told where a producer has a partitioner that draws for each record",
    "replication.select_read_replica": "told where brokers stand in racks",
    "groups.fits_record": "told where a member says of itself what no record holds",
    "groups.offset_expired": "told once an offset is older than its retention",
    "groups.group_of_commit": "told where a member commits to a group that is not there",
    "groups.is_written": "told where the offsets topic does not take a commit",
    "groups.classic.known_member": "told where somebody speaks who is no member",
    "groups.consumer.known_member": "told where somebody speaks who is no member",
    "groups.classic.sync": "told where a member names another assignor, or syncs while others join again",
    "groups.classic.may_leave": "told where somebody leaves who is no member",
    "groups.consumer.rebalance_expired": "told where a member does not give up what it has to",
    "groups.classic.session_timeout": "told where a member asks for a session out of range",
    "groups.classic.supports_protocols": "told where a member shares no assignor with its group",
    "groups.classic.same_generation": "told where a member missed a rebalance",
    "groups.consumer.valid_request": "told where a heartbeat breaks the form",
    "groups.consumer.of_this_kind": "told where a group speaks the classic protocol",
    "groups.consumer.has_room": "told where a group is full",
    "groups.consumer.member_epoch": "told where a member lost its epoch",
    "groups.consumer.takes_classic_member": "told where a group speaks the newer protocol",
    "raft.must_leave_office": "told where a leader removes itself",
    "raft.snapshot_due": "told where a node has applied 20 MiB, or in an hour, or as a seed draws",
    "raft.snapshot_to_send": "told where a node is behind the log start of its leader",
    "raft.may_delete_oldest": "told where a node has two snapshots, and they take too much room",
    "replication.acknowledge_records": "told where an ISR shrinks between an append and its commit",
    "replication.truncation_point_kip101": "told in mode kip101",
    "replication.truncation_point_high_watermark": "told in mode hw",
    "replication.resolve_out_of_range": "told where a log ends before the one of its follower's fetch",
}
"""Rules whose conditions these seeds do not meet; tests beside the rules and scripts show them."""
CONCEPTS = {
    "votes are granted": "grant_vote",
    "pre-vote": "grant_pre_vote",
    "check quorum": "check_quorum",
    "majority commit": "advance_high_watermark",
    "changes of voters, one at a time": "may_change_voters",
    "a follower's high watermark lags one round": "follower_high_watermark",
    "truncation by leader epoch": "truncation_point",
    "leader epoch fencing": "check_leader_epoch",
    "where logs diverge": "diverging_epoch",
    "who counts for the high watermark": "count_for_high_watermark",
    "ISR shrink": "shrink_isr",
    "ISR expand": "expand_isr",
    "ELR": "eligible_leader_replicas",
    "preferred and unclean leader election": "elect_leader",
    "what an unclean winner's ISR is": "isr_after_election",
    "session expiry": "session_expired",
    "heartbeat and fencing of a broker": "next_broker_state",
    "registration of a broker": "may_register",
    "a proposed ISR": "alter_partition",
    "min ISR, before the append": "may_append",
    "min ISR, after the append": "acknowledge_records",
    "duplicate and out of order sequence numbers": "check_sequence",
    "cut to the high watermark, as before epochs": "truncation_point_high_watermark",
}
"""What a newcomer looks for, and the rule that is found by its name."""


def name_of(item: ListedRule) -> str:
    return f"{item.machine}.{item.rule.name}"


@pytest.fixture(scope="module")
def told() -> set[str]:
    """Names of the rules that events of the seeds carry."""
    names: set[str] = set()

    def read(entries: Sequence[Entry]) -> None:
        names.update(entry.decision.rule for entry in entries if entry.decision is not None)

    for seed in SEEDS:
        run_seed(seed, 4.0, [read])
    for seed in VOTER_SEEDS:
        run_seed(seed, 4.0, [read], voter_changes=True)
    for seed in ZOOKEEPER_SEEDS:
        run_seed(seed, 4.0, [read], control="zookeeper")
    return names


@pytest.mark.parametrize("item", RULES, ids=name_of)
def test_a_rule_is_called_like_its_function_and_says_where_it_comes_from(item: ListedRule) -> None:
    assert item.rule.name == item.rule.function.__name__
    assert item.rule.told_source
    assert item.rule.says.endswith("."), "its docstring begins with one sentence"
    assert (ROOT / item.file).read_text("utf-8").splitlines()[item.line - 1].startswith("@rule(")


def test_rules_stand_in_the_rule_files_of_their_machines_and_all_are_listed() -> None:
    marked = {
        (str(path.relative_to(ROOT)), node.name)
        for path in (ROOT / "cluster").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "rule"
    }
    assert marked == {(item.file, item.rule.name) for item in RULES}
    assert all("/rules" in file for file, _ in marked)
    assert len({name_of(item) for item in RULES}) == len(RULES)


@pytest.mark.parametrize("item", RULES, ids=name_of)
def test_a_rule_is_asked_by_a_handler_of_its_machine(item: ListedRule) -> None:
    own = {ROOT / (file.__name__.replace(".", "/") + ".py") for file in FILES}
    folder = ROOT / "cluster" / item.machine.partition(".")[0]
    handlers = [path.read_text("utf-8") for path in folder.rglob("*.py") if path not in own]
    calls = [
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for text in handlers
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
    ]
    assert item.rule.name in calls


@pytest.mark.parametrize("item", RULES, ids=name_of)
def test_a_rule_is_told_by_an_event(item: ListedRule, told: set[str]) -> None:
    known = name_of(item)
    assert item.rule.name in told or known in UNTOLD or known in RARE


def test_what_is_called_untold_or_rare_is_a_rule() -> None:
    assert {*UNTOLD, *RARE} <= {name_of(item) for item in RULES}


@pytest.mark.parametrize(("concept", "name"), CONCEPTS.items())
def test_a_concept_is_found_by_the_name_of_its_rule(concept: str, name: str) -> None:
    assert name in {item.rule.name for item in RULES}, concept
