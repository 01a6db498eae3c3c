"""Terms: what a script can ask of the cluster's state. A closed set, each a function of the state."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from cluster.language.words import CommandError, topic_partition
from cluster.model.identifiers import METADATA, NO_NODE, NodeId, TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.group_terms import GROUP_TERMS, read_group

Value: TypeAlias = int | tuple[int, ...] | None
"""A number, a set of nodes in ascending order, or unknown."""
Memory: TypeAlias = dict[str, Value]
NAME = re.compile(r"\$([a-z][a-z0-9_]*)")
"""A remembered value within other text."""
_SUM = re.compile(r"(\$[a-z][a-z0-9_]*|-?[0-9]+)([+-])([0-9]{1,9})")


class GrammarError(Exception):
    """Words that are no term or condition. The message says what is allowed."""


@dataclass(frozen=True, slots=True)
class Where:
    """What a term speaks of."""

    topic_partition: TopicPartition = METADATA
    """METADATA for the quorum's log."""
    node: str = ""
    """A number or a remembered name; empty when the term has no node."""
    group: str = ""
    """A consumer group; empty when the term has none."""
    member: str = ""
    """Client id of a member; empty when the term has none."""


@dataclass(frozen=True, slots=True)
class Term:
    """A value to be read from the state when it is asked for."""

    text: str
    kind: str
    """A name in TERMS, or number, name, set."""
    where: Where = Where()
    """What it speaks of."""
    literal: Value = None
    """For number and set."""
    plus: int = 0
    """Added to a number."""
    word: str = ""
    """For name: what is remembered so."""

    def value(self, state: ClusterState, memory: Memory) -> Value:
        """The present value; None when it is not known (yet)."""
        if self.kind in ("number", "set"):
            result = self.literal
        elif self.kind == "name":
            result = memory.get(self.word)
        elif self.kind in GROUP_TERMS:
            where = self.where
            result = read_group(state, self.kind, where.group, where.member, where.topic_partition)
        else:
            result = TERMS[self.kind][1](state, self.where.topic_partition, node_of(self.where.node, memory))
        return result + self.plus if isinstance(result, int) else result


def node_of(text: str, memory: Memory) -> NodeId:
    """The node a word means; -1 when it means none."""
    if text.isdigit():
        return int(text)
    value = memory.get(text.removeprefix("$"))
    return value if isinstance(value, int) else NO_NODE


def shown(value: Value) -> str:
    """A value for people."""
    if value is None:
        return "unknown"
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    return str(value)


def _set(nodes: tuple[NodeId, ...]) -> tuple[int, ...]:
    return tuple(sorted(nodes))


def _leader(state: ClusterState, tp: TopicPartition, _node: NodeId) -> Value:
    return state.leader_of(tp)


def _follower(state: ClusterState, tp: TopicPartition, _node: NodeId) -> Value:
    facts = state.facts(tp)
    members = state.voters if tp == METADATA else facts.isr if facts is not None else ()
    leader = state.leader_of(tp)
    alive = [node for node in sorted(members) if node != leader and state.node(node).process == "running"]
    return alive[0] if alive and leader != NO_NODE else None


def _log_start(state: ClusterState, tp: TopicPartition, node: NodeId) -> Value:
    return state.log(node, tp).log_start_offset


def _log_end(state: ClusterState, tp: TopicPartition, node: NodeId) -> Value:
    return state.log(node, tp).log_end_offset


def _high_watermark(state: ClusterState, tp: TopicPartition, node: NodeId) -> Value:
    return state.log(node, tp).high_watermark


def _durable(state: ClusterState, tp: TopicPartition, node: NodeId) -> Value:
    return state.log(node, tp).durable_offset


def _claimed(state: ClusterState, tp: TopicPartition, node: NodeId) -> Value:
    return state.log(node, tp).claimed_offset


def _cuts(state: ClusterState, tp: TopicPartition, node: NodeId) -> Value:
    return sum(1 for cut in state.cuts if (cut.node, cut.topic_partition, cut.kind) == (node, tp, "truncated"))


