"""What of our scripts Apache Kafka can be asked: the clusters of a script one by one, and why some are not judged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from cluster.faults.grammar import parse_command
from cluster.faults.healing import Heal
from cluster.faults.links import Cut, Delay, Isolate, Partition
from cluster.faults.processes import Kill, Pause, PowerLoss, Resume, Start, Stop
from cluster.language.command import Command, names_in
from cluster.language.members import MemberOrder, Subscribe
from cluster.language.topics import AlterTopic, Consume, CreateTopic, DeleteRecords, Elect, Produce, Reassign
from cluster.language.transactions import TxnCommand
from cluster.language.words import CommandError
from cluster.model import events as ev
from cluster.model.identifiers import METADATA
from cluster.model.settings import Settings
from cluster.scenario.conditions import AnyCondition, Condition, parse_condition
from cluster.scenario.event_pattern import EventCount
from cluster.scenario.group_terms import GROUP_TERMS
from cluster.scenario.main import read_script
from cluster.scenario.script import ClusterPlan, Do, Expect, Keep, Remember, Script, Section, Step
from cluster.scenario.terms import Term
from cluster.scenario.told import EventSeen
from judges.apache_kafka.properties import SAME, WATCHED_EVERY_MS, WITHOUT_EFFECT

SETTLE = "settle"
"""Text of the steps that we put in where states are compared."""
SETTLE_MS = 500
TOLD = frozenset(
    (
        ev.PartitionDecided, ev.BrokerRegistered, ev.BrokerFenced, ev.BrokerUnfenced, ev.OperationSucceeded,
        ev.OperationFailed, ev.OperationUnknown, ev.ProduceAnswered,
    )
)  # fmt: skip
"""Events that are told of Apache Kafka too."""
FIELDS_UNTOLD = {"why", "leader_recovery_state", "asked_epoch", "broker_epoch", "asked_epochs", "client_id"}
ASKED = frozenset(
    (
        "quorum epoch", "leader of quorum", "follower of quorum", "quorum_epoch on", "leader_epoch", "partition_epoch",
        "min_isr", "isr", "elr", "replicas", "leader", "follower", "acked", "lost", "consumed", "log_start", "log_end",
        "high_watermark",
    )
)  # fmt: skip
"""Terms whose value can be seen of Apache Kafka."""
COMMANDS = (
    CreateTopic, AlterTopic, Produce, Consume, DeleteRecords, Elect, Reassign, Kill, Stop, PowerLoss, Start, Pause,
    Resume, Cut, Partition, Isolate, Delay, Heal,
)  # fmt: skip
PLAIN = {"number", "name", "set"}
_NAME = re.compile(r"\$[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Case:
    """One cluster of a script."""

    name: str
    """As its file begins, and its section: p12 gate."""
    path: Path
    script: Script
    """The cluster's sections alone, with steps where states are compared."""
    why_not: str = ""
    """Why it is not judged; empty when it is."""

    @property
    def plan(self) -> ClusterPlan:
        """Of its cluster."""
        plan = self.script.sections[0].plan
        assert plan is not None
        return plan

    @property
    def needs_quorum(self) -> bool:
        """Whether it does anything to controllers or asks of them; else one of them is enough for Kafka."""
        words = [step.text for section in self.script.sections for step in section.steps]
        return any(re.search(r"\b10[1-9]\b|quorum(?!_)|\$", text) for text in words if text != SETTLE)


def cases_of(path: Path) -> list[Case]:
    """Each cluster of a script, in order. ScriptError and OSError as `read_script` says."""
    script, found = read_script(path), []
    groups: list[list[Section]] = []
    for section in script.sections:
        if section.plan is not None:
            groups.append([])
        groups[-1].append(section)
    for group in groups:
        first = group[0].name
        steps = [step for section in group for step in section.steps]
        why = _why_not(group[0].plan, steps)
        plan = group[0].plan
        assert plan is not None
        merged = replace(group[0], plan=_as_watched(plan), steps=tuple(_with_settles(steps)))
        label = path.stem if not first else f"{path.stem} [{first}]"
        found.append(Case(label, path, Script((merged,)), why))
    return found


def _as_watched(plan: ClusterPlan) -> ClusterPlan:
    """Each world writes its high watermarks to disk as often as Kafka has to, since there they are read from disk.

    A script that says how often keeps it.
    """
    name = "high_watermark_checkpoint_interval_ms"
    if name in dict(plan.overrides):
        return plan
    return replace(plan, overrides=(*plan.overrides, (name, WATCHED_EVERY_MS)))


