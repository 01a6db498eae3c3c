from __future__ import annotations

from pathlib import Path

from tests.support.challenges.graded import graded


def test_a_write_that_is_accepted_in_between_ends_the_ten_seconds(tmp_path: Path) -> None:
    lines = (
        "load 5\nwait acked orders-0 >= 5\npause 2\npause 3\nwait event produce.refused on 1 within 20s\n"
        "keep leader orders-0 for 3s\nresume 2\nexpect isr orders-0 = 1,2 within 20s\npause 2\n"
        "wait event produce.refused on 1 within 20s\nkeep leader orders-0 for 6s\n"
    )
    assert not graded(tmp_path, 5, lines).solved


def test_an_isr_that_a_kill_shrinks_does_not_count(tmp_path: Path) -> None:
    lines = "".join("kill 3\nexpect isr orders-0 = 1,2\nstart 3\nexpect isr orders-0 = 1,2,3\n" for _ in range(3))
    grade = graded(tmp_path, 6, lines)
    assert not grade.solved and "process was ended" in grade.what
