"""Conditions: what a script can expect of the cluster's state. A closed set."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from cluster.faults.disks import DISK_FAULTS
from cluster.language.words import CommandError, topic_partition
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import METADATA, NO_NODE, TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.event_pattern import NO_EVENTS, EventBook, EventCount, parse_pattern
from cluster.scenario.terms import (
    SETS,
    GrammarError,
    Memory,
    Term,
    Value,
    Where,
    check_node,
    node_of,
    parse_term,
    shown,
)
from cluster.scenario.told import EventSeen, VerdictIs, parse_event_seen, parse_verdict

OPERATORS: dict[str, Any] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
PROCESS_WORDS = ("starting", "running", "paused", "stopping", "down")
DISK_WORDS = {kind.state: kind.__name__ for kind in DISK_FAULTS}
"""What a disk does to the fault that makes it so; several may be in force."""
ROLE_WORDS = ("unattached", "prospective", "candidate", "leader", "follower", "resigned", "observer")
FUNCTIONS = ("produce", "consume", "create_topic", "delete_records", "elect", "reassign")
ALLOWED = (
    "VALUE = VALUE (or != < <= > >=), leader of quorum, no leader of quorum, leader TOPIC-P, no leader TOPIC-P, "
    "truncated LOG on N [to OFFSET], identical LOG, diverged LOG, error FUNCTION CODE, node N STATE, disk N STATE, "
    "role N ROLE, fenced N, unfenced N[,M], idle, event EVENT [on N] [FIELD=VALUE ...], no event ..., "
    "verdict RULE[,RULE] WORD"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that holds or not."""

    kind: str
    """compare, exists, none, truncated, identical, diverged, error, node, disk, role, fenced, unfenced, idle."""
    left: Term | EventCount | None = None
    """For compare, exists, none."""
    sign: str = ""
    right: Term | EventCount | None = None
    """For compare; for truncated the new end, when asked."""
    where: Where = Where()
    """For truncated, identical, diverged, node, disk, role, fenced."""
    word: str = ""
    """State, role, or function of an error."""
    code: int = 0
    nodes: tuple[str, ...] = ()

    def check(self, state: ClusterState, memory: Memory, book: EventBook = NO_EVENTS) -> tuple[bool, str]:
        """(whether it holds now, what is seen)."""
        match self.kind:
            case "compare":
                return self._compare(state, memory, book)
            case "exists" | "none":
                assert isinstance(self.left, Term)
                value = self.left.value(state, memory)
                missing = value is None or value == NO_NODE
                return missing == (self.kind == "none"), "no leader" if missing else f"leader is {shown(value)}"
            case "truncated":
                return self._truncated(state, memory)
            case "identical" | "diverged":
                return self._replicas(state)
            case "error":
                count = state.errors[self.word, self.code]
                met = ", ".join(f"{function} {error_name(code)}" for function, code in sorted(state.errors))
                return count > 0, f"clients met: {met or 'no error'}"
            case "idle":
                count = state.open_operations()
                return count == 0, f"{count} operations wait for an answer"
            case _:
                return self._node(state, memory)

    def _compare(self, state: ClusterState, memory: Memory, book: EventBook) -> tuple[bool, str]:
        assert self.left is not None
        assert self.right is not None
        left, right = value_of(self.left, state, memory, book), value_of(self.right, state, memory, book)
        seen = f"{self.left.text} was {shown(left)}"
        if isinstance(self.right, EventCount) or self.right.kind not in ("number", "set"):
            seen += f", {self.right.text} was {shown(right)}"
        if isinstance(left, tuple) and isinstance(right, int):
            right = (right,)
        if isinstance(right, tuple) and isinstance(left, int):
            left = (left,)
        if left is None or right is None:
            return False, seen
        if isinstance(left, tuple) and self.sign not in ("=", "!="):
            return False, seen
        return bool(OPERATORS[self.sign](left, right)), seen

    def _truncated(self, state: ClusterState, memory: Memory) -> tuple[bool, str]:
        node, tp = node_of(self.where.node, memory), self.where.topic_partition
        ends = [c.end_offset for c in state.cuts if (c.node, c.topic_partition, c.kind) == (node, tp, "truncated")]
        wanted = self.right.value(state, memory) if isinstance(self.right, Term) else None
        seen = f"cut to {', '.join(map(str, ends))}" if ends else "no truncation"
        return (wanted in ends if self.right is not None else bool(ends)), f"node {node}: {seen}"

    def _replicas(self, state: ClusterState) -> tuple[bool, str]:
        tp = self.where.topic_partition
        offset = state.divergence(tp)
        ends = ", ".join(f"{node} ends at {log.log_end_offset}" for node, log in state.replica_logs(tp).items())
        seen = f"{ends or 'no live replica'}; " + ("no difference" if offset is None else f"they differ at {offset}")
        return (state.identical(tp) if self.kind == "identical" else offset is not None), seen

    def _node(self, state: ClusterState, memory: Memory) -> tuple[bool, str]:
        if self.kind == "unfenced":
            numbers = [node_of(word, memory) for word in self.nodes]
            fenced = [number for number in numbers if state.node(number).fenced is not False]
            return not fenced, f"not in service: {', '.join(map(str, fenced)) or 'none'}"
        node = state.node(node_of(self.where.node, memory))
        if self.kind == "node":
            return node.process == self.word, f"node {node.node_id} is {node.process}"
        if self.kind == "disk":
            disk_words = [word for word, kind in DISK_WORDS.items() if node.suffers(kind)] or ["ok"]
            return self.word in disk_words, f"the disk of node {node.node_id}: {', '.join(disk_words)}"
        if self.kind == "role":
            return node.quorum_role == self.word, f"node {node.node_id} is {node.quorum_role or 'without a role'}"
        words = {None: "not registered yet", True: "fenced", False: "not fenced"}
        return node.fenced is True, f"node {node.node_id} is {words[node.fenced]}"


