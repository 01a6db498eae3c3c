"""What each voter did in one step of its, in the order in which the specification counts it."""

from __future__ import annotations

from collections.abc import Sequence

from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, NodeId
from judges.specification.causal_order import Recording, asker

VOTES = (ev.VoteGranted, ev.VoteRejected)
_QUORUM = (
    ev.QuorumBooted, ev.RoleChanged, ev.ElectionStarted, *VOTES, ev.VoteReceived, ev.LeaderElected,
    ev.MetadataAppended, ev.MetadataTruncated, ev.MetadataDiverged, ev.MetadataHighWatermarkAdvanced,
)  # fmt: skip


def groups_of(recording: Recording, voters: Sequence[NodeId]) -> list[list[Entry]]:
    """What each voter did in one step of its, in the order in which it counts: a fetch where its leader answered."""
    groups: dict[EventId, list[Entry]] = {}
    own: dict[NodeId, list[Entry]] = {}
    for entry in recording.entries:
        event = entry.event
        own.setdefault(entry.node, []).append(entry)
        is_log = isinstance(event, ev.LogRecovered) and event.topic == METADATA.topic
        is_loss = isinstance(event, ev.PowerLost) or isinstance(event, ev.FaultApplied) and event.family == "disk"
        if is_loss or entry.node in voters and (is_log or isinstance(event, _QUORUM)):
            alone = is_loss or is_log or isinstance(event, ev.QuorumBooted)
            groups.setdefault(entry.id if alone else recording.handler(entry).id, []).append(entry)
    placed = []
    for name, group in groups.items():
        first = recording.get(name)
        assert first is not None
        at = group[-1] if first.trigger.startswith("Vote") else group[0]
        place, tie = recording.place(at), 0
        sender = asker(first, "FetchResponse")
        if sender is not None and sender in voters:
            now = recording.place(first)
            before = [one for one in own[sender] if one.lamport < first.lamport and recording.place(one) < now]
            mine = [one for one in own[first.node] if recording.place(one) < now and isinstance(one.event, _QUORUM)]
            if before:
                place, tie = max([recording.place(before[-1]), *(recording.place(one) for one in mine[-1:])]), 1
        placed.append((place, tie, recording.place(group[0]), name, group))
    return [group for *_, group in sorted(placed, key=lambda one: one[:4])]
