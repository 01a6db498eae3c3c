from __future__ import annotations

from workbench.challenges.catalogue import CHALLENGES


def test_there_are_ten_in_order_each_with_its_task_and_what_it_begins_with() -> None:
    assert [listed.number for listed in CHALLENGES] == list(range(1, 11))
    assert all(listed.task.endswith(".") and listed.graded and listed.begin(0) for listed in CHALLENGES)
    assert [listed.number for listed in CHALLENGES if listed.on_screen is None] == [7, 8, 9]
