from __future__ import annotations

from workbench.session.comparison import Row, counts, rows
from workbench.session.timeline import LOST, Mark


def mark(t_ns: int, place: int, glyph: str = "E") -> Mark:
    return Mark(t_ns, place, glyph, f"{glyph} at {t_ns}")


def test_marks_before_the_branch_point_are_left_out() -> None:
    assert rows([mark(1, 4)], [mark(1, 4)], 5) == []


def test_what_happened_to_both_at_once_shares_a_row_and_the_rest_stands_alone_in_time_order() -> None:
    both, late, early = mark(10, 5), mark(40, 9), mark(20, 7, "V")
    assert rows([both, late], [both, early], 5) == [Row(10, both, both), Row(20, None, early), Row(40, late, None)]


def test_two_marks_of_one_event_keep_their_places() -> None:
    one, two = mark(10, 5, "P"), mark(10, 5, LOST)
    assert rows([one, two], [], 5) == [Row(10, one, None), Row(10, two, None)]


def test_counts_are_of_what_came_after() -> None:
    found = counts([mark(1, 1), mark(2, 5), mark(3, 6, "V"), mark(4, 7, LOST), mark(5, 8, "K")], 5)
    assert {word: count for word, count in found.items() if count} == {"elections": 1, "epochs": 1, "records lost": 1}
