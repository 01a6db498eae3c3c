"""What the matrix asks of each client. A driver calls the client's public interface and nothing else."""

from __future__ import annotations

import fcntl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

Item = tuple[bytes, bytes]
"""Key and value."""
WAIT_S = 60.0


class Unable(Exception):
    """The client has no such thing. The message is the reason that the table shows."""


@dataclass(slots=True)
class Sent:
    """What a producer was told."""

    acknowledged: list[bytes] = field(default_factory=list)
    """Values for which success was told."""
    failed: list[str] = field(default_factory=list)
    """What it was told of the others."""


class Driver(Protocol):
    """One client."""

    name: str
    """As in the table."""
    retries_safely: str
    """Empty when an idempotent producer keeps its promise while leaders change, else why it does not."""
    classic_only: str
    """Empty when it speaks the newer group protocol (KIP-848), else why it does not."""

    def create(self, bootstrap: str, topic: str) -> None:
        """Create a topic with three partitions and three replicas."""

    def topics(self, bootstrap: str) -> set[str]:
        """Names of all topics."""

    def describe(self, bootstrap: str, topic: str) -> dict[int, int]:
        """Leader of each partition."""

    def produce(
        self,
        bootstrap: str,
        topic: str,
        items: Iterable[Item],
        *,
        acks: int = -1,
        idempotent: bool = False,
        compression: str = "none",
    ) -> Sent:
        """Write all items and wait for what becomes of them."""

    def consume(self, bootstrap: str, topic: str, partitions: int, count: int) -> list[Item]:
        """Read from the beginning without a group, until there are so many or the time is over."""

    def in_group(self, bootstrap: str, topic: str, group: str, member: str) -> GroupMember:
        """A member of a group that reads from the beginning and commits what it has read."""


class GroupMember(Protocol):
    """One member of a group, reading until it is told to leave."""

    values: list[bytes]
    """What it has read and may have committed, oldest first."""
    partitions: set[int]
    """Its assignment now."""

    def leave(self) -> None:
        """Commit and leave in order."""


class MortalMember(GroupMember, Protocol):
    """A member in a process of its own."""

    is_ready: bool
    """Its process is there, and only waits until it is to join."""

    def begin(self) -> None:
        """Join."""

    def kill(self) -> None:
        """SIGKILL: it neither commits nor leaves."""


class NewerDriver(Driver, Protocol):
    """A client that speaks the newer group protocol."""

    def in_consumer_group(self, bootstrap: str, topic: str, group: str, member: str, **settings: str) -> MortalMember:
        """As in_group, with group.protocol=consumer and these settings (dots as underscores)."""


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Whoever installs something into this folder does so alone: tests may run in several processes."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(folder.name + ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def paced(items: Iterable[Item], per_second: int) -> Iterator[Item]:
    """The items at this rate at most, so that what happens meanwhile happens under load."""
    pause = threading.Event()
    began_s = time.monotonic()
    for number, item in enumerate(items):
        if number % 50 == 0:
            ahead_s = number / per_second - (time.monotonic() - began_s)
            if ahead_s > 0:
                pause.wait(ahead_s)
        yield item
