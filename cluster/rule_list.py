"""All rules of all machines, found in their files: a rule is listed because it stands in one of them."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from msgspec import Struct

from cluster.broker import rules as broker_rules
from cluster.clients.rules import partitioning, retries
from cluster.controller.rules import (
    brokers,
    eligible_leader_replicas,
    leader_election,
    proposed_isr,
    reassignment,
    replica_placement,
    topic_configs,
    topics,
)
from cluster.controller.rules import majority as majority_elections
from cluster.groups import rules as group_rules
from cluster.groups.classic import rules as classic_rules
from cluster.groups.consumer.rules import members, reconciliation
from cluster.model.ruling import Rule, rule_of
from cluster.raft.rules import check_quorum, snapshots, voters, votes
from cluster.raft.rules import high_watermark as quorum_high_watermark
from cluster.raft.rules import leader_epoch as quorum_epoch
from cluster.raft.rules import truncation as quorum_truncation
from cluster.replication.rules import (
    acknowledgement,
    compaction,
    high_watermark,
    idempotent_producer,
    in_sync_replicas,
    leader_epoch,
    majority,
    read_replica,
    retention,
    transactions,
    truncation,
)
from cluster.transactions import rules as transaction_rules
from cluster.zookeeper.rules import pushes, sessions, znodes

FILES: tuple[ModuleType, ...] = (
    votes,
    check_quorum,
    quorum_high_watermark,
    quorum_epoch,
    quorum_truncation,
    snapshots,
    voters,
    high_watermark,
    in_sync_replicas,
    acknowledgement,
    majority,
    truncation,
    leader_epoch,
    idempotent_producer,
    retention,
    compaction,
    read_replica,
    transactions,
    brokers,
    leader_election,
    eligible_leader_replicas,
    proposed_isr,
    majority_elections,
    reassignment,
    topics,
    replica_placement,
    topic_configs,
    group_rules,
    classic_rules,
    members,
    reconciliation,
    transaction_rules,
    broker_rules,
    retries,
    partitioning,
    znodes,
    sessions,
    pushes,
)


class ListedRule(Struct, frozen=True):
    """A rule and where it stands."""

    machine: str
    """The folder of its machine, such as raft or groups.classic."""
    rule: Rule
    file: str
    """From the root of the project."""
    line: int
    """Where its function begins."""


@cache
def listed_rules() -> tuple[ListedRule, ...]:
    """In the order in which they stand in their files; machines may have rules of the same name."""
    return tuple(item for file in FILES for item in _of_file(file))


def _of_file(module: ModuleType) -> list[ListedRule]:
    machine = module.__name__.removeprefix("cluster.").partition(".rules")[0]
    path = module.__name__.replace(".", "/") + ".py"
    rules = [known_rule for value in vars(module).values() if (known_rule := rule_of(value)) is not None]
    return [
        ListedRule(machine, known_rule, path, known_rule.function.__code__.co_firstlineno)
        for known_rule in rules
        if known_rule.function.__module__ == module.__name__
    ]
