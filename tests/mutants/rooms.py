"""Which files are rules, and which tests stand beside them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from tests.mutants.sites import ROOT, Mutant, mutants

RULES: dict[str, tuple[str, ...]] = {
    "raft": (
        "rules/votes", "rules/check_quorum", "rules/high_watermark", "rules/leader_epoch", "rules/truncation",
        "election", "leadership", "following", "fetching", "serving", "state", "quorum",
    ),
    "replication": (
        "rules/high_watermark", "rules/in_sync_replicas", "rules/leader_epoch", "rules/truncation",
        "rules/idempotent_producer",
        "epoch_ends", "following", "leading", "watermark", "isr", "serving", "waiting_fetches", "waiting_produces",
        "deletion",
        "producer_state", "idempotence", "list_offsets", "state",
    ),
    "controller": (
        "rules/brokers", "rules/leader_election", "rules/eligible_leader_replicas", "rules/proposed_isr",
        "rules/topics", "rules/topic_configs",
        "rules/reassignment",
        "partition_changes", "heartbeats", "alter_partition", "registrations", "asked_elections",
        "producer_ids",
    ),
    "broker": ("rules", "producer_id_manager", "lifecycle"),
    "groups": (
        "rules", "offsets", "loading", "classic/rules", "classic/joining", "classic/rebalancing", "classic/syncing",
        "classic/presence", "consumer/rules", "consumer/heartbeat", "consumer/assignors",
    ),
    "clients": ("rules",),
    "model": ("leader_epochs",),
}  # fmt: skip
"""By folder below cluster/."""
SCRIPTS = ("tests/scenarios", "tests/regressions")


def files() -> list[str]:
    """All rule files, from the root of the project."""
    return [f"cluster/{room}/{name}.py" for room, names in RULES.items() for name in names]


@cache
def of_file(file: str) -> tuple[Mutant, ...]:
    """Its mutants."""
    return tuple(mutants(file))


def chosen(only: Iterable[str]) -> list[Mutant]:
    """Those of rooms (raft), of files, or with a text in their names; all where nothing is asked for."""
    wanted = list(only)
    everything = [mutant for file in files() for mutant in of_file(file)]
    if not wanted:
        return everything
    return [mutant for mutant in everything if any(mutant.room == one or one in mutant.name for one in wanted)]


def unit_tests(room: str) -> str:
    """Their folder."""
    path = f"tests/cluster/{room}"
    assert (ROOT / path).is_dir(), f"{path} is missing"
    return path
