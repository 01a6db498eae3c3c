"""Sides of a network that is cut in two or more: who can still talk to whom."""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.identifiers import NodeId
from workbench.session.views.cluster import ClusterView

NODE_MAX = 1000
"""Clients have larger numbers."""


class Side(NamedTuple):
    """Nodes that reach each other, through others if need be, and none of another side."""

    name: str
    """A, B, ..."""
    nodes: tuple[NodeId, ...]
    between: tuple[NodeId, ...]
    """Nodes that still reach every side: a cut of a few links leaves them out."""
    voters: int
    """Voters of the quorum among all these whose process is there."""
    voter_count: int
    """Voters of the quorum on all sides, dead or alive."""

    @property
    def has_majority(self) -> bool:
        """Whether a leader can be elected on this side."""
        return self.voters > self.voter_count // 2


def sides_of(view: ClusterView) -> tuple[Side, ...]:
    """The sides of a network that cuts both ways have taken apart; none while it hangs together.

    Where some nodes reach everybody, what is cut makes sides only when each has two nodes: else it is a few links.
    """
    cut = {pair for pair, way in view.links().items() if way.is_cut}
    apart = {(a, b) for a, b in cut if (b, a) in cut}
    if not apart:
        return ()
    everybody = {node for node in view.nodes if 0 < node <= NODE_MAX}
    groups, between = _groups(everybody, apart), []
    if len(groups) < 2:
        touched = everybody & {node for pair in apart for node in pair}
        groups, between = _groups(touched, apart), sorted(everybody - touched)
        if len(groups) < 2 or min(map(len, groups)) < 2:
            return ()
    groups.sort(key=lambda group: min(group, key=lambda node: (node not in view.voters, node)))
    return tuple(
        Side(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[place % 26], tuple(group), tuple(between),
            _living_voters(view, [*group, *between]), len(view.voters),
        )
        for place, group in enumerate(groups)
    )  # fmt: skip


def _groups(nodes: set[NodeId], apart: set[tuple[NodeId, NodeId]]) -> list[list[NodeId]]:
    """Who hangs together, directly or through another of these nodes."""
    left, groups = set(nodes), []
    while left:
        found, reached = [min(left)], {min(left)}
        for node in found:
            near = sorted(other for other in left - reached if (node, other) not in apart)
            found += near
            reached.update(near)
        left -= reached
        groups.append(sorted(found))
    return groups


def _living_voters(view: ClusterView, group: list[NodeId]) -> int:
    return sum(node in view.voters and view.nodes[node].process != "down" for node in group)
