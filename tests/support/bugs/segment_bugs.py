"""Bugs of logs that have several segments: closing them, opening them unread, letting them go."""

from __future__ import annotations

from typing import Any

from cluster.replication import retention
from cluster.replication.rules.retention import Expired
from cluster.storage.log import Log
from tests.support.bugs.planted import PlantedBug

EVERYTHING = 1 << 62
_rolling: list[Log] = []


def _one_more(sound: Any) -> Any:
    def expire(segments: Any, *given: Any) -> Any:
        ruling = sound(segments, *given)
        if ruling.granted:
            ruling.value = Expired(
                tuple(segments[: len(ruling.value.segments) + 1]), ruling.value.setting, ruling.value.limit
            )
        return ruling

    return expire


def _uncommitted(sound: Any) -> Any:
    return lambda segments, _high_watermark, *given: sound(segments, EVERYTHING, *given)


def _unflushed(roll: Any) -> Any:
    def rolled(log: Any, why: str) -> Any:
        _rolling.append(log)
        try:
            return roll(log, why)
        finally:
            _rolling.clear()

    return rolled


def _claims(sync: Any) -> Any:
    def claim(log: Any) -> None:
        if log in _rolling:
            log.flushed_offset = log.durable_offset = log.log_end_offset
        else:
            sync(log)

    return claim


SEGMENT_BUGS = (
    PlantedBug(
        "lets-one-more-go", "replication", "retention takes the segment after those that are beyond the bound",
        frozenset({"P32"}), ((retention, "expire_by_size", _one_more), (retention, "expire_by_time", _one_more)),
        seeds=(10,),
    ),
    PlantedBug(
        "lets-the-uncommitted-go", "replication", "retention does not look at the high watermark",
        frozenset({"P24", "P32"}),
        ((retention, "expire_by_size", _uncommitted), (retention, "expire_by_time", _uncommitted)),
        seeds=(21,),
    ),
    PlantedBug(
        "rolls-unflushed", "storage", "a segment is closed and called durable without an fsync", frozenset({"P21"}),
        ((Log, "roll", _unflushed), (Log, "_sync", _claims)), seeds=(48,),
    ),
)  # fmt: skip
