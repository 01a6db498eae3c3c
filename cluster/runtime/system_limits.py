"""What the system grants the processes of a run, and what they need.

How many descriptors that is can be counted: what a broker may hold at most is fixed by limits of its own.
"""

from __future__ import annotations

import resource

from cluster.model.identifiers import OF_ONE_ROLE_MAX
from cluster.runtime.connections import UNPROVED_MAX
from cluster.runtime.transport import ARRIVING_MAX
from cluster.storage.held_files import HELD_MAX

OWN_FILES = 20
"""Event loop, standard streams, listeners, trace, control link, lock, and what is open for a moment."""
LINKS_MAX = 2 * 2 * OF_ONE_ROLE_MAX
"""A connection from and one to each node."""
NODE_MAX = OWN_FILES + HELD_MAX + LINKS_MAX + UNPROVED_MAX + ARRIVING_MAX
"""Of a node, without its Kafka clients."""
CLIENTS_LEAST = 32
NEEDED = NODE_MAX + CLIENTS_LEAST
"""With fewer no run is started."""
WANTED = 1024
"""Enough for all that a node ever holds."""
_OF_PROCESSES = (("u", resource.RLIMIT_NPROC, 1), ("v", resource.RLIMIT_AS, 1024))
"""Each with the letter by which a shell knows it, and its unit there."""
_UNLIMITED = resource.RLIM_INFINITY
MACOS_MAX = 10_240
"""OPEN_MAX: what macOS grants where it says that there is no limit. Source: its setrlimit(2)."""


def limits() -> tuple[int, int]:
    """How many this process may have now, and how many it may ask for."""
    both = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (MACOS_MAX if each == _UNLIMITED else each for each in both)
    return soft, max(soft, hard)


def obtain() -> bool:
    """Be allowed as many as are wanted, or as the system grants, in this process and its children. Whether enough."""
    soft, hard = limits()
    if soft < WANTED and soft < hard:
        kept = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        soft = min(WANTED, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, kept))
    return soft >= NEEDED


def left_for_clients() -> int:
    """How many Kafka clients a broker can afford: the rest is kept for its files and for the other nodes."""
    return max(1, limits()[0] - NODE_MAX)


def no_more_processes() -> str:
    """Why the system starts no process or thread, in words for people: its limits that are in force."""
    soft = ((letter, resource.getrlimit(which)[0], unit) for letter, which, unit in _OF_PROCESSES)
    settings = ", ".join(f"ulimit -{letter} is {most // unit}" for letter, most, unit in soft if most != _UNLIMITED)
    why = f" ({settings})" if settings else ""
    return f"the system grants no more processes or threads{why}; a run takes two for each node and a few more"
