"""How many descriptors the processes of a run need: what a broker may hold at most is fixed by limits of its own."""

from __future__ import annotations

import resource

from cluster.model.identifiers import OF_ONE_ROLE_MAX
from cluster.runtime.connections import UNPROVED_MAX
from cluster.storage.held_files import HELD_MAX

OWN_FILES = 20
"""Event loop, standard streams, listeners, trace, control link, lock, and what is open for a moment."""
LINKS_MAX = 2 * 2 * OF_ONE_ROLE_MAX
"""A connection from and one to each node."""
NODE_MAX = OWN_FILES + HELD_MAX + LINKS_MAX + UNPROVED_MAX
"""Of a node, without its Kafka clients."""
CLIENTS_LEAST = 64
NEEDED = NODE_MAX + CLIENTS_LEAST
"""With fewer no run is started."""
WANTED = 1024
"""Enough for all that a node ever holds."""
MACOS_MAX = 10_240
"""OPEN_MAX: what macOS grants where it says that there is no limit. Source: its setrlimit(2)."""


def limits() -> tuple[int, int]:
    """How many this process may have now, and how many it may ask for."""
    found = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (MACOS_MAX if each == resource.RLIM_INFINITY else each for each in found)
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
