"""What the specifications make of the numbers of a decision in ZooKeeper's era. Source: ZooKeeper paper 2, KIP-380."""

from __future__ import annotations

from cluster.invariants.decisions.audit import Compared, Decisions, either, no, yes
from cluster.invariants.group import invariant
from cluster.model import events as ev
from cluster.model.identifiers import NO_NODE
from cluster.model.messages.zookeeper import ZooKeeperCode

NONE = -1
"""No version, and no broker epoch: who names it asks for none."""


def _is_old(numbers: Compared) -> bool:
    """Whether a controller that was replaced asks, or one that means an earlier life of the broker."""
    broker_epoch = numbers["broker_epoch"]
    is_earlier = broker_epoch != NONE and broker_epoch < numbers["own_broker_epoch"]
    return bool(numbers["controller_epoch"] < numbers["known_controller_epoch"] or is_earlier)


class ZooKeeperDecisions(Decisions):
    """Asked of each event that carries such a decision."""

    Z8 = invariant("what is decided in ZooKeeper's era follows from what was compared", "ZooKeeper paper, KIP-380")

    @yes("obey_controller")
    def _obeyed(self, event: ev.PushObeyed, numbers: Compared) -> str:
        return (
            f"obeys controller {event.controller_id}, which is replaced or means another life"
            if _is_old(numbers)
            else ""
        )

    @no("obey_controller")
    def _not_obeyed(self, event: ev.PushRefused, numbers: Compared) -> str:
        return "" if _is_old(numbers) else f"refuses controller {event.controller_id}, and nothing newer is known"

    @either("compare_brokers")
    def _looked(self, event: ev.BrokersFound, numbers: Compared) -> str:
        in_image, alive = set(numbers["known"]), set(numbers["alive"])
        differences = set(event.new), set(event.dead)
        is_any = bool(event.new or event.dead or event.bounced)
        before, now = (dict(zip(numbers[what], numbers[f"{what} epochs"], strict=True)) for what in ("known", "alive"))
        bounced = tuple(node for node in sorted(in_image & alive) if before[node] != now[node])
        if differences == (alive - in_image, in_image - alive) and event.bounced in (bounced, ()):
            return "" if numbers.granted is is_any else "tells of another answer than its rule gave"
        new, gone = map(sorted, differences)
        return f"finds {new} new and {gone} gone, where {sorted(alive)} follow {sorted(in_image)}"

    @yes("expire_session")
    def _expired(self, event: ev.SessionEnded, numbers: Compared) -> str:
        silence_ms, timeout_ms = numbers["silence_ms"], numbers["zookeeper.session.timeout.ms"]
        if silence_ms >= timeout_ms:
            return ""
        return f"session {event.session_id} ends after {silence_ms} ms of silence; it lasts {timeout_ms} ms"

    @no("change_znode")
    def _not_changed(self, event: ev.ZNodeRefused, numbers: Compared) -> str:
        version, expected = numbers["version"], numbers["expected_version"]
        causes = {
            ZooKeeperCode.NO_NODE: version == NONE,
            ZooKeeperCode.BAD_VERSION: version != NONE and expected not in (NONE, version),
            ZooKeeperCode.NOT_EMPTY: event.kind == "delete",
        }
        if causes.get(ZooKeeperCode(event.error)):
            return ""
        return f"{event.path} in version {version} is not changed from {expected}: error {event.error}"

    @yes("shrink_without")
    def _shrunk(self, event: ev.PartitionDecided, numbers: Compared) -> str:
        """Who is gone leaves, but for the last; a leader that is gone leads no more. Each change has its own epoch."""
        isr, gone = numbers["isr"], numbers["gone"]
        due = [node for node in isr if node not in gone] or isr[:1]
        leader = NO_NODE if numbers["leader"] in gone else numbers["leader"]
        if list(event.isr) != due or event.leader != leader:
            return f"the ISR {isr} without {gone} becomes {list(event.isr)}, led by {event.leader}"
        if event.leader_epoch != numbers["known_leader_epoch"] + 1:
            return f"an ISR shrinks in leader epoch {event.leader_epoch} after {numbers['known_leader_epoch']}"
        return ""
