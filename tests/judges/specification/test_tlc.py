"""TLC walks a module; what it says otherwise is no verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from judges.specification.not_judged import NotJudged
from judges.specification.replication_module import module
from judges.specification.tlc import Module, Tools, walk
from tests.judges.specification.test_replication_states import line_of
from tests.support.specification.outside import tools


@pytest.mark.judges
def test_a_line_is_walked_to_its_end(tmp_path: Path) -> None:
    made = module("Line0", "Kip101", line_of("p10_kip279_kip101", "kip101"), (1, 2))
    assert walk(tools("kip101"), tmp_path, made).accepted


@pytest.mark.judges
def test_a_module_that_is_none_is_not_judged(tmp_path: Path) -> None:
    with pytest.raises(NotJudged, match="get it anew from its authors .*Cannot find source file for module Nothing"):
        walk(tools("kip320"), tmp_path, Module("Bad", "---- MODULE Bad ----\nEXTENDS Nothing\n====\n", ""))


def test_a_java_that_does_not_start_is_not_judged(tmp_path: Path) -> None:
    with pytest.raises(NotJudged, match="Java does not start"):
        walk(Tools(tmp_path / "java", tmp_path / "x.jar", ()), tmp_path, Module("Bad", "", ""))
