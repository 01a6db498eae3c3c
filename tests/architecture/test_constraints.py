"""The exact versions of constraints.txt lie within the ranges of pyproject.toml, and none is missing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LINES = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
EXACT = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in LINES)}
DIRECT = [*PROJECT["dependencies"], *(item for extra in PROJECT["optional-dependencies"].values() for item in extra)]


def test_a_constraint_is_a_name_and_one_version() -> None:
    assert [line for line in LINES if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9a-z.]*", line)] == []


@pytest.mark.parametrize("text", DIRECT)
def test_a_dependency_has_a_range_and_an_exact_version_within_it(text: str) -> None:
    needed = Requirement(text)
    assert {item.operator for item in needed.specifier} == {">=", "<"}, "a lowest version, and one that is too new"
    assert needed.specifier.contains(EXACT[canonicalize_name(needed.name)])
