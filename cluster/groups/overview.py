"""What administrators ask: describe, list and delete groups. Source: KIP-229, KIP-518."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cluster.coordination.led_partition import Asker
from cluster.coordination.writing import write
from cluster.groups.group_state import GroupState
from cluster.groups.kind import group_tombstones
from cluster.groups.offsets import bury, forget
from cluster.groups.records import offset_record
from cluster.groups.state import Group, Shard, Shared
from cluster.model.consumer_protocol import PROTOCOL_TYPE
from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.messages import DeleteGroupsResponse, ListGroupsRequest, ListGroupsResponse

CLASSIC, CONSUMER = "classic", "consumer"
"""Types of groups. Source: Kafka Group.GroupType."""
Described = tuple[tuple[int, str, str, str, str], list[tuple[str, str, str, str, str, bytes, bytes]]]


def describe(name: str, group: Group | None) -> Described:
    """The group and its members. One that is not known, or of the newer protocol, is Dead; subscriptions are told of a
    stable group only.
    """
    if group is None or group.consumer is not None:
        return (ErrorCode.NONE, name, str(GroupState.DEAD), "", ""), []
    is_stable = group.state is GroupState.STABLE
    members = [
        (
            name,
            item.member_id,
            item.instance_id,
            item.client_id,
            item.client_host,
            item.subscription(group.protocol) if is_stable else b"",
            item.assignment if is_stable else b"",
        )
        for item in group.members.values()
    ]
    protocol = group.protocol if is_stable else ""
    return (ErrorCode.NONE, name, str(group.state), group.protocol_type, protocol), members


def list_groups(shards: Iterable[Shard], request: ListGroupsRequest) -> ListGroupsResponse:
    """Groups of all partitions that are loaded; while one is not, the list may lack some, and says so."""
    error, listed = ErrorCode.NONE, []
    states = {state.lower() for state in request.states}
    types = {kind.lower() for kind in request.types}
    for shard in shards:
        if not shard.is_loaded:
            error = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
            continue
        for group in shard.groups.values():
            kind, protocol_type = CLASSIC, group.protocol_type
            if group.consumer is not None:
                kind, protocol_type = CONSUMER, PROTOCOL_TYPE
            if (states and str(group.state).lower() not in states) or (types and kind not in types):
                continue
            listed.append((group.name, protocol_type, str(group.state), kind))
    return ListGroupsResponse(error=error, groups=tuple(sorted(listed)))


def delete_groups(
    shared: Shared, groups: Iterable[tuple[str, Shard | None, ErrorCode]], asker: Asker, now_ms: int
) -> list[Effect]:
    """Forget empty groups with their offsets; the answer comes when all that can be deleted are.

    Args:
        groups: (name, shard, or None with the error why it is not served here) each.
    """
    results: dict[str, int] = {}
    waiting: set[str] = set()
    effects: list[Effect] = []

    def told() -> list[Effect]:
        response = DeleteGroupsResponse(groups=tuple(results.items()))
        return [] if waiting else [Send(asker.sender, response, asker.correlation)]

    for name, shard, error in groups:
        results[name] = error
        group = None if shard is None else shard.groups.get(name)
        if shard is None:
            continue
        if group is None:
            results[name] = ErrorCode.GROUP_ID_NOT_FOUND
        elif group.state is not GroupState.EMPTY or group.is_writing:
            results[name] = ErrorCode.NON_EMPTY_GROUP
        else:
            waiting.add(name)
            effects += _delete(shared, shard, group, _Done(name, results, waiting, told), now_ms)
    return [*effects, *told()]


class _Done:
    """One deletion has ended; the last one answers."""

    __slots__ = ("_name", "_results", "_told", "_waiting")

    def __init__(self, name: str, results: dict[str, int], waiting: set[str], told: Callable[[], list[Effect]]) -> None:
        self._name, self._results, self._waiting, self._told = name, results, waiting, told

    def __call__(self, error: ErrorCode, _now_ms: int) -> list[Effect]:
        self._results[self._name] = error
        self._waiting.discard(self._name)
        return self._told()


def _delete(shared: Shared, shard: Shard, group: Group, done: _Done, now_ms: int) -> list[Effect]:
    gone = list(group.offsets)
    records = [*(offset_record(group.name, where, None) for where in gone), *group_tombstones(group)]
    effects = bury(shard, group, "it was deleted", now_ms)
    return [*effects, *write(shared, shard, records, forget(group, gone, "group deleted"), done)]
