"""Who votes in the quorum: a node's number with the id of its disk. Source: KIP-853, ReplicaKey, VoterSet."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from cluster.model.identifiers import NodeId
from cluster.model.uuids import uuid_of

NO_DIRECTORY = ""
"""Of a quorum whose voters are numbers alone."""


class Voter(NamedTuple):
    """One voter. Another disk under the same number is another voter."""

    node_id: NodeId
    directory_id: str
    """Of the disk that its log is on, as meta.properties says; empty where voters are numbers alone."""

    def __str__(self) -> str:
        return f"{self.node_id}:{self.directory_id}" if self.directory_id else str(self.node_id)


VoterSet: TypeAlias = tuple[Voter, ...]
"""In order of their numbers; no number twice."""


def directory_id_of(run: str, node_id: NodeId, incarnation: int) -> str:
    """The id that a disk gets when it is formatted before that start of its node; equal runs have equal ids."""
    return uuid_of(f"{run}/{node_id}/{incarnation}")
