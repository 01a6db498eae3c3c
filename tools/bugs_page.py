"""The page of planted bugs: what each does wrong, which rule catches it, in how many seeds of the swarm.

The numbers stand beside the bugs, in tests/support/bugs; nothing here is measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tests.support.bugs.compaction_bugs import COMPACTION_BUGS
from tests.support.bugs.majority_bugs import ELECTS_THE_LONGEST, MAJORITY_BUGS
from tests.support.bugs.planted import PlantedBug
from tests.support.bugs.reader_bugs import READER_BUGS
from tests.support.bugs.reassignment_bugs import REASSIGNMENT_BUGS
from tests.support.bugs.segment_bugs import SEGMENT_BUGS
from tests.support.bugs.session_bugs import SESSION_BUGS
from tests.support.bugs.snapshot_bugs import SNAPSHOT_BUGS
from tests.support.bugs.transaction_bugs import TRANSACTION_BUGS
from tests.support.bugs.voter_bugs import VOTER_BUGS
from tests.support.bugs.zookeeper_bugs import OBEYS_ANYBODY, ZOOKEEPER_BUGS

BY_SCRIPT = (ELECTS_THE_LONGEST, OBEYS_ANYBODY)
"""A script lays down what is needed; seeds hardly ever do."""
HEAD = """# Planted bugs

The checker is only worth what it catches. So tests plant a mistake into the sound code, have the swarm break the
cluster as always, and want a rule that is meant for it to be violated. These are the bugs of snapshots, changing
voters, ZooKeeper's era, commit by majority, logs and their segments, moving replicas, transactions, and fetch sessions.
The bugs that the hunt seals (`workbench hunt`) are not told here, and others of the quorum and of replication are in
`tests/support/bugs`.

**Seeds** is the first seed that is known to catch the bug: whoever tries seeds from 1 on needs no more. "-" stands
where 60 seeds did not catch it; **script** where a script lays down what seeds hardly ever meet. In each seed there is
**trouble** for so many virtual seconds. `make pages` writes this page.
"""


class Part(NamedTuple):
    """Bugs of one part of the cluster."""

    title: str
    option: str
    """Of `workbench swarm`, where their seeds need one; empty for none."""
    bugs: tuple[PlantedBug, ...]


PARTS = (
    Part("Metadata snapshots", "", SNAPSHOT_BUGS),
    Part("Voters that change", "--voter-changes", VOTER_BUGS),
    Part("ZooKeeper's era", "--control zookeeper", (*ZOOKEEPER_BUGS, OBEYS_ANYBODY)),
    Part("Commit by majority", "", (*MAJORITY_BUGS, ELECTS_THE_LONGEST)),
    Part("Segments and retention", "", SEGMENT_BUGS),
    Part("Compaction", "", COMPACTION_BUGS),
    Part("Reading from followers", "", READER_BUGS),
    Part("Moving replicas", "", REASSIGNMENT_BUGS),
    Part("Transactions", "--transactions", TRANSACTION_BUGS),
    Part("Fetch sessions", "--fetch-sessions", SESSION_BUGS),
)


def bugs_page() -> str:
    """The whole page."""
    count = sum(len(part.bugs) for part in PARTS)
    seeds = sorted(seed for part in PARTS for bug in part.bugs if (seed := first_seed(bug)))
    middle = seeds[len(seeds) // 2] if seeds else 0
    summary = f"\n{count} bugs. Seeds catch {len(seeds)} of them, half of these within {middle} seeds.\n"
    return HEAD + summary + "".join(_part(part) for part in PARTS)


def first_seed(bug: PlantedBug) -> int:
    """That is known to catch it; 0 for none."""
    return min(bug.seeds, default=0)


def _part(part: Part) -> str:
    option = f"\n`workbench swarm {part.option}`\n" if part.option else ""
    table = "| what goes wrong | rules that say so | seeds | trouble |\n|---|---|---|---|\n"
    return f"\n## {part.title}\n{option}\n{table}" + "".join(_rows(part))


def _rows(part: Part) -> Iterator[str]:
    for bug in part.bugs:
        seeds = "script" if bug in BY_SCRIPT else str(first_seed(bug) or "-")
        yield f"| {bug.what} | {', '.join(sorted(bug.breaks))} | {seeds} | {bug.trouble_s:g} s |\n"
