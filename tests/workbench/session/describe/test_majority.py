"""What is said of partitions by majority."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from workbench.session.describe.majority import MAJORITY_SENTENCES


def said(event: object) -> str:
    return MAJORITY_SENTENCES[type(event)][1](event)


def test_a_report_says_where_the_log_ends_and_what_it_is_whole_with() -> None:
    facts: dict[str, Any] = {"topic": "votes\x1b[31m", "partition": 0, "leader_epoch": 3, "log_end_offset": 5}
    told = said(ev.LogEndReported(adopted_epoch=2, **facts))
    assert told.endswith("has no leader in e3: tells its log end 5, whole with the beginning of e2")
    assert "\x1b" not in told
    assert said(ev.LogEndReported(adopted_epoch=-1, **facts)).endswith("tells its log end 5")
    heard = said(ev.LogEndHeard(broker_id=2, adopted_epoch=2, **facts))
    assert "log of n2 ends at 5, whole with the beginning of e2" in heard


def test_who_adopts_an_epoch_counts_from_then_on() -> None:
    event = ev.EpochAdopted(topic="votes", partition=0, leader_epoch=4, epoch_start_offset=7, log_end_offset=7)
    assert said(event) == "votes-0 holds all with which e4 began (to 7): it counts from now on"
