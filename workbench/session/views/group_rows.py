"""Consumer groups in few words, and the chart of a rebalance: who told whom what, as rows between members."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import consumer, group
from cluster.model.identifiers import NO_NODE
from cluster.model.offsets_topic import partition_for
from cluster.picture.asked import GroupState, Place
from cluster.picture.cluster_state import ClusterState
from workbench.support.safe_text import safe_text

ROWS_MAX = 200
PHASES = {
    "Empty": "empty",
    "PreparingRebalance": "JOIN",
    "CompletingRebalance": "SYNC",
    "Assigning": "ASSIGN",
    "Reconciling": "RECONCILE",
    "Stable": "STABLE",
    "Dead": "dead",
}
"""The states of a group, by the phase of a rebalance that they are. Source: Kafka GroupState."""


class GroupRow(NamedTuple):
    """One row of the chart of a group. Source and target are member ids; empty is the coordinator."""

    t_ns: int
    source: str
    target: str
    text: str
    tone: str
    """good, bad, warn, info."""
    few: tuple[str, ...] = ()
    """The same in ever fewer letters."""


Said: TypeAlias = tuple[str, str, str, str] | tuple[str, str, str, str, tuple[str, ...]]
"""Source, target, text, tone and perhaps the few letters of a row."""


def phase_of(state: str) -> str:
    """Where the rebalance of a group in this state is."""
    return PHASES.get(state, safe_text(state, 20))


def name_of(known: GroupState, member_id: str) -> str:
    """A member in few letters: its client id, with the end of its member id when two have the same."""
    client = known.names.get(member_id, "")
    if not client:
        return safe_text(member_id or "nobody", 24)
    same = sum(other.client_id == client for other in known.members.values())
    return safe_text(client, 24) + (f"~{safe_text(member_id, 80)[-4:]}" if same > 1 else "")


def short_parts(parts: tuple[Place, ...]) -> str:
    """0,1,2 of one topic; orders-0,1 users-2 of several; nothing for none."""
    topics = dict.fromkeys(topic for topic, _ in parts)
    texts = []
    for topic in topics:
        numbers = ",".join(str(number) for name, number in sorted(parts) if name == topic)
        texts.append(numbers if len(topics) == 1 else f"{safe_text(topic, 20)}-{numbers}")
    return " ".join(texts) or "nothing"


def add_rows(charts: dict[str, list[GroupRow]], entry: Entry, before: ClusterState) -> None:
    """Put what an entry adds into the charts of the groups that it is about. before: the cluster without it."""
    name = getattr(entry.event, "group", "")
    if name:
        known = before.groups.get(name) or GroupState(name)
        told = [(name, said) for said in _said(entry, known)]
    else:
        told = list(_of_coordinators(charts, entry, before))
    for name, said in told:
        rows = charts.setdefault(name, [])
        rows.append(GroupRow(entry.t_ns, *said))
        del rows[:-ROWS_MAX]


def _of_coordinators(
    charts: dict[str, list[GroupRow]], entry: Entry, before: ClusterState
) -> Iterator[tuple[str, Said]]:
    """A coordinator that comes or goes is told in the charts of all its groups."""
    match entry.event:
        case group.CoordinatorLoaded(groups=groups):
            for name, _ in groups:
                known = before.groups.get(name)
                if name in charts or known is not None and known.coordinator not in (NO_NODE, entry.node):
                    yield name, ("", "", f"n{entry.node} coordinates, read from its log", "good")
        case group.CoordinatorResigned(partition=partition):
            for name, known in before.groups.items():
                is_its = partition_for(name, before.offsets_partitions) == partition
                if is_its and known.coordinator == entry.node:
                    yield name, ("", "", f"n{entry.node} coordinates no more", "warn")


def _said(entry: Entry, known: GroupState) -> Iterator[Said]:
    match entry.event:
        case group.GroupMemberJoined() as e:
            yield e.member_id, "", "join", "info"
        case group.GroupMemberLeft() as e:
            yield "", "", f"{name_of(known, e.member_id)} is out: {_words(e.why, 40)}", "bad"
        case group.GroupStateChanged() as e:
            yield "", "", f"{phase_of(e.state)}: {_words(e.why, 60)}", "warn"
        case group.GroupGenerationBegan() as e:
            for member_id in e.members:
                leads = ", you lead" if member_id == e.leader else ""
                few = (f"gen {e.generation}{leads}",)
                yield "", member_id, f"generation {e.generation}{leads}", "info", few
        case group.GroupAssigned() as e:
            for member_id in known.members:
                parts = tuple((topic, number) for owner, topic, number in e.assignments if owner == member_id)
                yield "", member_id, short_parts(parts), "good"
        case group.GroupRequestRefused() as e:
            yield "", _here(known, e.member_id), f"{safe_text(e.function, 20)}: {_error(e.error)}", "bad", _few(e.error)
        case group.OffsetCommitRefused() as e:
            yield "", _here(known, e.member_id), f"commit: {_error(e.error)}", "bad", _few(e.error)
        case consumer.ConsumerRevoked() as e if e.member_id in known.members:
            gives = "has lost" if e.is_lost else "gives up"
            yield e.member_id, e.member_id, f"{gives} {short_parts(e.revoked)}", "warn"
        case group.ConsumerGroupTargeted() as e:
            yield "", "", f"group epoch {e.group_epoch}: a new target", "info"
        case group.ConsumerMemberReconciled() as e:
            gives = f", give up {short_parts(e.revoking)}" if e.revoking else ""
            words = f"epoch {e.member_epoch}: {short_parts(e.assigned)}{gives}"
            yield "", e.member_id, words, "warn" if e.revoking else "good"
        case _:
            pass


def _words(why: str, most: int) -> str:
    return safe_text(why, most).replace("_", " ")


def _here(known: GroupState, member_id: str) -> str:
    return member_id if member_id in known.members else ""


def _error(code: int) -> str:
    return ErrorCode(code).name if code >= 0 and code in set(ErrorCode) else f"error {code}"


def _few(code: int) -> tuple[str, ...]:
    return ("rebalance" if code == ErrorCode.REBALANCE_IN_PROGRESS else _error(code),)


CHARTED = frozenset(
    (
        group.CoordinatorLoaded,
        group.CoordinatorResigned,
        group.GroupMemberJoined,
        group.GroupMemberLeft,
        group.GroupStateChanged,
        group.GroupGenerationBegan,
        group.GroupAssigned,
        group.GroupRequestRefused,
        group.OffsetCommitRefused,
        group.ConsumerGroupTargeted,
        group.ConsumerMemberReconciled,
        consumer.ConsumerRevoked,
    )
)
"""Kinds of events that may have rows."""
