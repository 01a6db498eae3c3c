from __future__ import annotations

import pytest

from cluster.model.identifiers import TopicPartition
from cluster.picture import asked
from cluster.picture.asked import Acked, AckedRange
from cluster.picture.logs import LogState

TP = TopicPartition("orders", 0)


@pytest.fixture
def acked(monkeypatch: pytest.MonkeyPatch) -> Acked:
    monkeypatch.setattr(asked, "ACKED_MAX", 4)
    made = Acked(TP)
    made.extend(AckedRange(TP, offset, 1, f"{offset:x}", "c") for offset in range(20))
    return made


def log(end: int, *others: int) -> LogState:
    made = LogState()
    made.append(0, end, [(offset, 1, 0, "ff" if offset in others else f"{offset:x}") for offset in range(end)])
    return made


def test_the_newest_are_known_one_by_one_and_none_before_them_is_forgotten(acked: Acked) -> None:
    assert [item.base_offset for item in acked.newest] == [16, 17, 18, 19]
    assert (acked.older.ranges(), acked.record_count) == ([(0, 16)], 20)


def test_old_ones_past_the_end_of_the_log_are_lost_too(acked: Acked) -> None:
    assert [(item.base_offset, item.record_count) for item in acked.lost(1, log(14))] == [
        (14, 2), (16, 1), (17, 1), (18, 1), (19, 1),
    ]  # fmt: skip
    assert acked.lost(1, log(20)) == []


def test_another_record_at_the_offset_of_a_new_one_does_not_make_up_for_it(acked: Acked) -> None:
    assert [item.base_offset for item in acked.lost(1, log(20, 3, 18))] == [18], "of 3 only the offset is known"


def test_a_log_that_grew_is_looked_through_from_where_the_last_look_ended() -> None:
    acked, grows = Acked(TP), log(2)
    acked.extend(AckedRange(TP, offset, 1, f"{offset:x}", "c") for offset in range(4))
    assert [item.base_offset for item in acked.lost(1, grows)] == [2, 3]
    grows.append(2, 4, [(2, 1, 0, "2"), (3, 1, 0, "ff")])
    acked.extend((AckedRange(TP, 4, 1, "4", "c"),))
    assert [item.base_offset for item in acked.lost(1, grows)] == [3, 4]
    assert acked.looked_to == 5
    grows.append(0, 1, [(0, 1, 0, "ff")])
    assert [item.base_offset for item in acked.lost(1, grows)] == [0, 1, 2, 3, 4], "what was written over is missed"
    assert acked.lost(2, log(5)) == [], "the log of another broker is another log"


def test_of_many_the_same_are_lost_as_when_each_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(many: int) -> list[int]:
        monkeypatch.setattr(asked, "MANY", many)
        acked = Acked(TP)
        acked.extend(AckedRange(TP, offset, 1, f"{offset:x}" if offset % 7 else "", "c") for offset in range(150))
        return [item.base_offset for item in acked.lost(1, log(140, 3, 18, 21))]

    assert lost(100) == lost(1_000) == [3, 18, *range(140, 150)]
