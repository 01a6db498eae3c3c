"""Tells the type checker, and the test, which class of a union something is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def as_kind(kind: type[T], item: object) -> T:
    """The item, which must be of this class."""
    assert isinstance(item, kind), f"{item!r} is no {kind.__name__}"
    return item


def all_as(kind: type[T], items: Iterable[object]) -> list[T]:
    """The items, which must all be of this class."""
    return [as_kind(kind, item) for item in items]


def those(kind: type[T], items: Iterable[object]) -> list[T]:
    """Of these items the ones of this class."""
    return [item for item in items if isinstance(item, kind)]
