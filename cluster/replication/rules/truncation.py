"""The rules of truncation: where logs part, and where a follower cuts, in each of Kafka's ways since 0.10.

mode     Kafka          a new follower cuts
hw       0.10, older    to its own high watermark, before it asks anybody
kip101   0.11 to 1.1    to where its last epoch ends at the leader
kip279   2.0 to 2.6     the same, epoch by epoch until one is shared
fetch    2.7, newer     the same, but the answer to a fetch says so
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from cluster.model.identifiers import NO_EPOCH, Epoch, EpochEnd, Offset
from cluster.model.leader_epochs import UNKNOWN_END, LeaderEpochs
from cluster.model.ruling import Numbers, Ruling, rule


class Cut(NamedTuple):
    """What a follower does to its log."""

    end_offset: Offset
    """Log end offset after the cut (exclusive)."""
    is_last: bool = True
    """Whether the logs agree then; else the follower asks once more."""


class OutOfRange(StrEnum):
    """What a follower does whose fetch is out of the leader's range."""

    BEGIN_ANEW = "begin_anew"
    """Drop the log and begin at the leader's log start."""
    CUT = "cut"
    """Cut to the leader's log end."""
    HALT = "halt"
    """End the process rather than lose what may be committed."""
    ASK_AGAIN = "ask_again"


@rule(source="KIP-595", kafka="Partition.readRecords")
def diverging_epoch(
    leader_epochs: LeaderEpochs, log_end_offset: Offset, last_fetched_epoch: Epoch, fetch_offset: Offset
) -> Ruling[EpochEnd | None]:
    """A leader looks for the epoch of a fetcher's last record in its own log, and tells where the two logs part.

    The value is the largest own epoch not above the fetcher's and its end offset (exclusive); None where the logs agree
    up to fetch_offset; UNKNOWN_END when the leader knows nothing of that epoch: the fetch is out of range.
    """
    if last_fetched_epoch == leader_epochs.latest() != NO_EPOCH and fetch_offset <= log_end_offset:
        return Ruling(None, False, "the logs agree")  # nearly always
    end = leader_epochs.end_offset_for(last_fetched_epoch, log_end_offset)
    if end.epoch == last_fetched_epoch and end.end_offset >= fetch_offset:
        return Ruling(None, False, "the logs agree")
    numbers: Numbers = {
        "last_fetched_epoch": last_fetched_epoch,
        "fetch_offset": fetch_offset,
        "leader_has_epoch": end.epoch,
        "which_ends_at": end.end_offset,
    }
    if end == UNKNOWN_END:
        return Ruling(UNKNOWN_END, True, "the leader never saw that epoch", numbers)
    return Ruling(end, True, "the follower has records the leader never had", numbers)


@rule(source="KIP-279", kafka="AbstractFetcherThread.getOffsetTruncationState")
def truncation_point(leader_epochs: LeaderEpochs, log_end_offset: Offset, diverging: EpochEnd) -> Ruling[Cut]:
    """A follower cuts its log where the last epoch that it shares with the leader ends first.

    When it does not know the epoch that the leader named it cuts to the end of its own older one, and asks again.

    Args:
        diverging: the leader's answer: an epoch and where it ends there (exclusive).
    """
    numbers: Numbers = {
        "leader_epoch_found": diverging.epoch,
        "which_ends_at": diverging.end_offset,
        "own_log_end_offset": log_end_offset,
    }
    own = UNKNOWN_END if diverging.epoch == NO_EPOCH else leader_epochs.end_offset_for(diverging.epoch, log_end_offset)
    if own == UNKNOWN_END:
        point = Cut(min(diverging.end_offset, log_end_offset))
        return Ruling(point, True, "cut to the end the leader named", numbers)
    numbers |= {"own_epoch_found": own.epoch, "own_epoch_ends_at": own.end_offset}
    # One answer may not be enough when both logs have epochs that the other lacks:
    #
    #     offset     0  1  2  3  4
    #     leader     e1 e1 e3 e3 e5     is asked about e4: "e3, which ends at 4"
    #     follower   e1 e1 e2 e4        has no e3. It cuts its e4 and asks about e2: "e1, which ends at 2"
    #
    # In mode kip101 the leader names the end alone, 4: the follower cuts nothing, fetches e5 from there, and keeps two
    # records that the leader never had. Source: KIP-279.
    if own.epoch != diverging.epoch:
        point = Cut(min(own.end_offset, log_end_offset), is_last=False)
        return Ruling(point, True, "cut to the end of the own older epoch", numbers)
    point = Cut(min(own.end_offset, diverging.end_offset, log_end_offset))
    return Ruling(point, True, "cut to where the shared epoch ends first", numbers)


