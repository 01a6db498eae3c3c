"""Which version of the program this is."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def program_version() -> str:
    """As the package says; unknown where it was not installed as one."""
    try:
        return version("kraft-workbench")
    except PackageNotFoundError:
        return "unknown"
