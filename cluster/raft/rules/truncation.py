"""The rules of where two metadata logs part, and where a follower cuts its own."""

from __future__ import annotations

from cluster.model.identifiers import NO_EPOCH, Epoch, EpochEnd, Offset
from cluster.model.leader_epochs import UNKNOWN_END, LeaderEpochs
from cluster.model.ruling import Numbers, Ruling, rule


@rule(source="KIP-595", kafka="ReplicatedLog.validateOffsetAndEpoch")
def diverging_epoch(
    leader_epochs: LeaderEpochs, log_end_offset: Offset, last_fetched_epoch: Epoch, fetch_offset: Offset
) -> Ruling[EpochEnd | None]:
    """A leader looks for the epoch of a fetcher's last record in its own log, and tells where the two logs part.

    The value is the largest own epoch not above the fetcher's and its end offset (exclusive); None where the logs agree
    up to fetch_offset.
    """
    if fetch_offset == 0 and last_fetched_epoch <= 0:
        return Ruling(None, False, "the fetcher's log is empty")
    if last_fetched_epoch == leader_epochs.latest() != NO_EPOCH and fetch_offset <= log_end_offset:
        return Ruling(None, False, "the logs agree")  # nearly always
    end = leader_epochs.end_offset_for(last_fetched_epoch, log_end_offset)
    numbers: Numbers = {
        "fetch offset": fetch_offset,
        "last fetched epoch": last_fetched_epoch,
        "leader has epoch": end.epoch,
        "which ends at": end.end_offset,
        "leader's log end": log_end_offset,
    }
    if end == UNKNOWN_END:
        newest = EpochEnd(max(0, leader_epochs.latest()), log_end_offset)
        return Ruling(newest, True, "the leader never had that epoch", numbers)
    if end.epoch != last_fetched_epoch or end.end_offset < fetch_offset:
        return Ruling(end, True, "the fetcher has records the leader never had", numbers)
    return Ruling(None, False, "the logs agree", numbers)


@rule(source="KIP-595, Raft paper 5.3", kafka="ReplicatedLog.truncateToEndOffset")
def truncation_point(leader_epochs: LeaderEpochs, log_end_offset: Offset, diverging: EpochEnd) -> Ruling[Offset]:
    """A follower cuts its log where the last epoch that it shares with the leader ends first.

    The value is its log end after the cut (exclusive). When it does not know the epoch that the leader named, it cuts
    to the end of its own older one, and the next fetch shows whether that was enough.

    Args:
        diverging: the leader's answer: an epoch and where it ends there (exclusive).
    """
    own = leader_epochs.end_offset_for(diverging.epoch, log_end_offset)
    numbers: Numbers = {
        "leader's epoch": diverging.epoch,
        "which ends at": diverging.end_offset,
        "own epoch": own.epoch,
        "own epoch ends at": own.end_offset,
        "own log end": log_end_offset,
    }
    if own == UNKNOWN_END or diverging.epoch == 0:
        return Ruling(min(diverging.end_offset, log_end_offset), True, "cut to the end the leader named", numbers)
    if own.epoch == diverging.epoch:
        point = min(own.end_offset, diverging.end_offset)
        return Ruling(point, True, "cut to where the shared epoch ends first", numbers)
    return Ruling(own.end_offset, True, "cut to the end of the own older epoch", numbers)
