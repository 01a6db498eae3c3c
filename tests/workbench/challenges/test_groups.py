from __future__ import annotations

from pathlib import Path

from tests.support.challenges.graded import graded

TWICE = (
    "produce orders-0 6\nconsume orders group=g1 member=A commit=no\nexpect event consumer.polled client_id=A\n"
    "member A kill\nconsume orders group=g1 member=B commit=no\n"
    "expect event consumer.polled client_id=B base_offset=0 within 20s\n"
)


def test_a_group_that_loses_nobody_shows_nothing(tmp_path: Path) -> None:
    lines = f"{TWICE}consume orders group=g2 member=C commit=each\nexpect event consumer.polled client_id=C count=6\n"
    grade = graded(tmp_path, 10, lines)
    assert not grade.solved and "loses a member" in grade.what


def test_a_group_that_reads_twice_after_the_kill_has_not_read_once(tmp_path: Path) -> None:
    lines = f"{TWICE}produce orders-0 2\nexpect event consumer.polled client_id=B base_offset=6 within 20s\n"
    assert not graded(tmp_path, 10, lines).solved
