"""`workbench check RUN --against SPEC`: whether a public specification of Kafka allows what a run shows."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from cluster.language.words import CommandError, topic_partition
from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, TopicPartition
from cluster.trace.reader import TraceError, TraceStream
from judges.specification.judge import (
    ACCEPTED,
    NOT_JUDGED,
    QUORUM,
    REJECTED,
    Judged,
    judge_partition,
    judge_quorum,
    partitions_of,
    specification_for,
)
from judges.specification.not_judged import NotJudged
from judges.specification.quorum_state import ADDED as ADDED_TO_QUORUM
from judges.specification.replication_states import ADDED
from judges.specification.sources import NAMES, specification_of, tools_for
from judges.specification.words import chain_of, lines_of, told_by
from workbench.cli.check import refuse_sealed
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

CODES = {ACCEPTED: 0, REJECTED: 1, NOT_JUDGED: 3}
OWN = "own"


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed behind the run."""

    against: str
    specs: str | None
    tlc: str | None
    partition: str
    as_json: bool


def judge_outside(
    folder: Path, against: str, specs: str | None, tlc: str | None, partition: str, *, as_json: bool, salvage: bool
) -> int:
    """What `workbench check` calls, by name: the words as they were typed."""
    return check_against(folder, Asked(against, specs, tlc, partition, as_json), salvage=salvage)


def check_against(folder: Path, asked: Asked, *, salvage: bool = False) -> int:
    """Judge and print. 0 accepted, 1 rejected, 3 not judged; Refusal for what is missing, with where to get it."""
    if not asked.against:
        raise Refusal(USAGE, f"--specs, --tlc and --partition need --against: {OWN}, {', '.join(NAMES)}")
    refuse_sealed(folder)
    entries = entries_of(folder, salvage=salvage)
    try:
        named = specification_for(entries) if asked.against == OWN else specification_of(asked.against)
    except NotJudged as why:
        return _tell(folder, entries, METADATA, Judged(NOT_JUDGED, OWN, str(why)), as_json=asked.as_json)
    where = METADATA if named == QUORUM else _partition(entries, asked.partition)
    tools = tools_for(named, asked.specs, asked.tlc)
    judged = judge_quorum(entries, tools) if named == QUORUM else judge_partition(entries, where, named, tools)
    return _tell(folder, entries, where, judged, as_json=asked.as_json)


def entries_of(folder: Path, *, salvage: bool = False) -> list[Entry]:
    """All that the run tells. Refusal for a trace that cannot be trusted."""
    try:
        entries = list(TraceStream(folder / "trace", salvage=salvage))
        if entries:
            return entries
        raise Refusal(BAD_DATA, f"'{safe_text(str(folder), 200)}': its trace holds no events")
    except (TraceError, OSError) as error:
        raise Refusal(BAD_DATA, f"cannot read the recording: {safe_text(str(error), 400)}") from error


def _partition(entries: list[Entry], typed: str) -> TopicPartition:
    found = partitions_of(entries)
    if not typed:
        return found[0] if found else TopicPartition("orders", 0)
    try:
        return topic_partition(typed, "--partition", needs_index=True)
    except CommandError as error:
        raise Refusal(USAGE, safe_text(str(error), 200)) from error


def _tell(folder: Path, entries: list[Entry], where: TopicPartition, judged: Judged, *, as_json: bool) -> int:
    name = safe_text(folder.name, 80)
    if as_json:
        print(json.dumps(as_plain(name, where, judged)))
    else:
        what = "the quorum" if where == METADATA else safe_text(str(where), 80)
        print("\n".join(lines_of(judged, f"{what} of {name}", ADDED | ADDED_TO_QUORUM)))
        if judged.state is not None and judged.state.entry is not None:
            print("\n".join(["What led to that step:", *chain_of(entries, judged.state.entry)]))
    sys.stdout.flush()
    return CODES[judged.verdict]


def as_plain(name: str, where: TopicPartition, judged: Judged) -> dict[str, object]:
    """One object for machines."""
    state = judged.state
    return {
        "run": name, "partition": str(where), "specification": judged.specification, "verdict": judged.verdict,
        "why": judged.why, "steps": judged.steps, "added": judged.added, "seconds": round(judged.seconds, 2),
        "at": judged.at or None, "action": state.label if state else None, "node": state.node if state else None,
        "event": told_by(state) if state else None, "is_possible": judged.is_possible, "allowed": list(judged.allowed),
    }  # fmt: skip