def _lost(state: ClusterState, tp: TopicPartition, _node: NodeId) -> Value:
    lost = state.lost(tp)
    return None if lost is None else sum(item.record_count for item in lost)


def _consumed(state: ClusterState, tp: TopicPartition, _node: NodeId) -> Value:
    return len(state.consumed.get(tp, ()))


def _elections(state: ClusterState, tp: TopicPartition, _node: NodeId) -> Value:
    return sum(1 for item in state.elections if item.topic_partition == tp)


def _commit_ms(state: ClusterState, tp: TopicPartition, _node: NodeId) -> Value:
    taken_ns = state.commit_rules.commit_ns(tp)
    return None if taken_ns < 0 else taken_ns // 1_000_000


def _divergence(state: ClusterState, tp: TopicPartition, _node: NodeId) -> Value:
    return state.divergence(tp)


def _of_facts(name: str) -> Callable[[ClusterState, TopicPartition, NodeId], Value]:
    def read(state: ClusterState, tp: TopicPartition, _node: NodeId) -> Value:
        facts = state.facts(tp)
        if facts is None:
            return None
        value = getattr(facts, name)
        return _set(value) if isinstance(value, tuple) else value

    return read


def _rounds(*, pre_vote: bool) -> Callable[[ClusterState, TopicPartition, NodeId], Value]:
    def count(state: ClusterState, _tp: TopicPartition, node: NodeId) -> Value:
        return sum(1 for item in state.rounds if item.candidate_id == node and item.pre_vote == pre_vote)

    return count


Read = Callable[[ClusterState, TopicPartition, NodeId], Value]
TERMS: dict[str, tuple[str, Read]] = {
    "quorum epoch": ("", lambda state, _tp, _node: state.quorum_epoch),
    "active controller": ("", lambda state, _tp, _node: state.active_controller),
    "controller epoch": ("", lambda state, _tp, _node: state.zookeeper.controller_epoch),
    "controllers acting": ("", lambda state, _tp, _node: len(state.zookeeper.acting)),
    "controller_epoch on": ("N", lambda state, _tp, node: state.zookeeper.heard_epochs.get(node, 0)),
    "leader of quorum": ("", _leader),
    "follower of quorum": ("", _follower),
    "elections of quorum": ("", _elections),
    "pre_votes by": ("N", _rounds(pre_vote=True)),
    "votes by": ("N", _rounds(pre_vote=False)),
    "quorum_epoch on": ("N", lambda state, _tp, node: state.node(node).quorum_epoch),
    "leader_epoch": ("TOPIC-P", _of_facts("leader_epoch")),
    "partition_epoch": ("TOPIC-P", _of_facts("partition_epoch")),
    "min_isr": ("TOPIC-P", _of_facts("min_insync_replicas")),
    "isr": ("TOPIC-P", _of_facts("isr")),
    "elr": ("TOPIC-P", _of_facts("elr")),
    "replicas": ("TOPIC-P", _of_facts("replicas")),
    "adding": ("TOPIC-P", _of_facts("adding_replicas")),
    "removing": ("TOPIC-P", _of_facts("removing_replicas")),
    "leader": ("TOPIC-P", _leader),
    "follower": ("TOPIC-P", _follower),
    "elections": ("TOPIC-P", _elections),
    "commit_ms": ("TOPIC-P", _commit_ms),
    "acked": ("TOPIC-P", lambda state, tp, _node: state.acked_count(tp)),
    "lost": ("TOPIC-P", _lost),
    "consumed": ("TOPIC-P", _consumed),
    "divergence": ("TOPIC-P", _divergence),
    "log_start": ("LOG on N", _log_start),
    "log_end": ("LOG on N", _log_end),
    "high_watermark": ("LOG on N", _high_watermark),
    "durable": ("LOG on N", _durable),
    "claimed": ("LOG on N", _claimed),
    "cuts": ("LOG on N", _cuts),
}
"""Term to (what follows it, how it is read). LOG is TOPIC-P or `metadata`."""
SETS = ("isr", "elr", "replicas", "adding", "removing")
"""Terms whose value is a set of nodes."""


