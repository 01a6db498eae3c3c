"""Terms about consumer groups: what a script can ask of them. Members are named by their client ids."""

from __future__ import annotations

from collections.abc import Callable

from cluster.model.identifiers import TopicPartition
from cluster.picture.asked import GroupState
from cluster.picture.cluster_state import ClusterState

Read = Callable[[GroupState, str, TopicPartition], int | None]
GROUP_TERMS: dict[str, tuple[str, Read]] = {
    "generation of": ("GROUP", lambda group, _member, _tp: group.generation),
    "members of": ("GROUP", lambda group, _member, _tp: len(group.members)),
    "coordinator of": ("GROUP", lambda group, _member, _tp: group.coordinator),
    "moved in": ("GROUP", lambda group, _member, _tp: group.moved),
    "parts of": ("MEMBER in GROUP", lambda group, member, _tp: group.parts(member)),
    "given_up by": ("MEMBER in GROUP", lambda group, member, _tp: group.given_up.get(member, 0)),
    "committed": ("TOPIC-P in GROUP", lambda group, _member, tp: group.committed.get(tp)),
}
"""Term to (what follows it, how it is read)."""


def read_group(state: ClusterState, kind: str, group: str, member: str, tp: TopicPartition) -> int | None:
    """The present value; None for a group that nobody has heard of."""
    group_state = state.groups.get(group)
    return None if group_state is None else GROUP_TERMS[kind][1](group_state, member, tp)
