from __future__ import annotations

from workbench.runs.sealed import TITLE, is_sealed


def test_a_hunt_is_known_by_its_title() -> None:
    assert is_sealed(f"{TITLE}amber-0000") and not is_sealed("Free lab")
