"""What campaigns can measure: where a number comes from, its unit, and what it means in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

MS = 1000.0


class Kind(StrEnum):
    """What is told of all runs of a cell."""

    SHARE = "share"
    """Of runs in which it happened, with a Wilson interval."""
    MEAN = "mean"
    """Over runs, with a t interval."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a run, and what is told of it."""

    name: str
    title: str
    kind: Kind
    """share or mean."""
    unit: str
    """ms, or empty."""
    text: str
    value: Callable[[dict[str, Any]], float | None]
    """From an outcome; None when the run says nothing about it."""


def _share(name: str, title: str, column: str, text: str) -> Measure:
    return Measure(name, title, Kind.SHARE, "", text, lambda row: float(bool(row[column])))


def _count(name: str, title: str, column: str, text: str) -> Measure:
    return Measure(name, title, Kind.MEAN, "", text, lambda row: float(row[column]))


def _time(name: str, title: str, column: str, text: str) -> Measure:
    def value(row: dict[str, Any]) -> float | None:
        return None if row[column] is None else row[column] / MS

    return Measure(name, title, Kind.MEAN, "ms", text, value)


_ALL = (
    _share(
        "split_share",
        "Runs with a split vote",
        "splits",
        "At least one epoch in which several candidates asked for votes and none got a majority.",
    ),
    _count(
        "epochs",
        "Epochs asked for",
        "elections",
        "Epochs for which binding votes were asked after the fault, won or not; pre-votes ask for none.",
    ),
    _time(
        "leaderless_ms",
        "Quorum without a leader",
        "leaderless_us",
        "Time after the fault in which no controller held the leadership of the metadata quorum.",
    ),
    _share(
        "loss_share",
        "Runs that lost an acknowledged record",
        "lost",
        "At the end the log of the partition's last leader did not hold a record that a producer was told is written.",
    ),
    _count("lost", "Acknowledged records lost", "lost", "How many such records a run lost."),
    _share(
        "duplicate_share",
        "Runs with a duplicated record",
        "duplicated",
        "The same batch of one producer stood twice in the final log: a retry after an answer that got lost.",
    ),
    _count("refused", "Records refused", "refused", "Records that a producer was told are certainly not written."),
    _count(
        "in_doubt",
        "Records in doubt",
        "in_doubt",
        "Records of which a producer never learned whether they are written; acks=0 leaves every record in doubt.",
    ),
    _count("acknowledged", "Records acknowledged", "acknowledged", "Records that producers were told are written."),
    _time(
        "silence_ms",
        "Longest silence for producers",
        "silence_us",
        "The longest time between two acknowledgements while producers were at work and the fault was not yet mended.",
    ),
    _time(
        "answer_ms",
        "Median time to an acknowledgement",
        "answer_us",
        "From the request of a producer to its acknowledgement, retries included; the median of each run's answers.",
    ),
    _time(
        "no_acks_all_ms",
        "No acks=all write possible",
        "no_acks_all_us",
        "The partition had no leader, or its leader's process was gone or stopped, or its ISR was below "
        "min.insync.replicas. A leader that is merely cut off, or stutters, counts as at work here.",
    ),
    _time(
        "under_min_isr_ms",
        "Under min.insync.replicas",
        "under_min_isr_us",
        "A leader was there, with an ISR below min.insync.replicas: acks=all is refused then.",
    ),
    _time(
        "commit_gap_ms",
        "Longest time without a commit",
        "commit_gap_us",
        "Of the watched log: the longest time between two moves of its leader's high watermark, until all is mended.",
    ),
    _time(
        "commit_ms",
        "Median time to commit",
        "commit_us",
        "Of the watched log: from the leader's append until its high watermark has passed it; the median of each run.",
    ),
    _share(
        "unrest_share",
        "Runs not in order at the end",
        "unrest",
        "After everything was mended something was still missing when the time for calm was over.",
    ),
    _share(
        "excused_share",
        "Runs with an excused broken promise",
        "excused",
        "A rule of the checker was broken after an assumption it leans on was: by an unclean election, say, or a "
        "power loss that took what no disk had flushed.",
    ),
)
MEASURES: dict[str, Measure] = {item.name: item for item in _ALL}
