from __future__ import annotations

from workbench.submissions.marks import Graded, Mark


def test_a_file_is_worth_its_parts_and_names_all_reasons() -> None:
    parts = (
        Mark(part="lesson 2", points=3, points_max=5, against=("a", "b")),
        Mark(part="quiz", points=1, points_max=12),
    )
    one = Graded(file="x.json", learner="ada", marks=parts, against=("c",))
    assert (one.points, one.points_max, one.reasons) == (4, 17, ("c", "lesson 2: a", "lesson 2: b"))