def known_terms() -> str:
    """All terms with their arguments, for messages and help."""
    return ", ".join(f"{name} {form}".strip() for name, (form, _) in (*TERMS.items(), *GROUP_TERMS.items()))


def parse_term(words: list[str], names: frozenset[str]) -> Term:
    """The term that all the words make. names are the remembered ones."""
    text = " ".join(words)
    plus = 0
    if len(words) > 2 and words[-2] in ("+", "-") and words[-1].isdigit() and len(words[-1]) < 10:
        plus = int(words[-1]) * (1 if words[-2] == "+" else -1)
        words = words[:-2]
    if len(words) == 1 and (terms := _SUM.fullmatch(words[0])):
        words, plus = [terms[1]], int(f"{terms[2]}{terms[3]}")
    if not words:
        raise GrammarError("a value is missing")
    first = words[0]
    if len(words) == 1:
        number = _literal(first)
        if number is not None:
            return Term(text, "set" if isinstance(number, tuple) else "number", literal=number, plus=plus)
        if first.removeprefix("$") in names:
            return Term(text, "name", plus=plus, word=first.removeprefix("$"))
        if first.startswith("$"):
            remembered = ", ".join(sorted(names)) or "none so far"
            raise GrammarError(f"nothing is remembered as '{first[1:41]}'; known: {remembered}")
    for kind, (form, _) in (*TERMS.items(), *GROUP_TERMS.items()):
        head = kind.split()
        if words[: len(head)] == head and not (len(head) == 1 and words[1:2] == ["of"]):
            return Term(text, kind, parse_where(form, words[len(head) :], kind, names), plus=plus)
    raise GrammarError(f"unknown value '{text[:80]}'; allowed: a number, nodes as 1,2,3, a name, {known_terms()}")


def _literal(word: str) -> Value:
    if word == "none":
        return ()
    parts = word.removeprefix("-").split(",")
    if not all(part.isascii() and part.isdigit() and len(part) < 13 for part in parts):
        return None
    if len(parts) == 1:
        return int(word)
    return None if word.startswith("-") else _set(tuple(int(part) for part in parts))


def parse_where(form: str, words: list[str], kind: str, names: frozenset[str]) -> Where:
    """What follows a term's name."""
    if "GROUP" in form:
        return _parse_group(form, words, kind)
    wanted = {"": 0, "N": 1, "TOPIC-P": 1, "LOG on N": 3}[form]
    if len(words) != wanted or (wanted == 3 and words[1] != "on"):
        raise GrammarError(f"the form is: {kind} {form}".rstrip())
    if form == "":
        return Where()
    if form == "N":
        return Where(node=check_node(words[0], names))
    try:
        tp = METADATA if form == "LOG on N" and words[0] == "metadata" else topic_partition(words[0], kind)
    except CommandError as error:
        raise GrammarError(str(error)) from error
    return Where(tp, check_node(words[2], names) if wanted == 3 else "")


def _parse_group(form: str, words: list[str], kind: str) -> Where:
    """GROUP, or what is asked of it before `in GROUP`."""
    is_short = form == "GROUP"
    if len(words) != (1 if is_short else 3) or not is_short and words[1] != "in":
        raise GrammarError(f"the form is: {kind} {form}")
    if is_short:
        return Where(group=words[0])
    if form.startswith("MEMBER"):
        return Where(group=words[2], member=words[0])
    try:
        return Where(topic_partition(words[0], kind, needs_index=True), group=words[2])
    except CommandError as error:
        raise GrammarError(str(error)) from error


def check_node(word: str, names: frozenset[str]) -> str:
    """A node number or a remembered name."""
    if (word.isascii() and word.isdigit() and len(word) < 5) or word.removeprefix("$") in names:
        return word
    raise GrammarError(f"no node '{word[:40]}'; allowed: a node number or a remembered name")
