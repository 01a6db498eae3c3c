"""What a text must say of a cluster: a word for each switch that its script turns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cluster.faults.grammar import parse_command
from cluster.language.topics import CreateTopic
from cluster.language.words import CommandError
from cluster.scenario.given import Given, GivenElection, GivenHighWatermark, GivenLog, GivenNetwork, GivenTopic
from cluster.scenario.script import ClusterPlan, Do, Section, settings_of

MIN_ISR = "min.insync.replicas"
WORDS_OF: dict[str, str] = {
    "truncation_mode": "high watermark",
    "unclean_leader_election": "unclean.leader.election.enable",
    "elr": "eligible leader replicas",
    "hw_gate": "stands still",
    "pre_vote": "pre-vote",
    "flush_partitions": "log.flush.interval.messages",
    "fetch_max_bytes": "replica.fetch.max.bytes",
    "lag_max_messages": "replica.lag.max.messages",
    "metadata_log_max_record_bytes_between_snapshots": "metadata.log.max.record.bytes.between.snapshots",
    "metadata_max_retention_bytes": "metadata.max.retention.bytes",
    "dynamic_quorum": "dynamic quorum",
    "spare_controllers": "observer",
    "control": "zookeeper",
    "broker_epochs": "kip-380",
}
"""Setting to what a text must say when a script sets it. A timer is named by its figure, any other by its own name."""
WORDS_OF_GIVEN: dict[type[Given], str] = {
    GivenLog: "log",
    GivenHighWatermark: "high watermark",
    GivenElection: "vote",
    GivenTopic: "topic",
    GivenNetwork: "network",
}
"""What a cluster finds when it starts, to what a text must say of it."""


def switch_words(plan: ClusterPlan, sections: Iterable[Section]) -> set[str]:
    """The words for what this cluster and the commands of its sections turn."""
    usual = settings_of(replace(plan, overrides=()))
    turned = [name for name, value in plan.overrides if value != getattr(usual, name)]
    words = {f"{{{name}}}" if name.endswith("_ms") else WORDS_OF.get(name, name) for name in turned}
    words |= {WORDS_OF_GIVEN[type(given)] for given in plan.given} | ({"combined"} if plan.combined else set())
    for command in (item.text for section in sections for item in section.steps if isinstance(item, Do)):
        try:
            order = parse_command(command)
        except CommandError:
            continue  # it names a remembered node
        if isinstance(order, CreateTopic) and order.min_isr > 1:
            words.add(MIN_ISR)
    return words
