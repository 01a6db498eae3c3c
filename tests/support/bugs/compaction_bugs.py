"""Bugs of compaction: what it takes, where it stops, and what it puts in place."""

from __future__ import annotations

from typing import Any

from cluster.model.record_batch import encode_batch, numbered_records, read_header
from cluster.replication import cleaning
from cluster.storage import compaction
from cluster.storage.log import Log
from tests.support.bugs.planted import PlantedBug

EVERYTHING = 1 << 62


def _oldest(stays: Any) -> Any:
    """The first record of a key stays, not the newest."""
    seen: dict[int, dict[bytes, int]] = {}

    def kept(newest: dict[bytes, int], offset: int, record: Any) -> bool:
        first = seen.setdefault(id(newest), {}).setdefault(record.key, offset)
        return stays(dict.fromkeys(newest, first), offset, record) and first == offset

    return kept


def _uncommitted(sound: Any) -> Any:
    return lambda segments, cleaned, _high_watermark, *given: sound(segments, cleaned, EVERYTHING, *given)


def _old(_horizon_ms: Any) -> Any:
    """Every tombstone was seen long ago."""
    return lambda _batch: 0


def _one_less(rewrite: Any) -> Any:
    """The last batch but one of a segment is forgotten."""

    def rewritten(log: Any, content: Any, *given: Any) -> bytes:
        kept = [*content[:-2], content[-1]] if len(content) > 1 else content
        data: bytes = rewrite(log, kept, *given)
        return data

    return rewritten


def _dense(_thinned: Any) -> Any:
    """What is left of a batch moves to its front."""

    def dense(batch: bytes, kept: Any, horizon_ms: int = -1) -> bytes:
        header = read_header(batch)
        left = [record for offset, record in numbered_records(batch) if offset in kept]
        return encode_batch(left, header.base_offset, header.leader_epoch) if left else batch

    return dense


def _by_first_letters(look: Any) -> Any:
    """Keys are told apart by their beginning."""

    def found(contents: Any) -> Any:
        log = look(contents)
        shared: dict[bytes, int] = {}
        for key, offset in log.newest.items():
            shared[key[:4]] = max(offset, shared.get(key[:4], -1))
        log.newest = {key: shared[key[:4]] for key in log.newest}
        return log

    return found


def _unnoted(_note: Any) -> Any:
    """Nothing on the disk says that the log has gaps."""

    def note(log: Any, cleaned_offset: int) -> None:
        log.cleaned_offset = cleaned_offset

    return note


def _spoilt(swap_in: Any) -> Any:
    """A bit of what is put in place is wrong."""
    return lambda disk, sources, data: swap_in(disk, sources, data[:-1] + bytes((data[-1] ^ 1,)) if data else data)


COMPACTION_BUGS = (
    PlantedBug(
        "keeps-the-oldest", "replication", "compaction keeps the first record of a key instead of the newest",
        frozenset({"P37"}), ((compaction, "stays", _oldest),), seeds=(84,),
    ),
    PlantedBug(
        "compacts-the-uncommitted", "replication", "compaction does not look at the high watermark",
        frozenset({"P38"}), ((cleaning, "may_clean", _uncommitted),), seeds=(137,),
    ),
    PlantedBug(
        "drops-tombstones-at-once", "replication", "compaction takes a tombstone the first time that it sees it",
        frozenset({"P37"}), ((compaction, "delete_horizon_ms", _old),), seeds=(332,), trouble_s=15.0,
    ),
    PlantedBug(
        "forgets-a-batch", "storage", "compaction leaves a batch out when it writes a segment anew",
        frozenset({"P38"}), ((compaction, "_rewrite", _one_less),), seeds=(110,),
    ),
    PlantedBug(
        "moves-what-is-left", "storage", "what compaction leaves of a batch gets other offsets",
        frozenset({"P38", "C4", "C13"}), ((compaction, "thinned", _dense),), seeds=(168,),
    ),
    PlantedBug(
        "mixes-keys", "replication", "compaction tells keys apart by their first letters only",
        frozenset({"P37"}), ((compaction, "_look", _by_first_letters),), seeds=(84,),
    ),
    PlantedBug(
        "does-not-note-gaps", "storage", "a log that was compacted does not say so on its disk, and is cut at a start",
        frozenset({"P21", "P1", "P23"}), ((Log, "note_cleaned", _unnoted),), seeds=(125,),
    ),
    PlantedBug(
        "swaps-in-rotten-bytes", "storage", "compaction writes a wrong bit",
        frozenset({"P20", "P21", "P38", "L5"}), ((compaction, "swap_in", _spoilt),), seeds=(510,),
    ),
)  # fmt: skip