def epoch_end_kip101(leader_epochs: LeaderEpochs, log_end_offset: Offset, epoch: Epoch) -> Offset:
    """What a leader of 0.11 to 1.1 answers: the start of the first larger epoch, or its log end; -1 when it cannot say.

    It does not tell which epoch it found, so a follower with an epoch the leader never saw is misled. Source: KIP-101.
    """
    if epoch == leader_epochs.latest():
        return log_end_offset
    entries = leader_epochs.entries()
    if not entries or epoch < entries[0][0]:
        return UNKNOWN_END.end_offset
    return next((start for entry_epoch, start in entries if entry_epoch > epoch), UNKNOWN_END.end_offset)


@rule(source="KIP-101", kafka="ReplicaFetcherThread.maybeTruncate")
def truncation_point_kip101(log_end_offset: Offset, high_watermark: Offset, end_offset: Offset) -> Ruling[Cut]:
    """From 0.11 to 1.1 a follower cuts to where its last epoch ends at the leader, or else to its own high watermark.

    Args:
        end_offset: the leader's answer; -1 when it could not say.
    """
    numbers: Numbers = {
        "leader_answered": end_offset,
        "own_log_end_offset": log_end_offset,
        "own_high_watermark": high_watermark,
    }
    if end_offset == UNKNOWN_END.end_offset:
        numbers["cut_to"] = high_watermark
        return Ruling(Cut(high_watermark), True, "the leader cannot say: cut to the high watermark", numbers)
    numbers["cut_to"] = min(end_offset, log_end_offset)
    return Ruling(Cut(min(end_offset, log_end_offset)), True, "cut to the end the leader named", numbers)


@rule(source="before KIP-101", kafka="ReplicaManager.makeFollowers")
def truncation_point_high_watermark(log_end_offset: Offset, high_watermark: Offset) -> Ruling[Cut]:
    """Until 0.10 a new follower cut its log to its own high watermark, whatever the leader held.

    That loses committed records: the own high watermark lags one round behind.
    """
    numbers: Numbers = {"high_watermark": high_watermark, "own_log_end_offset": log_end_offset}
    # n2 restarts, and cuts a record that is committed before it asks anybody:
    #
    #     n1 leads   0 1 2    high watermark 3: n2 has fetched from 3, so it holds 2
    #     n2         0 1 2    has heard of high watermark 2, and cuts 2
    #     n2 leads   0 1      n1 died before n2 had fetched 2 again; its producer has an acknowledgement
    #
    # Source: KIP-101, scenario 1.
    return Ruling(Cut(high_watermark), log_end_offset > high_watermark, "cut to the own high watermark", numbers)


@rule(source="KIP-107", kafka="AbstractFetcherThread.fetchOffsetAndTruncate")
def resolve_out_of_range(
    log_end_offset: Offset, leader_start: Offset, leader_end: Offset, *, may_lose_records: bool
) -> Ruling[OutOfRange]:
    """A follower whose fetch is out of range cuts to the leader's log end, or begins anew at the leader's log start.

    Args:
        leader_start: first offset that the leader holds (inclusive).
        leader_end: its log end offset (exclusive); -1 when it did not tell.
        may_lose_records: else the process ends where the leader's log is shorter.
    """
    numbers: Numbers = {"leader_log_end_offset": leader_end, "own_log_end_offset": log_end_offset}
    if leader_start > log_end_offset:
        return Ruling(OutOfRange.BEGIN_ANEW, True, "the leader's log begins later", numbers)
    if not 0 <= leader_end < log_end_offset:
        return Ruling(OutOfRange.ASK_AGAIN, False, "the leader's log does not end earlier", numbers)
    if not may_lose_records:
        return Ruling(OutOfRange.HALT, False, "the leader's log ends earlier, and nothing may be lost", numbers)
    return Ruling(OutOfRange.CUT, True, "the leader's log ends earlier", numbers)
