"""Commands about built-in members of consumer groups, as data."""

from __future__ import annotations

from msgspec import Struct


class Subscribe(Struct, frozen=True):
    """A built-in consumer joins a group and reads its part until it is told to leave."""

    topics: tuple[str, ...]
    """At least one."""
    group: str
    """Which group."""
    member: str
    """What it is called in the run."""
    assignors: tuple[str, ...] = ("range",)
    """In its order of preference: range, roundrobin, sticky, cooperative-sticky. Newer protocol: uniform or range."""
    instance: str = ""
    """group.instance.id of a static member; empty for a dynamic one."""
    commit: str = "auto"
    """auto every interval, each after each poll, no never by itself."""
    protocol: str = "classic"
    """group.protocol: classic, or consumer for the newer one (KIP-848)."""


class MemberOrder(Struct, frozen=True):
    """Something is done with a built-in member of a group."""

    member: str
    """What it is called in the run."""
    order: str
    """leave, kill, pause, resume, commit."""
