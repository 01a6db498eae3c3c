"""What is said of disks."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from workbench.telling.tell import sentence


def test_a_log_that_is_opened_says_where_it_begins_only_when_that_is_not_its_first_record() -> None:
    fields: dict[str, Any] = {"topic": "orders", "partition": 0, "valid_bytes": 1, "log_end_offset": 6,
                              "high_watermark": 6, "batches": (), "why": "scanned"}  # fmt: skip
    assert sentence(ev.LogRecovered(dropped_bytes=0, **fields)) == "orders-0 opened (scanned): LEO 6 HW 6"
    assert (
        sentence(ev.LogRecovered(dropped_bytes=9, log_start_offset=4, **fields))
        == "orders-0 opened (scanned): begins at 4, LEO 6 HW 6, 9 bytes dropped"
    )


def test_a_disk_that_lies_is_called_a_liar() -> None:
    told = [sentence(ev.ElectionPersisted(epoch=2, leader_id=-1, voted_for=-1, lied=lied)) for lied in (False, True)]
    assert told == ["quorum-state on disk: e2, vote nobody", "quorum-state on disk: e2, vote nobody LIE"]
