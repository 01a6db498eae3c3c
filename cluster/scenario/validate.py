"""What a script may speak of: the nodes of its cluster and the topics it has created so far."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cluster.faults.grammar import parse_command
from cluster.language import topics as t
from cluster.language.command import names_in
from cluster.language.transactions import TxnProduce
from cluster.language.words import CommandError
from cluster.language.znodes import AskZooKeeper
from cluster.model.identifiers import METADATA, NodeId, TopicPartition
from cluster.model.settings import ZOOKEEPER
from cluster.model.topic_settings import MAJORITY
from cluster.scenario.conditions import AnyCondition
from cluster.scenario.event_pattern import EventCount, EventPattern
from cluster.scenario.given import (
    Given,
    GivenElection,
    GivenFault,
    GivenHighWatermark,
    GivenLeader,
    GivenLog,
    GivenTopic,
    nodes_of,
    quorum_log_end,
)
from cluster.scenario.script import ClusterPlan
from cluster.scenario.terms import NAME, GrammarError, Term
from cluster.scenario.told import EventSeen, VerdictIs

TOPIC_ZNODES = "/brokers/topics/"
OF_A_TOOL_MAX = 64
"""Partitions that a topic may have whose znode a script writes: what is in it is for the controller to read."""


def substitute(text: str, values: Mapping[str, str]) -> str:
    """The text with each $name replaced. GrammarError for a name that nothing has remembered."""

    def value(found: re.Match[str]) -> str:
        if found[1] not in values:
            remembered = ", ".join(sorted(values)) or "none so far"
            raise GrammarError(f"nothing is remembered as '{found[1]}'; known: {remembered}")
        return values[found[1]]

    return NAME.sub(value, text)


class Known:
    """The cluster that a script speaks of, as far as read."""

    def __init__(self, plan: ClusterPlan) -> None:
        self.plan = plan
        self._nodes = plan.spec("").nodes
        self.topics: dict[str, int] = {}
        """Topic to its number of partitions."""

    def check_command(self, text: str, names: frozenset[str]) -> None:
        """A command's grammar, its nodes and its topics. Remembered values are only known when it runs."""
        command = parse_command(substitute(text, {name: str(index) for index, name in enumerate(sorted(names), 9000)}))
        for name in names_in(command):
            if name.topic_partition is not None:
                self._topic(name.topic_partition)
            elif not name.part and name.node_id < 9000:
                self._node(name.node_id)
        match command:
            case t.CreateTopic():
                self._create(command)
            case t.AlterTopic(topic=topic):
                self._topic(TopicPartition(topic, 0))
                if self.is_zookeeper:
                    raise CommandError("not with control=zookeeper", "alter", text, "a topic that is made so")
            case t.Reassign(tp, target):
                self._topic(tp)
                self._brokers(target, "reassign: brokers")
            case t.Produce(tp) | t.Consume(tp) | t.DeleteRecords(tp) | t.Elect(tp):
                self._topic(tp)
            case TxnProduce(topic_partition=tp):
                self._topic(tp)
            case AskZooKeeper(action="create", path=path) if path.startswith(TOPIC_ZNODES):
                self.topics.setdefault(path.removeprefix(TOPIC_ZNODES), OF_A_TOOL_MAX)
            case AskZooKeeper() if not self.is_zookeeper:
                raise CommandError("this cluster has no ZooKeeper", "znode", text, "after cluster control=zookeeper")
            case _:
                pass

    @property
    def is_zookeeper(self) -> bool:
        """Whether the cluster line says so."""
        return dict(self.plan.overrides).get("control") == ZOOKEEPER

    def _create(self, command: t.CreateTopic) -> None:
        if command.replicas > self.plan.brokers:
            raise CommandError(
                "more replicas than brokers", "topic: replicas", str(command.replicas), f"1 to {self.plan.brokers}"
            )
        self._brokers(command.assign, "topic: assign")
        if self.is_zookeeper and command.commit_rule == MAJORITY:
            raise CommandError("not with control=zookeeper", "topic: commit-rule", command.commit_rule, "isr")
        self.topics[command.topic] = command.partitions

    def _brokers(self, brokers: tuple[NodeId, ...], where: str) -> None:
        for broker in brokers:
            if not 1 <= broker <= self.plan.brokers:
                raise CommandError("no such broker", where, str(broker), f"1 to {self.plan.brokers}")

    def check_given(self, given: Given) -> None:
        """Nodes and topics of what a cluster is given; a topic given is there from then on."""
        for node in nodes_of(given):
            self._node(node)
        if isinstance(given, GivenFault):
            self.check_command(given.command, frozenset())
        elif isinstance(given, GivenTopic):
            self.topics[given.topic] = 1
        elif isinstance(given, GivenLog | GivenHighWatermark):
            self._topic(given.topic_partition)
            if isinstance(given, GivenLog):
                self._check_histories(given)
        self._check_leader((*self.plan.given, given))

    def _check_histories(self, given: GivenLog) -> None:
        """An epoch has one leader, whose log before its first record is that of all who have records of this epoch."""
        for other in self.plan.given:
            if not isinstance(other, GivenLog) or other.topic_partition != given.topic_partition:
                continue
            for at, run in enumerate(given.runs):
                before = {one.epoch: other.runs[:place] for place, one in enumerate(other.runs)}.get(run.epoch)
                if before is not None and before != given.runs[:at]:
                    where = f"epoch {run.epoch} has two histories, on nodes {given.nodes[0]} and {other.nodes[0]}"
                    why = "it had one leader, so the records before its first one are the same"
                    raise GrammarError(f"log: {where}: {why}")

    def _check_leader(self, given: tuple[Given, ...]) -> None:
        """Who is given all votes is a voter, and its log is such that it would get them."""
        leaders = [item.node for item in given if isinstance(item, GivenLeader)]
        if not leaders:
            return
        leader, voters = leaders[0], range(101, 101 + self.plan.controllers)
        if leader not in voters:
            raise GrammarError(f"node {leader} is no voter; allowed: controllers {voters[0]} to {voters[-1]}")
        if len(leaders) > 1 or any(isinstance(item, GivenElection) for item in given):
            raise GrammarError("what the voters remember is given twice; a leader says it of all of them")
        for voter in voters:
            if quorum_log_end(given, voter) > quorum_log_end(given, leader):
                raise GrammarError(
                    f"{voter} has the longer log and would not vote for it: it cannot be given leader {leader}"
                )

    def check_condition(self, condition: AnyCondition) -> None:
        """Nodes and topics of an expectation."""
        if isinstance(condition, VerdictIs):
            return
        if isinstance(condition, EventSeen):
            self.check_pattern(condition.pattern)
            return
        for term in (condition.left, condition.right):
            if term is not None:
                self.check_value(term)
        self._topic(condition.where.topic_partition)
        for word in (condition.where.node, *condition.nodes):
            if word.isdigit():
                self._node(int(word))

    def check_pattern(self, pattern: EventPattern) -> None:
        """The node of a pattern of events."""
        if pattern.node.isdigit():
            self._node(int(pattern.node))

    def check_value(self, term: Term | EventCount) -> None:
        """Node and topic of one value."""
        if isinstance(term, EventCount):
            self.check_pattern(term.pattern)
            return
        self._topic(term.where.topic_partition)
        if term.where.node.isdigit():
            self._node(int(term.where.node))

    def _node(self, node_id: int) -> None:
        if node_id not in self._nodes:
            brokers, controllers = self.plan.brokers, self.plan.controllers
            parts = [f"brokers 1 to {brokers}"] if brokers else []
            first = 1 if self.plan.combined else 101
            parts.append(f"controllers {first} to {first + controllers - 1}")
            raise GrammarError(f"no node {node_id} in this cluster; allowed: {', '.join(parts)}")

    def _topic(self, tp: TopicPartition) -> None:
        if tp == METADATA:
            return
        if tp.topic not in self.topics:
            created = ", ".join(sorted(self.topics)) or "none so far"
            raise GrammarError(f"topic '{tp.topic}' is not created before this line; known: {created}")
        if tp.partition >= self.topics[tp.topic]:
            last = self.topics[tp.topic] - 1
            raise GrammarError(f"topic '{tp.topic}' has partitions 0 to {last}, not {tp.partition}")
