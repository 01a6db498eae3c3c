"""What is sent in the second world."""

from __future__ import annotations

from workbench.session.changes import changes_of
from workbench.session.deeds import Deed, edited


def test_a_heal_names_the_fault_by_its_number_there_or_is_left_out() -> None:
    changes = changes_of("acks=1")
    assert edited(Deed(5, "heal 4", heals="kill 1"), changes, {"kill 1": 7}) == "heal 7"
    assert edited(Deed(5, "heal 4", heals="kill 1"), changes, {}) == ""


def test_other_commands_are_sent_with_the_changes() -> None:
    assert edited(Deed(5, "kill 1"), changes_of("acks=1"), {}) == "kill 1"
    assert "acks=1" in edited(Deed(5, "produce orders 1 acks=all"), changes_of("acks=1 elr=off"), {})
    assert edited(Deed(5, ""), changes_of("acks=1"), {}) == ""
