"""Which files are machines, which of these are the rules proper, and which tests stand beside them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from tests.mutants.sites import ROOT, Mutant, mutants

ROOMS = ("raft", "replication", "controller", "broker", "groups", "transactions", "coordination", "fetch_sessions",
         "zookeeper")  # fmt: skip
"""Folders below cluster/ with machines and their rules; all their files, but for those that are left out."""
OTHERS = ("clients/rules/retries", "clients/rules/partitioning", "model/leader_epochs")
"""Rules in folders that hold other things."""
RULES, CARRIERS = "rules", "machines"
PARTS = {
    RULES: "the decisions: what `workbench rules` lists, and the epochs of a log",
    CARRIERS: "the handlers that ask the rules and carry out what they decide",
}
TOOLS = "tells administrators' tools what there is; their own clients are its judges"
BYTES = "lays out bytes; written and read again in its tests"
LEFT_OUT = {
    "raft/describing": TOOLS,
    "replication/describing": TOOLS,
    "controller/described_configs": TOOLS,
    "groups/overview": TOOLS,
    "groups/consumer/describe": TOOLS,
    "transactions/overview": TOOLS,
    "controller/image_records": BYTES,
    "groups/records": BYTES,
    "groups/consumer/records": BYTES,
    "transactions/records": BYTES,
    "coordination/fields": BYTES,
    "zookeeper/paths": BYTES,
    "groups/consumer/topic_pattern": "reads regular expressions, which no seed draws; compared with another reader",
}
"""Files of these rooms that decide nothing, each with the reason."""
SCRIPTS = ("tests/scenarios", "tests/regressions")


def files() -> list[str]:
    """All files of machines and rules, from the root of the project."""
    found = [path.relative_to(ROOT) for room in ROOMS for path in sorted((ROOT / "cluster" / room).rglob("*.py"))]
    names = [path.as_posix() for path in found if path.name != "__init__.py"]
    return [name for name in names if name[len("cluster/") : -len(".py")] not in LEFT_OUT] + [
        f"cluster/{name}.py" for name in OTHERS
    ]


def part(file: str) -> str:
    """Whether a file holds rules proper, or carries them out."""
    name = file[len("cluster/") : -len(".py")]
    return RULES if "rules" in name.split("/") or name in OTHERS else CARRIERS


@cache
def of_file(file: str) -> tuple[Mutant, ...]:
    """Its mutants."""
    return tuple(mutants(file))


def chosen(only: Iterable[str], parts: Iterable[str] = PARTS) -> list[Mutant]:
    """Those of rooms (raft), of files, or with a text in their names; all where nothing is asked for."""
    wanted, asked = list(only), set(parts)
    everything = [mutant for file in files() if part(file) in asked for mutant in of_file(file)]
    if not wanted:
        return everything
    return [mutant for mutant in everything if any(mutant.room == one or one in mutant.name for one in wanted)]


def unit_tests(room: str) -> str:
    """Their folder."""
    path = f"tests/cluster/{room}"
    assert (ROOT / path).is_dir(), f"{path} is missing"
    return path
