"""Rule P24: what is deleted from the front of a log."""

from __future__ import annotations

from partitions import WHERE, Partition

from cluster.checks.verdict import Verdict
from cluster.model import events as ev


class Deleting(Partition):
    """Three committed records; broker 1 leads."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()
        for offset, crc in enumerate(("aa", "bb", "cc")):
            self.replicate(offset, crc)

    def delete(self, node: int, before: int, *, old: int = 0, role: str = "leader") -> None:
        """A replica deletes from the front of its log."""
        self.add(
            node,
            ev.LogStartAdvanced(
                **WHERE, log_start_offset=before, old_log_start_offset=old, high_watermark=3, role=role
            ),
        )


def test_a_deletion_that_followers_take_over_is_quiet() -> None:
    trace = Deleting()
    trace.delete(1, 1)
    trace.delete(2, 1, role="follower")
    trace.delete(1, 3, old=1)
    trace.delete(3, 3, role="follower")
    assert trace.holds("P24")


def test_what_is_not_committed_is_not_deleted() -> None:
    trace = Deleting()
    trace.append(1, 3, "dd")
    trace.delete(1, 4)
    assert trace.sentence("P24") == "node 1 deletes what is below 4; its high watermark is 3"


def test_a_follower_deletes_nothing_by_itself() -> None:
    trace = Deleting()
    trace.delete(2, 1, role="follower")
    assert trace.sentence("P24") == "node 2 deletes what is below 1; no leader deleted anything"
    trace = Deleting()
    trace.delete(1, 1)
    trace.delete(2, 2, role="follower")
    assert trace.sentence("P24") == "node 2 deletes what is below 2; leaders deleted what is below 1"


def test_a_log_start_does_not_go_back_while_the_broker_lives() -> None:
    trace = Deleting()
    trace.delete(1, 2)
    trace.delete(1, 1, old=0)
    assert trace.sentence("P24") == "node 1 moves its log start from 0 to 1; it was 2"


def test_a_restart_may_find_an_older_checkpoint_of_the_log_start() -> None:
    trace = Deleting()
    trace.delete(1, 2)
    trace.delete(2, 2, role="follower")
    trace.exit(2)
    trace.start(2, "broker")
    trace.delete(2, 2, old=1, role="follower")
    assert trace.verdicts()["P24"].verdict is Verdict.HOLDS
