"""Bugs of partitions that a majority of their replicas commits."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.controller import majority as elections
from cluster.controller.rules.majority import LogEndReport
from cluster.model.identifiers import NO_NODE
from cluster.model.ruling import Ruling
from cluster.replication import majority, watermark
from cluster.replication.state import ReplicaState
from cluster.storage.log import Log
from tests.support.bugs.planted import PlantedBug


def _first_who_told(elect_by_majority: Any) -> Any:
    """Enough have told, and the first of the assignment leads, whatever its log."""

    def elected(state: Any, reports: dict[int, LogEndReport], **named: Any) -> Any:
        ruling = elect_by_majority(state, reports, **named)
        first = next((node for node in state.replicas if node in reports), NO_NODE)
        return replace(ruling, value=first) if ruling.granted else ruling

    return elected


def _longest_who_told(elect_by_majority: Any) -> Any:
    """The longest log leads, of whatever epoch its end is."""

    def elected(state: Any, reports: dict[int, LogEndReport], **named: Any) -> Any:
        ruling = elect_by_majority(state, reports, **named)
        if not ruling.granted:
            return ruling
        longest = max((node for node in state.replicas if node in reports), key=lambda n: reports[n].log_end_offset)
        return replace(ruling, value=longest)

    return elected


def _one_is_enough(elect_by_majority: Any) -> Any:
    return lambda state, reports, **_named: elect_by_majority(state, reports, needs_majority=False)


def _half_is_enough(commit_by_majority: Any) -> Any:
    return lambda high_watermark, ends, count: commit_by_majority(high_watermark, ends, max(1, count - 2))


def _counts_everybody(_counted: Any) -> Any:
    """A replica counts with what it fetches, whether or not it holds all with which the epoch began."""

    def counted(state: ReplicaState) -> Any:
        others = [(node, max(0, one.log_end_offset)) for node, one in state.followers.items()]
        return [(state.shared.broker_id, state.own_offset), *others]

    return counted


def _adopts_at_once(adopt_epoch: Any) -> Any:
    def adopt(adopted: int, leader_epoch: int, end: int, _start: int) -> Ruling[int]:
        ruling: Ruling[int] = adopt_epoch(adopted, leader_epoch, end, 0)
        return ruling

    return adopt


def _tells_the_committed(report: Any) -> Any:
    """A replica tells where its high watermark is instead of where its log ends."""

    def told(state: ReplicaState) -> Any:
        end, state.end_offset = state.end_offset, state.high_watermark
        effects = report(state)
        state.end_offset = end
        return effects

    return told


def _writes_nothing_down(_adopt_epoch: Any) -> Any:
    def adopt(self: Log, epoch: int) -> None:
        self.adopted_epoch = epoch

    return adopt


MAJORITY_BUGS = (
    PlantedBug("elects-the-first", "replication", "by majority the first replica leads, whatever its log",
               frozenset({"P31"}), ((elections, "elect_by_majority", _first_who_told),), seeds=(37,)),
    PlantedBug("elects-with-one", "replication", "by majority the first that tells its log end leads",
               frozenset({"P31"}), ((elections, "elect_by_majority", _one_is_enough),), seeds=(4,)),
    PlantedBug("commits-with-half", "replication", "by majority one replica less commits",
               frozenset({"P30"}), ((watermark, "commit_by_majority", _half_is_enough),), seeds=(3,)),
    PlantedBug("counts-everybody", "replication", "by majority a replica counts before it is whole",
               frozenset({"P30"}), ((majority, "counted", _counts_everybody),), seeds=(131,)),
    PlantedBug("adopts-at-once", "replication", "by majority a replica is called whole before it is",
               frozenset({"P30"}), ((majority, "adopt_epoch", _adopts_at_once),), seeds=(15,)),
    PlantedBug("tells-the-committed", "replication", "by majority a replica tells its high watermark as its log end",
               frozenset({"P31"}), ((majority, "report", _tells_the_committed),), seeds=(4,)),
    PlantedBug("writes-no-epoch-down", "replication", "by majority the adopted epoch is forgotten with the process",
               frozenset({"P31"}), ((Log, "adopt_epoch", _writes_nothing_down),), seeds=(14,)),
)  # fmt: skip
ELECTS_THE_LONGEST = PlantedBug(
    "elects-the-longest", "replication", "by majority the longest log leads, of whatever epoch", frozenset({"P31"}),
    ((elections, "elect_by_majority", _longest_who_told),),
)  # fmt: skip
"""No seed of 260 shows it: a longer log must be of an older epoch. A script does."""
