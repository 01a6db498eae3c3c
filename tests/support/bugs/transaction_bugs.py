"""Bugs of transactions: of their coordinators, and of leaders that write records and markers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from cluster.model.identifiers import NO_NODE
from cluster.replication import idempotence, verification, waiting_fetches
from cluster.replication.last_stable_offset import LogTransactions
from cluster.replication.producer_state import ProducerEntry
from cluster.replication.rules.idempotent_producer import WRITE
from cluster.transactions import marking
from cluster.transactions import rules as coordinator_rules
from tests.support.bugs.planted import PlantedBug
from workbench.challenges.bugs.planted_bug import answering


def _reads_to_the_high_watermark(_stable: Any) -> Any:
    return lambda _self, high_watermark, _log_start_offset: high_watermark


def _stable_before_markers_are_committed(readable: Callable[..., Any]) -> Callable[..., Any]:
    def beyond(state: Any, request: Any) -> Any:
        end = readable(state, request)
        if request.replica_id != NO_NODE or not request.read_committed:
            return end
        producers = state.producers
        return max(end, producers.transactions.last_stable_offset(producers.next_offset, state.log.log_start_offset))

    return beyond


def _names_no_aborted(_aborted: Any) -> Any:
    return lambda _self, _start_offset, _end_offset: ()


def _names_one_aborted_too_few(aborted: Any) -> Any:
    return lambda self, start_offset, end_offset: aborted(self, start_offset, end_offset)[:-1]


def _always_commits(marker: Callable[..., Any]) -> Callable[..., Any]:
    return lambda now, where, epoch: replace(marker(now, where, epoch), committed=True)


def _forgets_one_partition(begin: Callable[..., Any]) -> Callable[..., Any]:
    """The markers of a transaction go to all of its partitions but one."""

    def begun(shared: Any, shard: Any, kept: Any, cluster: Any, now_ms: int) -> Any:
        whole = kept.now
        kept.now = replace(whole, partitions=frozenset(sorted(whole.partitions)[1:]))
        effects = begin(shared, shard, kept, cluster, now_ms)
        if kept.now.state is whole.state and kept.next is None:
            kept.now = whole
        return effects

    return begun


def _never_completes(_complete: Callable[..., Any]) -> Callable[..., Any]:
    """All markers are written, and the coordinator does not write that down."""
    return lambda *_given, **_named: []


def _whatever_the_epoch(_open_from: Callable[..., Any]) -> Callable[..., Any]:
    return lambda state, producer_id, _epoch: state.producers.transactions.open_from(producer_id)


def _hears_the_old_epoch(check_sequence: Callable[..., Any]) -> Callable[..., Any]:
    """A batch of an epoch that is over is written as any other."""

    def check(entry: ProducerEntry | None, producer_id: int, epoch: int, base_sequence: int, count: int) -> Any:
        ruling = check_sequence(entry, producer_id, epoch, base_sequence, count)
        if entry is not None and epoch < entry.epoch:
            ruling.value, ruling.granted = WRITE, True
        return ruling

    return check


def _asks_nobody(must_verify: Any) -> Any:
    return answering(must_verify, value=False, granted=False)


def _at_half_of_its_time(timed_out: Callable[..., Any]) -> Callable[..., Any]:
    def too_soon(now: Any, now_ms: int) -> Any:
        ruling = timed_out(now, now_ms)
        is_half_over = timed_out(replace(now, timeout_ms=now.timeout_ms // 2), now_ms).granted
        ruling.value = ruling.granted = is_half_over
        return ruling

    return too_soon


TROUBLE_S = 4.0
"""Virtual seconds of faults in each of these seeds."""
TRANSACTION_BUGS = (
    PlantedBug(
        "reads-to-the-high-watermark", "transactions",
        "readers of committed records are given all that is committed by replication",
        frozenset(("C17", "TX1")),
        ((LogTransactions, "last_stable_offset", _reads_to_the_high_watermark),),
        (3,),
        TROUBLE_S,
    ),
    PlantedBug(
        "stable-too-early", "transactions", "a marker counts before it is committed",
        frozenset(("C17", "TX1")),
        ((waiting_fetches, "readable_end", _stable_before_markers_are_committed),),
        (2,),
        TROUBLE_S,
    ),
    PlantedBug(
        "names-no-aborted", "transactions", "readers are not told which transactions were aborted",
        frozenset(("C17",)),
        ((LogTransactions, "aborted", _names_no_aborted),),
        (2,),
        TROUBLE_S,
    ),
    PlantedBug(
        "names-too-few", "transactions", "readers are not told of the last aborted transaction",
        frozenset(("C17",)),
        ((LogTransactions, "aborted", _names_one_aborted_too_few),),
        (2,),
        TROUBLE_S,
    ),
    PlantedBug(
        "always-commits", "transactions", "a coordinator tells leaders to commit what it has decided to abort",
        frozenset(("TX2",)),
        ((marking, "_marker", _always_commits),),
        (2,),
        TROUBLE_S,
    ),
    PlantedBug(
        "forgets-one-partition", "transactions", "one partition of a transaction gets no marker",
        frozenset(("TX3",)),
        ((marking, "begin", _forgets_one_partition),),
        (2,),
        TROUBLE_S,
    ),
    PlantedBug(
        "asks-nobody", "transactions", "a leader begins a transaction without asking its coordinator",
        frozenset(("TX5",)),
        ((verification, "must_verify", _asks_nobody),),
        (2,),
        TROUBLE_S,
    ),
    PlantedBug(
        "never-completes", "transactions", "a coordinator forgets to complete what it has decided",
        frozenset(("L13",)),
        ((marking, "_complete", _never_completes),),
        (2,),
        TROUBLE_S,
    ),
    PlantedBug(
        "hears-the-old-epoch", "transactions", "a leader writes what a producer sends whose epoch is over",
        frozenset(("TX4",)),
        ((idempotence, "check_sequence", _hears_the_old_epoch),),
        (18,),
        TROUBLE_S,
    ),
    PlantedBug(
        "aborts-too-soon", "transactions", "a coordinator aborts what is open for half of the time that it may take",
        frozenset(("TX6",)),
        ((coordinator_rules, "transaction_timed_out", _at_half_of_its_time),),
        (2,),
        TROUBLE_S,
    ),
    PlantedBug(
        "takes-the-next-epoch", "transactions", "a leader takes a batch of the next transaction for one of the last",
        frozenset(("TX3",)),
        ((verification, "_open_from", _whatever_the_epoch),),
        (215,),
    ),
)  # fmt: skip