def error_name(code: int) -> str:
    """Name of an error code; NO_ANSWER for -1."""
    return "NO_ANSWER" if code == -1 else ErrorCode(code).name if code in set(ErrorCode) else str(code)


AnyCondition: TypeAlias = Condition | EventSeen | VerdictIs


def value_of(term: Term | EventCount, state: ClusterState, memory: Memory, book: EventBook) -> Value:
    """The present value of a term, whether the state knows it or the events."""
    return book.count(term.pattern, memory) if isinstance(term, EventCount) else term.value(state, memory)


def parse_value(words: list[str], names: frozenset[str]) -> Term | EventCount:
    """A term of the state, or `events` with a pattern: how many there were since the cluster began."""
    if words[:1] == ["events"]:
        return EventCount(" ".join(words), parse_pattern(words[1:], names))
    return parse_term(words, names)


def parse_condition(words: list[str], names: frozenset[str]) -> AnyCondition:
    """The condition that all the words make."""
    match words:
        case []:
            raise GrammarError(f"a condition is missing; allowed: {ALLOWED}")
        case ["event", *rest]:
            return parse_event_seen(rest, names, wanted=True)
        case ["no", "event", *rest]:
            return parse_event_seen(rest, names, wanted=False)
        case ["verdict", *rest]:
            return parse_verdict(rest)
        case _:
            return parse_state_condition(words, names, parse_value)


ParseValue = Callable[[list[str], frozenset[str]], Term | EventCount]


def parse_state_condition(words: list[str], names: frozenset[str], parse: ParseValue = parse_term) -> Condition:
    """A condition over the folded state; what stands beside a sign is read by parse."""
    signs = [index for index, word in enumerate(words) if word in OPERATORS]
    if len(signs) == 1:
        place = signs[0]
        left, right = parse(words[:place], names), parse(words[place + 1 :], names)
        _check_kinds(left, words[place], right)
        return Condition("compare", left, words[place], right)
    if len(signs) > 1:
        raise GrammarError("more than one comparison")
    match words:
        case ["leader" | "follower", *_]:
            return Condition("exists", parse_term(words, names))
        case ["no", "leader", *_]:
            return Condition("none", parse_term(words[1:], names))
        case ["truncated", log, "on", node, *rest]:
            return _truncated(log, node, rest, names)
        case ["identical" | "diverged" as kind, log]:
            return Condition(kind, where=Where(_log(log)))
        case ["error", function, code]:
            return _error(function, code)
        case ["node" | "disk" | "role" as kind, node, word]:
            allowed = {"node": PROCESS_WORDS, "disk": (*DISK_WORDS, "ok"), "role": ROLE_WORDS}[kind]
            if word not in allowed:
                raise GrammarError(f"{kind}: no such state '{word[:40]}'; allowed: {', '.join(allowed)}")
            return Condition(kind, where=Where(node=check_node(node, names)), word=word)
        case ["fenced", node]:
            return Condition("fenced", where=Where(node=check_node(node, names)))
        case ["unfenced", nodes]:
            return Condition("unfenced", nodes=tuple(check_node(word, names) for word in nodes.split(",")))
        case ["idle"]:
            return Condition("idle")
        case _:
            raise GrammarError(f"unknown condition '{' '.join(words)[:80]}'; allowed: {ALLOWED}")


def _check_kinds(left: Term | EventCount, sign: str, right: Term | EventCount) -> None:
    """GrammarError for what can never hold: a number that is to be a set of nodes, or sets in an order."""
    for one, other in ((left, right), (right, left)):
        kind = one.kind if isinstance(one, Term) else ""
        if not isinstance(other, Term) or other.kind not in ("set", *SETS):
            continue
        if sign not in ("=", "!="):
            raise GrammarError(f"'{other.text[:80]}' is a set of nodes, which has no order; allowed: = and !=")
        if other.kind == "set" and kind not in ("set", "name", *SETS):
            hint = f"; a partition or quorum without one is: no {one.text}" if kind.startswith("leader") else ""
            raise GrammarError(f"'{one.text[:80]}' is a number, never the nodes '{other.text[:80]}'{hint}")


def _log(word: str) -> TopicPartition:
    if word == "metadata":
        return METADATA
    try:
        return topic_partition(word, "log")
    except CommandError as error:
        raise GrammarError(str(error)) from error


def _truncated(log: str, node: str, rest: list[str], names: frozenset[str]) -> Condition:
    if rest and rest[0] != "to":
        raise GrammarError("the form is: truncated LOG on N [to OFFSET]")
    end = parse_term(rest[1:], names) if rest else None
    return Condition("truncated", right=end, where=Where(_log(log), check_node(node, names)))


def _error(function: str, code: str) -> Condition:
    codes = {item.name: int(item) for item in ErrorCode} | {"NO_ANSWER": -1}
    if function not in FUNCTIONS:
        raise GrammarError(f"error: no such function '{function[:40]}'; allowed: {', '.join(FUNCTIONS)}")
    if code not in codes:
        raise GrammarError(f"error: no such code '{code[:40]}'; allowed: {', '.join(codes)}")
    return Condition("error", word=function, code=codes[code])
