"""The program knows its own version."""

from __future__ import annotations

from importlib.metadata import version

from workbench.support.version import program_version


def test_it_is_that_of_the_package() -> None:
    assert program_version() == version("kraft-workbench")
