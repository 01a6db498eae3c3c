from __future__ import annotations

from collections import Counter
from pathlib import Path
from shutil import copytree

import pytest

from workbench.challenges.bugs import sealed
from workbench.challenges.bugs.sealed import LEVEL_2, LEVEL_3, SEALED, check_seals, find_sealed, sealed_bug
from workbench.support.refusal import Refusal


def test_each_bug_has_a_name_of_its_own_that_does_not_change() -> None:
    assert len({item.name for item in SEALED}) == len({item.bug.id for item in SEALED}) == len(SEALED)
    assert next(item.name for item in SEALED if item.bug.id == "quorum/votes-twice") == "indigo-93c9"


def test_there_are_three_levels_of_about_a_third_each() -> None:
    assert min(Counter(item.level for item in SEALED).values()) >= 10
    assert {*LEVEL_2, *LEVEL_3} <= {item.bug.id for item in SEALED}


def test_a_name_that_nothing_is_sealed_under_is_answered_with_those_that_are_near() -> None:
    with pytest.raises(Refusal, match="no sealed bug is called 'indigo-93c8'; did you mean indigo-93c9"):
        find_sealed("indigo-93c8")
    assert find_sealed("indigo-93c9").bug is sealed_bug("quorum/votes-twice")


def test_a_file_of_bugs_that_was_changed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_seals()
    folder = copytree(Path(sealed.__file__).parent, tmp_path / "bugs")
    with (folder / "quorum.py").open("a") as file:
        file.write("# a look\n")
    monkeypatch.setattr(sealed, "__file__", str(folder / "sealed.py"))
    with pytest.raises(Refusal, match="hunt: quorum.py was changed since the bugs were sealed"):
        check_seals()
