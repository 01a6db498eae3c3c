"""Consumer groups: their coordinators, members, generations and offsets, and the built-in members."""

from __future__ import annotations

from cluster.model.events import consumer, group
from workbench.support.safe_text import safe_text
from workbench.telling.telling import BAD, DECIDE, DIM, GOOD, INFO, WARN, Cell, Printed, Telling
from workbench.telling.template import fill
from workbench.telling.words import log_name, log_names

SHOWN = 4
MEMBER = "group {group}: {member_id:{}/nobody}{instance_id: (static {})/}"


def _offsets(e: group.OffsetsCommitted | consumer.ConsumerCommitted) -> str:
    shown = [f"{log_name((topic, partition))}@{offset}" for topic, partition, offset in e.offsets[:SHOWN]]
    return ", ".join(shown) + (f" and {len(e.offsets) - SHOWN} more" if len(e.offsets) > SHOWN else "")


def _assigned(e: group.GroupAssigned) -> str:
    parts: dict[str, list[tuple[str, int]]] = {}
    for member, topic, partition in e.assignments:
        parts.setdefault(member, []).append((topic, partition))
    shown = "; ".join(f"{_name(member)}: {log_names(owned)}" for member, owned in list(parts.items())[:SHOWN])
    return fill("group {group} generation {generation} assigned by {protocol}: ", e) + (shown or "nothing")


def _name(text: str) -> str:
    return safe_text(text, 40) or "nobody"


def _committed(e: consumer.ConsumerCommitted) -> str:
    if e.error:
        return fill("{client_id} could not commit {offsets_of}: {error}", e, {"offsets_of": _offsets(e)})
    return fill("{client_id} has committed ", e) + _offsets(e)


TELLINGS: dict[type, Telling] = {
    group.CoordinatorLoaded: Printed(
        GOOD,
        "coordinates groups of __consumer_offsets-{partition}: {groups:group}, {offsets:offset}, "
        "log read below {end_offset}",
    ),
    group.CoordinatorResigned: Printed(
        WARN, "coordinates __consumer_offsets-{partition} no more, forgets {groups:group}"
    ),
    group.GroupMemberJoined: Printed(INFO, MEMBER + " joins"),
    group.GroupMemberLeft: Printed(WARN, MEMBER + " is out, {why}"),
    group.GroupStateChanged: Printed(
        INFO, "group {group}: {before} -> {state}, generation {generation}, {members:member}: {why}"
    ),
    group.GroupGenerationBegan: Telling(
        INFO,
        "group {group} begins generation {generation} with {members:member}, leader {leader:{}/nobody}, "
        "{protocol:{}/nobody}",
        cell=Cell(DECIDE, "rebalance", "group generation"),
        mark="R",
    ),
    group.GroupAssigned: Printed(GOOD, _assigned),
    group.GroupRequestRefused: Telling(WARN, "group {group} refuses {function} of {member_id:{}/nobody}: {error}"),
    group.OffsetsCommitted: Telling(DIM, lambda e: fill("group {group} has committed ", e) + _offsets(e)),
    group.OffsetCommitRefused: Printed(
        BAD, "group {group} refuses a commit of {member_id:{}/nobody} in generation {generation}: {error}"
    ),
    group.OffsetsForgotten: Printed(WARN, "group {group} forgets offsets of {partitions:logs}: {why}"),
    group.ConsumerGroupLoaded: Printed(
        GOOD,
        "knows group {group} from its log: group epoch {group_epoch}, target of epoch {target_epoch}, "
        "{members:member} of the newer protocol",
    ),
    group.ConsumerGroupTargeted: Printed(
        INFO,
        "group {group} has a target assignment for epoch {group_epoch}, by {assignor:{}/nobody}: "
        "{assignments:partition} for {members:member}",
        cell=Cell(DECIDE, "rebalance", "group group_epoch"),
        mark="R",
    ),
    group.ConsumerMemberReconciled: Printed(
        GOOD,
        lambda e: fill(
            "group {group}: {member_id} is in epoch {member_epoch}, may have {assigned:logs}"
            + ", has to give up {revoking:logs}" * bool(e.revoking)
            + ", waits for what others have yet to give up" * (e.state == "unreleased_partitions"),
            e,
        ),
    ),
    consumer.ConsumerAssigned: Printed(GOOD, "{client_id} owns {owned:logs} in generation {generation}"),
    consumer.ConsumerRevoked: Printed(WARN, "{client_id} {is_lost:has lost/gives up} {revoked:logs}"),
    consumer.ConsumerPositioned: Telling(DIM, "{client_id} begins {log} at {offset} ({why})"),
    consumer.ConsumerPolled: Telling(DIM, "{client_id} reads {log} offset {offsets}"),
    consumer.ConsumerCommitted: Telling(INFO, _committed),
    consumer.ConsumerEnded: Printed(WARN, "{client_id} is gone from group {group}: {how}"),
}