def _with_settles(steps: list[Step]) -> Iterator[Step]:
    """States are compared where the script has waited for something, before it does the next thing, and at its end."""
    settle = Keep(0, SETTLE, parse_condition(["quorum", "epoch", ">=", "0"], frozenset()), SETTLE_MS)
    waited = False
    for step in steps:
        if isinstance(step, Do):
            if waited:
                yield settle
            waited = False
        elif isinstance(step, Expect | Keep):
            waited = True
        yield step
    yield settle


def _why_not(plan: ClusterPlan | None, steps: list[Step]) -> str:
    assert plan is not None
    return next((why for why in (_why_not_plan(plan), *map(_why_not_step, steps)) if why), "")


def _why_not_plan(plan: ClusterPlan) -> str:
    if plan.given:
        return "it begins with something given, which would have to be laid down on Kafka's disks"
    if plan.combined:
        return "its nodes are controllers and brokers at once"
    usual = Settings()
    for name, value in plan.overrides:
        if name not in SAME and name not in WITHOUT_EFFECT and value != getattr(usual, name):
            return f"{name}={str(value).lower() if isinstance(value, bool) else value}: Kafka 4 has no such switch"
    return ""


def _why_not_step(step: Step) -> str:
    if isinstance(step, Do):
        try:
            command = parse_command(_NAME.sub("1", step.text))
        except CommandError:
            return f"'{step.text}' is no command by itself"
        return _why_not_command(command)
    if isinstance(step, Expect | Keep | Remember):
        return ""
    word = {"When": "an event of a node", "At": "a time"}.get(type(step).__name__)
    return f"it does something at {word}" if word else ""


def _why_not_command(command: Command) -> str:
    if isinstance(command, Subscribe | MemberOrder):
        return "it needs members of a consumer group, and our client of Apache Kafka is none"
    if isinstance(command, TxnCommand) or (isinstance(command, Consume) and command.isolation == "read_committed"):
        return "it needs a transactional client, and our client of Apache Kafka is none"
    if not isinstance(command, COMMANDS):
        return f"'{command.verb}' cannot be done to Apache Kafka from outside"
    if any(name.part for name in names_in(command)):
        return "it names a node by the part it plays"
    if isinstance(command, Produce) and (command.keys or command.partitioner or command.spoil or command.in_flight > 1):
        return "it needs a producer with keys, spoilt batches or several requests in flight"
    if isinstance(command, Produce) and command.count > 500:
        return "it writes more than our client does one by one"
    if isinstance(command, CreateTopic) and command.configs:
        return "it needs segments smaller than Kafka allows"
    if isinstance(command, PowerLoss) and command.keep != "durable":
        return "what a disk keeps of unflushed writes cannot be laid down on Kafka's disks"
    return ""


def for_kafka(case: Case) -> tuple[Script, list[str]]:
    """The script without what Apache Kafka cannot be asked, and the text of what was left out.

    What is to hold for some time is waited for first: it is seen a little later than it is, and what the script waits
    for before it may be an event, which is left out.
    """
    section = case.script.sections[0]
    kept: list[Step] = []
    left_out: list[str] = []
    for step in section.steps:
        if not _step_asked(step):
            left_out.append(step.text)
        elif isinstance(step, Expect):
            kept.append(replace(step, within_ms=None))
        elif isinstance(step, Keep) and step.text != SETTLE:
            kept += [Expect(step.line, step.text, step.condition, within_ms=None, wait_only=True), step]
        else:
            kept.append(step)
    return Script((replace(section, steps=tuple(kept)),)), left_out


def _step_asked(step: Step) -> bool:
    if isinstance(step, Expect | Keep):
        return is_asked(step.condition)
    return not isinstance(step, Remember) or _term_asked(step.term)


def is_asked(condition: AnyCondition) -> bool:
    """Whether Apache Kafka can be asked for it."""
    if isinstance(condition, EventSeen):
        pattern = condition.pattern
        return pattern.kind in TOLD and not any(item.name in FIELDS_UNTOLD for item in pattern.filters)
    if not isinstance(condition, Condition):
        return False
    if condition.kind == "truncated" or condition.where.topic_partition == METADATA and condition.kind == "identical":
        return False
    if condition.kind in ("disk", "diverged"):
        return False
    return all(_term_asked(term) for term in (condition.left, condition.right) if term is not None)


def _term_asked(term: Term | EventCount) -> bool:
    if isinstance(term, EventCount):
        return term.pattern.kind in TOLD and not any(item.name in FIELDS_UNTOLD for item in term.pattern.filters)
    if term.kind in GROUP_TERMS:
        return False
    is_metadata = term.kind in ("log_end", "high_watermark", "log_start") and term.where.topic_partition == METADATA
    return term.kind in PLAIN or (term.kind in ASKED and not is_metadata)
