"""Every fault can be told as a deed."""

from __future__ import annotations

import pytest

from cluster.faults.fault import UNTOLD
from cluster.faults.grammar import FAULTS
from workbench.session.story.deeds import deed_of, is_lasting

GAPS = {"n": "n3", "links": "n1 and n2", "what": "kill 3", "cut": "n1 from n2", "message": "n3's yes to n1"}


@pytest.mark.parametrize("kind", sorted(FAULTS))
def test_a_fault_is_told_as_yours_and_as_somebody_elses(kind: str) -> None:
    deed = deed_of(kind)
    assert deed is not UNTOLD, f"give {FAULTS[kind].__name__} a deed"
    yours, others, over = (text.format(**GAPS) for text in deed[:3])
    assert yours.startswith("you ") and not others.startswith("you ")
    assert "{" not in yours + others + over


def test_a_fault_of_another_version_is_told_by_its_command() -> None:
    assert deed_of("Flood").others.format(**GAPS) == "a fault: kill 3" and is_lasting("Flood")


def test_what_ends_a_process_or_is_done_at_once_does_not_last() -> None:
    assert {kind for kind in FAULTS if not is_lasting(kind)} == {
        *("Kill", "Stop", "PowerLoss"),
        *("Wipe", "Tear", "Rot", "SpoilSnapshot", "Reset"),
    }
