"""What the specifications make of the numbers of a decision in ZooKeeper's era. Source: ZooKeeper paper 2, KIP-380."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cluster.invariants.ghost.ghost import Ghost
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE
from cluster.model.messages.zookeeper import ZooKeeperCode

NONE = -1
"""No version, and no broker epoch: who names it asks for none."""


def _is_old(numbers: Mapping[str, Any]) -> bool:
    """Whether a controller that was replaced asks, or one that means an earlier life of the broker."""
    broker_epoch = numbers["broker_epoch"]
    is_earlier = broker_epoch != NONE and broker_epoch < numbers["own_broker_epoch"]
    return bool(numbers["controller_epoch"] < numbers["known_controller_epoch"] or is_earlier)


def _obeyed(_ghost: Ghost, _entry: Entry, event: ev.PushObeyed, numbers: Mapping[str, Any]) -> str:
    return (
        f"obeys controller {event.controller_id}, which is replaced or means another life" if _is_old(numbers) else ""
    )


def _not_obeyed(_ghost: Ghost, _entry: Entry, event: ev.PushRefused, numbers: Mapping[str, Any]) -> str:
    return "" if _is_old(numbers) else f"refuses controller {event.controller_id}, and nothing newer is known"


def _looked(_ghost: Ghost, entry: Entry, event: ev.BrokersFound, numbers: Mapping[str, Any]) -> str:
    assert entry.decision is not None
    known, alive = set(numbers["known"]), set(numbers["alive"])
    found = set(event.new), set(event.dead)
    is_any = bool(event.new or event.dead or event.bounced)
    before, now = (dict(zip(numbers[what], numbers[f"{what} epochs"], strict=True)) for what in ("known", "alive"))
    bounced = tuple(node for node in sorted(known & alive) if before[node] != now[node])
    if found == (alive - known, known - alive) and event.bounced in (bounced, ()):
        return "" if entry.decision.granted is is_any else "tells of another answer than its rule gave"
    return f"finds {sorted(found[0])} new and {sorted(found[1])} gone, where {sorted(alive)} follow {sorted(known)}"


def _expired(_ghost: Ghost, _entry: Entry, event: ev.SessionEnded, numbers: Mapping[str, Any]) -> str:
    silence_ms, timeout_ms = numbers["silence_ms"], numbers["zookeeper.session.timeout.ms"]
    if silence_ms >= timeout_ms:
        return ""
    return f"session {event.session_id} ends after {silence_ms} ms of silence; it lasts {timeout_ms} ms"


def _not_changed(_ghost: Ghost, _entry: Entry, event: ev.ZNodeRefused, numbers: Mapping[str, Any]) -> str:
    version, expected = numbers["version"], numbers["expected_version"]
    causes = {
        ZooKeeperCode.NO_NODE: version == NONE,
        ZooKeeperCode.BAD_VERSION: version != NONE and expected not in (NONE, version),
        ZooKeeperCode.NOT_EMPTY: event.kind == "delete",
    }
    if causes.get(ZooKeeperCode(event.error)):
        return ""
    return f"{event.path} in version {version} is not changed from {expected}: error {event.error}"


def _shrunk(_ghost: Ghost, _entry: Entry, event: ev.PartitionDecided, numbers: Mapping[str, Any]) -> str:
    """Who is gone leaves, but for the last; a leader that is gone leads no more, and each change has its own epoch."""
    isr, gone = numbers["isr"], numbers["gone"]
    due = [node for node in isr if node not in gone] or isr[:1]
    leader = NO_NODE if numbers["leader"] in gone else numbers["leader"]
    if list(event.isr) != due or event.leader != leader:
        return f"the ISR {isr} without {gone} becomes {list(event.isr)}, led by {event.leader}"
    if event.leader_epoch != numbers["known_leader_epoch"] + 1:
        return f"an ISR shrinks in leader epoch {event.leader_epoch} after {numbers['known_leader_epoch']}"
    return ""


JUDGES: dict[tuple[type, str], Callable[..., str]] = {
    (ev.PushObeyed, "obey_controller"): _obeyed,
    (ev.PushRefused, "obey_controller"): _not_obeyed,
    (ev.BrokersFound, "compare_brokers"): _looked,
    (ev.SessionEnded, "expire_session"): _expired,
    (ev.ZNodeRefused, "change_znode"): _not_changed,
    (ev.PartitionDecided, "shrink_without"): _shrunk,
}
"""By class of event and name of the rule."""
NO = {(ev.PushRefused, "obey_controller"), (ev.ZNodeRefused, "change_znode")}
"""What is told when a rule has said no; all others tell of a yes."""
EITHER = {(ev.BrokersFound, "compare_brokers")}
"""What may be told either way."""
