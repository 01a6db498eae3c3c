"""Writes short runs of one transactional producer by hand: orders-0, and a coordinator that says how it stands."""

from __future__ import annotations

from cluster.invariants.assumptions import Assumptions
from cluster.invariants.checker import Checker
from cluster.invariants.transactions.coordinated import CoordinatedInvariants
from cluster.invariants.transactions.reads import CommittedReadInvariants
from cluster.invariants.verdicts.verdict import InvariantVerdict
from cluster.model import events as ev
from cluster.model.entry import EventId
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import Partition

ID, PRODUCER, COORDINATOR = "t", 7, 3
ORDERS = (("orders", 0),)


class Transactional(Partition):
    """Broker 1 leads orders-0, broker 3 coordinates."""

    def __init__(self, **settings: object) -> None:
        super().__init__(transaction_state_partitions=1, **settings)
        self.begin()
        self.end = self.record = 0

    def verdicts(self, *promised: str) -> dict[str, InvariantVerdict]:
        """Those of transactions."""
        checker = Checker((Assumptions, CommittedReadInvariants, CoordinatedInvariants))
        for entry in self.entries:
            checker.feed(entry)
        return {line.info.id: line for line in checker.finish(promised)}

    def state(
        self, state: str, before: str = "", *, epoch: int = 0, partitions: tuple[tuple[str, int], ...] | None = None
    ) -> EventId:
        """The coordinator's word; a transaction has orders-0 while it is open or decided."""
        has = ORDERS if state in ("Ongoing", "PrepareCommit", "PrepareAbort") else ()
        self.record += 1
        return self.add(
            COORDINATOR,
            ev.TransactionStateChanged(
                transactional_id=ID, producer_id=PRODUCER, producer_epoch=epoch, state=state, before=before,
                partitions=has if partitions is None else partitions, why="by hand", offset=self.record,
            ),
        )  # fmt: skip

    def write(self, what: str = "data", *, epoch: int = 0, node: int = 1, role: str = "leader") -> EventId:
        """One batch of one record at the end of a log."""
        base = self.end
        self.end += 1
        return self.add(
            node,
            ev.ReplicaAppended(
                **WHERE, base_offset=base, count=1, end_offset=base + 1, leader_epoch=0,
                batches=((base, 1, 0, "aa"),), role=role, size_bytes=1,
                transactional=((base, PRODUCER, epoch, what),),
            ),
        )  # fmt: skip

    def mark(self, *, committed: bool, epoch: int = 0, by_client: bool = False) -> EventId:
        """The leader writes a marker, which is committed at once."""
        written = self.add(
            1,
            ev.MarkerWritten(
                **WHERE, producer_id=PRODUCER, producer_epoch=epoch, committed=committed, offset=self.end,
                first_offset=0, coordinator_epoch=0, by_client=by_client,
            ),
        )  # fmt: skip
        self.write("commit" if committed else "abort", epoch=epoch)
        self.advance(1, self.end)
        return written

    def whole(self, *, committed: bool = True, epoch: int = 0, before: str = "Empty") -> None:
        """One transaction of one record, from begin to end."""
        word = "Commit" if committed else "Abort"
        self.state("Ongoing", before, epoch=epoch)
        self.write(epoch=epoch)
        self.state(f"Prepare{word}", "Ongoing", epoch=epoch)
        self.mark(committed=committed, epoch=epoch)
        self.state(f"Complete{word}", f"Prepare{word}", epoch=epoch)

    def given(self, end: int, stable: int, *aborted: tuple[int, int], high_watermark: int | None = None) -> EventId:
        """The leader serves a reader of committed records, from the start."""
        reached = self.end if high_watermark is None else high_watermark
        return self.add(
            1,
            ev.CommittedRecordsGiven(
                **WHERE, fetch_offset=0, end_offset=end, last_stable_offset=stable, high_watermark=reached,
                aborted=aborted,
            ),
        )  # fmt: skip
