"""What the specifications make of the numbers of a decision about a transaction. Source: KIP-98, KIP-360, KIP-890."""

from __future__ import annotations

from cluster.invariants.decisions.audit import Compared, Decisions, either, no, yes
from cluster.invariants.group import invariant
from cluster.model import events as ev
from cluster.model.errors import ErrorCode

EMPTY, ONGOING, PREPARE_ABORT = "Empty", "Ongoing", "PrepareAbort"
PREPARED = ("PrepareCommit", PREPARE_ABORT)
"""States of a transaction, in Kafka's words."""
EPOCH_MAX = (1 << 15) - 2
"""The largest epoch of a producer id that writes; one more fences its last producer. Source: KIP-360."""


class TransactionDecisions(Decisions):
    """Asked of each event that carries such a decision."""

    TX6 = invariant("what a coordinator of transactions decides follows from what was compared", "KIP-98, KIP-890")

    @yes("init_producer")
    def _begun(self, event: ev.TransactionStateChanged, numbers: Compared) -> str:
        """A new id begins with epoch 0, a known one with the next epoch, and what is open is aborted first."""
        given = event.producer_id, event.producer_epoch, event.state
        if "known_id" not in numbers:
            fits = not event.before and given[1:] == (0, EMPTY)
        elif event.before in PREPARED:
            fits = False
        elif event.before == ONGOING:
            fits = given == (numbers["known_id"], numbers["known_epoch"] + 1, PREPARE_ABORT)
        elif event.producer_id == numbers["known_id"]:
            fits = given[1:] == (numbers["known_epoch"] + 1, EMPTY)
        else:
            fits = given[1:] == (0, EMPTY) and numbers["known_epoch"] >= EPOCH_MAX
        return "" if fits else f"a producer begins with epoch {event.producer_epoch} after {event.before or 'nothing'}"

    @either("init_producer")
    def _not_begun(self, event: ev.TransactionRefused, numbers: Compared) -> str:
        """Who finds an open transaction has to come again, though the rule has said yes: that one is aborted first."""
        named, is_known = (numbers["producer_id"], numbers["producer_epoch"]), "known_id" in numbers
        match event.error:
            case ErrorCode.INVALID_REQUEST:
                fits = (named[0] >= 0) != (named[1] >= 0)
            case ErrorCode.PRODUCER_FENCED:
                fits = named[0] >= 0 and named != (numbers["known_id"], numbers["known_epoch"])
            case ErrorCode.CONCURRENT_TRANSACTIONS:
                is_busy = event.state in PREPARED or numbers.granted
                fits = is_busy or (not is_known and bool(numbers["is changing"]))
            case _:
                fits = False
        is_fencing = is_known and event.error == ErrorCode.CONCURRENT_TRANSACTIONS
        if fits and (is_fencing or not numbers.granted):
            return ""
        return f"a producer is refused with error {event.error} while its transaction is {event.state or 'not known'}"

    @yes("may_add")
    def _added(self, event: ev.TransactionStateChanged, numbers: Compared) -> str:
        is_of_same = (numbers["state"], numbers["producer_epoch"]) == (event.before, event.producer_epoch)
        if is_of_same and event.before not in PREPARED and event.state == ONGOING and not numbers.get("is changing"):
            return ""
        return f"partitions are added to a transaction that is {event.before}"

    @no("may_add", "is_in_transaction", "end_transaction")
    def _refused(self, event: ev.TransactionRefused, numbers: Compared) -> str:
        match event.error:
            case ErrorCode.INVALID_PRODUCER_ID_MAPPING:
                fits = numbers["producer_id"] != numbers["known_id"]
            case ErrorCode.PRODUCER_FENCED:
                is_newest = numbers["producer_epoch"] == numbers["known_epoch"]
                fits = is_newest and numbers["state"] in PREPARED if "state" in numbers else not is_newest
            case ErrorCode.TRANSACTION_ABORTABLE:
                is_newest = numbers["producer_epoch"] == numbers["known_epoch"]
                fits = is_newest and (numbers["state"] != ONGOING or not numbers["is_part"])
            case ErrorCode.INVALID_TXN_STATE:
                is_again = numbers["producer_epoch"] != numbers["known_epoch"]
                may_abort = numbers["bumps epoch"] and not numbers["commits"] and numbers["state"] not in PREPARED
                is_next = numbers["bumps epoch"] and not is_again and numbers["state"] in PREPARED
                fits = numbers["state"] != ONGOING and not (
                    numbers["state"] == EMPTY if is_again else may_abort or is_next
                )
            case _:
                is_concurrent = event.error == ErrorCode.CONCURRENT_TRANSACTIONS
                fits = is_concurrent and (numbers["state"] in PREPARED or bool(numbers["is changing"]))
        return "" if fits else f"a producer is refused with error {event.error}, and nothing that was compared says so"

    @yes("end_transaction")
    def _ended(self, event: ev.TransactionStateChanged, numbers: Compared) -> str:
        """What is open is committed or aborted by its newest producer; what was not begun can only be aborted, and that
        by a producer of version 2, which gets its next epoch so.
        """
        is_of_same = numbers["state"] == event.before and numbers["producer_epoch"] == numbers["known_epoch"]
        due = PREPARED if event.before == ONGOING else (PREPARE_ABORT,)
        has_begun = event.before == ONGOING or event.producer_epoch > numbers["known_epoch"]
        if is_of_same and event.before not in PREPARED and event.state in due and has_begun:
            return ""
        return f"a transaction that is {event.before} becomes {event.state} by its producer"

    @yes("transaction_timed_out")
    def _late(self, event: ev.TransactionStateChanged, numbers: Compared) -> str:
        if numbers["open_ms"] >= numbers["timeout_ms"] and (event.before, event.state) == (ONGOING, PREPARE_ABORT):
            return ""
        return f"a transaction is aborted after {numbers['open_ms']} ms; it may be open for {numbers['timeout_ms']} ms"

    @yes("transactional_id_expired")
    def _forgotten(self, event: ev.TransactionStateChanged, numbers: Compared) -> str:
        if numbers["unused_ms"] >= numbers["expiration_ms"] and event.before not in (ONGOING, *PREPARED):
            return ""
        return f"a transactional id is forgotten that was not used for {numbers['unused_ms']} ms and is {event.before}"

    @no("may_have_timeout")
    def _no_timeout(self, _event: ev.TransactionRefused, numbers: Compared) -> str:
        if not 0 < numbers["timeout_ms"] <= numbers["most_ms"]:
            return ""
        return f"a producer is refused a timeout of {numbers['timeout_ms']} ms of {numbers['most_ms']} ms"
