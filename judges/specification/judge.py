"""Holds a recorded run against a specification: window by window, and says where no behaviour of it goes on."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from cluster.model.entry import Entry
from cluster.model.identifiers import NodeId, TopicPartition
from judges.specification.causal_order import Recording
from judges.specification.not_judged import NotJudged
from judges.specification.quorum_line import quorum_line
from judges.specification.quorum_module import quorum_module
from judges.specification.quorum_state import ADDED as ADDED_TO_QUORUM
from judges.specification.quorum_state import QuorumState
from judges.specification.replication_module import SPECIFICATIONS, module
from judges.specification.replication_states import ADDED, State, states_of
from judges.specification.replication_steps import mode_of, steps_of
from judges.specification.tlc import Module, Tools, Walked, walk

WINDOW = 80
"""Steps that one module walks: TLC takes long with many records."""
STEPS_MAX = 4000
"""Of a line that TLC is asked about; logs of longer ones take it more than its time."""
QUORUM = "kraft_kip_996"
ACCEPTED, REJECTED, NOT_JUDGED = "accepted", "rejected", "not judged"
MODES = {specification: mode for mode, specification in SPECIFICATIONS.items()}


def specification_for(entries: Iterable[Entry]) -> str:
    """That of the run's own mode of cutting. NotJudged when there is none."""
    mode = mode_of(entries)
    if mode not in SPECIFICATIONS:
        raise NotJudged(f"no specification is about truncation_mode={mode}")
    return SPECIFICATIONS[mode]


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict. Accepted says that some behaviour of the specification shows this run, not that the run is right."""

    verdict: str
    specification: str
    why: str = ""
    """Of a run that was not judged."""
    steps: int = 0
    added: dict[str, int] = field(default_factory=dict)
    """Actions that the specification does not have, and how often the run needed them."""
    seconds: float = 0.0
    at: int = 0
    """The first step that no behaviour allows, from 1; 0 for none."""
    state: State | QuorumState | None = None
    """What is seen after that step."""
    before: State | QuorumState | None = None
    """And before it."""
    is_possible: bool = False
    """The action may happen there, but with another result."""
    allowed: tuple[str, ...] = ()
    """Actions of the specification that may happen there."""


def judge_partition(
    entries: Iterable[Entry], partition: TopicPartition, specification: str, tools: Tools, window: int = WINDOW
) -> Judged:
    """One partition against a specification of its replication."""
    try:
        found = steps_of(Recording(entries), partition, MODES[specification])
        states = states_of(found)
    except NotJudged as why:
        return Judged(NOT_JUDGED, specification, str(why))

    def made(name: str, part: Sequence[State], stop: int) -> Module:
        return module(name, specification, part, found.replicas, stop)

    return judge_line(states, specification, made, ADDED, tools, window)


def judge_quorum(entries: Iterable[Entry], tools: Tools) -> Judged:
    """The quorum against the specification of KIP-996, which walks the whole line at once."""
    try:
        states, voters = quorum_line(Recording(entries))
    except NotJudged as why:
        return Judged(NOT_JUDGED, QUORUM, str(why))

    def made(name: str, part: Sequence[QuorumState], stop: int) -> Module:
        return quorum_module(name, part, voters, stop)

    return judge_line(states, QUORUM, made, ADDED_TO_QUORUM, tools, len(states))


Seen = TypeVar("Seen", State, QuorumState)


def judge_line(
    states: list[Seen], named: str, made: Callable[[str, Sequence[Seen], int], Module], known: Iterable[str],
    tools: Tools, window: int,
) -> Judged:  # fmt: skip
    """The whole line, window by window."""
    used = Counter(state.label for state in states)
    added = {label: used[label] for label in known if used[label]}
    if len(states) > STEPS_MAX:
        why = f"its line has {len(states):,} steps, and TLC walks {STEPS_MAX:,} in its time"
        return Judged(NOT_JUDGED, named, why, len(states), added)
    spent = 0.0
    with tempfile.TemporaryDirectory(prefix="workbench-tlc-") as place:
        folder = Path(place)
        for begin in range(0, max(len(states) - 1, 1), window):
            part = states[begin : begin + window + 1]
            name = f"Line{begin}"
            try:
                walked = walk(tools, folder, made(name, part, 0))
                spent += walked.seconds
                if walked.accepted:
                    continue
                told = walk(tools, folder, made(f"{name}Told", part, walked.steps))
            except NotJudged as why:
                return Judged(NOT_JUDGED, named, str(why), len(states), added, spent)
            return _rejected(states, named, added, spent + told.seconds, begin + walked.steps, told)
    return Judged(ACCEPTED, named, "", len(states), added, spent)


def _rejected(
    states: Sequence[State | QuorumState], named: str, added: dict[str, int], spent: float, reached: int,
    stopped: Walked,
) -> Judged:  # fmt: skip
    at = min(reached, len(states) - 1)
    allowed = tuple(value.strip('"') for word, value in stopped.told if word == "allowed")
    possible = any(word == "enabled" and value == "TRUE" for word, value in stopped.told)
    return Judged(
        REJECTED, named, "", len(states), added, spent, at + 1, states[at], states[max(at - 1, 0)], possible, allowed
    )


def partitions_of(entries: Iterable[Entry]) -> list[TopicPartition]:
    """All that the run has, those of topics that the cluster makes for itself last."""
    found: dict[TopicPartition, NodeId] = {}
    for entry in entries:
        topic, partition = getattr(entry.event, "topic", ""), getattr(entry.event, "partition", -1)
        if entry.event.name in ("ctl.partition_changed", "meta.partition_applied"):
            found.setdefault(TopicPartition(topic, partition), entry.node)
    return sorted(found, key=lambda each: (each.topic.startswith("__"), each))
