"""What the specifications make of the numbers of a controller's decision. Source: KIP-631, KIP-841, KIP-966."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cluster.invariants.ghost.ghost import Ghost
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, NodeId

BLOCK = 1_000
"""Producer ids in a block. Source: KIP-730."""
NEXT_STATES = {
    "starting": "recovery", "recovery": "running", "running": "pending_controlled_shutdown",
    "pending_controlled_shutdown": "shutting_down",
}  # fmt: skip
"""The way of a broker. Source: Kafka BrokerState."""


def _is_granted(entry: Entry) -> bool:
    assert entry.decision is not None
    return entry.decision.granted


def _unfenced(_ghost: Ghost, _entry: Entry, event: ev.BrokerUnfenced, numbers: Mapping[str, Any]) -> str:
    if numbers["metadata_offset"] >= numbers["registration_offset"]:
        return ""
    return f"broker {event.broker_id} comes into service before it has read its own registration"


def _leaves(_ghost: Ghost, _entry: Entry, event: ev.BrokerFenced, numbers: Mapping[str, Any]) -> str:
    """A broker that shuts down goes when it leads nothing, and all others have read of the moves.

    One that has just begun may ask to stay fenced, and is put in service before that arrives.
    """
    if numbers.get("asks to be fenced"):
        return ""
    moved_at = numbers.get("shutdown_offset", -1)
    is_early = numbers.get("lowest_active_offset", moved_at) < moved_at
    if not numbers["partitions_led"] and not is_early:
        return ""
    return f"broker {event.broker_id} may go while it leads {numbers['partitions_led']} partitions, or others ask it"


def _shuts_down(_ghost: Ghost, _entry: Entry, event: ev.ControlledShutdownBegun, numbers: Mapping[str, Any]) -> str:
    return "" if numbers["partitions_led"] else f"broker {event.broker_id} leads nothing and is made to wait"


def _expired(ghost: Ghost, _entry: Entry, event: ev.BrokerFenced, numbers: Mapping[str, Any]) -> str:
    timeout_ms = ghost.settings.get("broker_session_timeout_ms", numbers["session_timeout_ms"])
    if numbers["silence_ms"] > timeout_ms:
        return ""
    return f"broker {event.broker_id} is fenced after {numbers['silence_ms']} ms; its session lasts {timeout_ms} ms"


def _replaced(ghost: Ghost, entry: Entry, event: ev.BrokerFenced, numbers: Mapping[str, Any]) -> str:
    """One that was shutting down need not have been silent."""
    return "" if numbers.get("shuts down") else _expired(ghost, entry, event, numbers)


def _kept_out(ghost: Ghost, _entry: Entry, event: ev.RegistrationRefused, numbers: Mapping[str, Any]) -> str:
    timeout_ms = ghost.settings.get("broker_session_timeout_ms", numbers["session_timeout_ms"])
    if numbers["silence_ms"] <= timeout_ms and not numbers.get("shuts down"):
        return ""
    return f"broker {event.broker_id} is kept out for a session that is over"


def _allocated(_ghost: Ghost, _entry: Entry, event: ev.ProducerIdsAllocated, numbers: Mapping[str, Any]) -> str:
    if numbers["broker_epoch"] != numbers["registered_broker_epoch"]:
        return f"broker {event.broker_id} gets producer ids for an earlier life of it"
    if (event.producer_id_start, event.producer_id_count) != (numbers["next_producer_id"], BLOCK):
        return f"broker {event.broker_id} gets another block of producer ids than the next"
    return ""


def _altered(ghost: Ghost, _entry: Entry, event: ev.PartitionDecided, numbers: Mapping[str, Any]) -> str:
    if numbers["broker_id"] != numbers["partition_leader"]:
        return f"the ISR is changed by broker {numbers['broker_id']}, which does not lead"
    for what in ("leader_epoch", "partition_epoch"):
        if numbers[what] != numbers[f"known_{what}"]:
            return f"the ISR is changed in {what.replace('_', ' ')} {numbers[what]} of {numbers[f'known_{what}']}"
    if _has_arrived(event) and not ghost.is_zookeeper:
        return f"all of the target are in sync, and {list(event.removing_replicas)} stay"
    left = set(numbers.get("isr", ())) & set(event.replicas) - set(event.isr)
    is_below = len(event.isr) < event.min_insync_replicas and ghost.settings.get("elr", False)
    if is_below and not left <= set(event.elr):
        return f"{sorted(left)} leave an ISR that falls below its minimum, and the ELR is {list(event.elr)}"
    return ""


def _has_arrived(event: ev.PartitionDecided) -> bool:
    """Whether a reassignment goes on that has nothing left to wait for. Source: KIP-455."""
    staying = set(event.replicas) - set(event.removing_replicas)
    is_moving = event.adding_replicas or event.removing_replicas
    return bool(is_moving and staying) and staying <= set(event.isr)


def _created(_ghost: Ghost, _entry: Entry, event: ev.TopicCreated, numbers: Mapping[str, Any]) -> str:
    factor = numbers["replication_factor"]
    if event.partitions == numbers["partitions"] >= 1 and factor >= 1 and event.min_insync_replicas >= 1:
        return ""
    return f"a topic is made with {event.partitions} partitions of {factor} replicas"


def _first(ghost: Ghost, _entry: Entry, event: ev.PartitionDecided, numbers: Mapping[str, Any]) -> str:
    partitions, factor = ghost.made.get(event.topic, (0, 0))
    if event.partition < partitions and len(event.replicas) != factor:
        return f"a partition of a topic with {factor} replicas begins with {list(event.replicas)}"
    living = tuple(node for node in numbers["assignment"] if node in numbers["eligible"])
    if len(set(event.replicas)) != len(event.replicas):
        return f"a broker is named twice in {list(event.replicas)}"
    if event.leader == living[0] and set(event.isr) <= set(event.replicas) and event.leader_epoch == 0:
        return ""
    return f"the first leader is {event.leader}, of {list(living)} that are in service"


def _elected(ghost: Ghost, entry: Entry, event: ev.PartitionDecided, numbers: Mapping[str, Any]) -> str:
    """Who may lead without loss does, the leader before all others; else nobody, or somebody uncleanly.

    A reassignment that is cancelled may leave nobody of the ISR: who is made its one member then was none before.
    """
    members = numbers["isr"] or numbers["elr"]
    valid = [node for node in numbers["assignment"] if node in numbers["eligible"] and node in members]
    due = _best(valid, numbers)
    is_wrong = event.leader != numbers["leader"] or (event.leader != NO_NODE) is not _is_granted(entry)
    is_wrong = is_wrong or not _has_members(event, numbers)
    if due != NO_NODE:
        was_in_sync = due in (*ghost.partition(event.topic, event.partition).isr, *numbers["elr"])
        is_wrong = is_wrong or event.leader != due or (event.unclean and was_in_sync)
    elif event.leader != NO_NODE:
        is_wrong = is_wrong or not event.unclean or event.leader not in numbers["eligible"]
        if numbers["election"] != "unclean":
            is_wrong = is_wrong or bool(members) or event.leader != numbers.get("last_known_leader", event.leader)
    else:
        is_wrong = is_wrong or (not members and numbers.get("last_known_leader") in numbers["eligible"])
    if is_wrong:
        return f"{event.leader} is elected, with ISR {list(event.isr)}, where {due} may lead without loss"
    return ""


def _has_members(event: ev.PartitionDecided, numbers: Mapping[str, Any]) -> bool:
    """Who is elected from the ISR keeps its other members; who is not begins it anew. Source: KIP-966."""
    if event.leader == NO_NODE:
        return True
    is_member = event.leader in numbers["isr"] and not event.unclean
    due = set(numbers["isr"]) & set(event.replicas) if is_member else {event.leader}
    return set(event.isr) == due


def _best(valid: list[NodeId], numbers: Mapping[str, Any]) -> NodeId:
    preferred = numbers["assignment"][0]
    if numbers["election"] == "preferred" and preferred in valid:
        return int(preferred)
    if numbers["leader_before"] in valid:
        return int(numbers["leader_before"])
    return valid[0] if valid else NO_NODE


def _moved(_ghost: Ghost, entry: Entry, event: ev.ReassignmentEnded, numbers: Mapping[str, Any]) -> str:
    """A reassignment is done when all of the target are in sync, and not before. Source: KIP-455."""
    if not numbers.get("adding") and not numbers.get("removing"):
        return f"a reassignment ends on {list(event.replicas)}, and none was under way"
    missing = sorted(set(numbers["target"]) - set(numbers["isr"]))
    stays = set(numbers["target"]) & set(numbers["removing"])
    if not missing and not stays and _is_granted(entry) and set(event.replicas) == set(numbers["target"]):
        return ""
    return f"a reassignment to {numbers['target']} ends on {list(event.replicas)}, with {missing} not in sync"


def _elected_by_majority(_ghost: Ghost, entry: Entry, event: ev.PartitionDecided, numbers: Mapping[str, Any]) -> str:
    needed = 1 if event.unclean else numbers["replicas"] // 2 + 1
    nodes = [int(name.rpartition(" ")[2]) for name in numbers if name.startswith("log_end_offset of ")]
    logs = {node: (numbers[f"adopted_epoch of {node}"], numbers[f"log_end_offset of {node}"]) for node in nodes}
    is_due = len(nodes) >= needed
    is_wrong = is_due is not _is_granted(entry) or (event.leader != NO_NODE) is not is_due
    if is_wrong or (is_due and logs[event.leader] != max(logs.values())):
        return f"{event.leader} is elected of {sorted(nodes)}, where {needed} have to tell where their logs end"
    return ""


def _goes_on(_ghost: Ghost, _entry: Entry, event: ev.BrokerStateChanged, numbers: Mapping[str, Any]) -> str:
    if NEXT_STATES[numbers["state"]] == event.state:
        return ""
    return f"a broker that is {numbers['state']} becomes {event.state}"


_UNKNOWN = {
    ErrorCode.STALE_BROKER_EPOCH: ("registered_broker_epoch", "broker_epoch"),
    ErrorCode.UNKNOWN_TOPIC_ID: ("known_topic_id", "topic_id"),
}
"""What is known and what was asked with, where these differ."""


def _not_altered(_ghost: Ghost, _entry: Entry, event: ev.AlterPartitionRefused, numbers: Mapping[str, Any]) -> str:
    """The first check that fails names the error. Source: ReplicationControlManager.validateAlterPartitionData."""
    if event.error in _UNKNOWN:
        known, asked = _UNKNOWN[ErrorCode(event.error)]
        if known in numbers and numbers[known] != numbers[asked]:
            return ""
        return f"broker {event.broker_id} is told that it, or its topic, is another one"
    leader_epochs = numbers["leader_epoch"] - numbers["known_leader_epoch"]
    partition_epochs = numbers["partition_epoch"] - numbers["known_partition_epoch"]
    if leader_epochs > 0 or partition_epochs > 0:
        fits = event.error == ErrorCode.NOT_CONTROLLER
    elif leader_epochs < 0:
        fits = event.error == ErrorCode.FENCED_LEADER_EPOCH
    elif numbers["broker_id"] != numbers["partition_leader"]:
        fits = event.error == ErrorCode.INVALID_REQUEST
    elif partition_epochs < 0:
        fits = event.error == ErrorCode.INVALID_UPDATE_VERSION
    else:
        fits = event.error in (ErrorCode.INVALID_REQUEST, ErrorCode.INELIGIBLE_REPLICA)
    if fits:
        return ""
    return f"broker {event.broker_id} is told error {event.error} of an ISR that it proposes, and the cause is another"


def _registered(ghost: Ghost, _entry: Entry, event: ev.BrokerRegistered, numbers: Mapping[str, Any]) -> str:
    timeout_ms = ghost.settings.get("broker_session_timeout_ms", numbers.get("session_timeout_ms", 0))
    is_early = numbers.get("silence_ms", timeout_ms + 1) <= timeout_ms
    if not is_early and event.broker_epoch >= numbers.get("known_broker_epoch", -1):
        return ""
    return f"broker {event.broker_id} comes back while its last life still has a session, or with an older epoch"


def _moves(_ghost: Ghost, _entry: Entry, event: ev.ReassignmentBegun, numbers: Mapping[str, Any]) -> str:
    """Where nobody comes, or nobody leaves, those of an older target stay in question. Source: KIP-455."""
    told = list(event.adding_replicas), list(event.removing_replicas)
    if numbers["replicas"] == numbers["target"] and not any(told):
        return f"a move to {numbers['target']} begins, where the partition is"
    coming, leaving = (sorted(one) for one in _apart(numbers["target"], numbers["replicas"]))
    is_due = (coming or told[0], leaving or told[1]) == told == (numbers["adding"], numbers["removing"])
    if list(event.replicas) == numbers["target"] and is_due:
        return ""
    return f"a move to {numbers['target']} begins on {list(event.replicas)}"


def _apart(one: Iterable[NodeId], other: Iterable[NodeId]) -> tuple[set[NodeId], set[NodeId]]:
    """Who is in the first alone, and who in the second."""
    return set(one) - set(other), set(other) - set(one)


def _moved_back(_ghost: Ghost, _entry: Entry, event: ev.ReassignmentEnded, numbers: Mapping[str, Any]) -> str:
    if event.how == "cancelled" and not set(event.replicas) & set(numbers["adding"]):
        return ""
    return f"a move that is cancelled leaves {list(event.replicas)}, with {numbers['adding']} that came for it"


JUDGES: dict[tuple[type, str], Callable[..., str]] = {
    (ev.BrokerUnfenced, "next_broker_state"): _unfenced,
    (ev.BrokerFenced, "next_broker_state"): _leaves,
    (ev.ControlledShutdownBegun, "next_broker_state"): _shuts_down,
    (ev.BrokerFenced, "session_expired"): _expired,
    (ev.BrokerFenced, "may_register"): _replaced,
    (ev.RegistrationRefused, "may_register"): _kept_out,
    (ev.ProducerIdsAllocated, "allocate_producer_ids"): _allocated,
    (ev.PartitionDecided, "alter_partition"): _altered,
    (ev.TopicCreated, "create_topic"): _created,
    (ev.PartitionDecided, "first_state"): _first,
    (ev.PartitionDecided, "elect_leader"): _elected,
    (ev.ReassignmentEnded, "complete_reassignment"): _moved,
    (ev.PartitionDecided, "elect_by_majority"): _elected_by_majority,
    (ev.BrokerStateChanged, "next_lifecycle_state"): _goes_on,
    (ev.AlterPartitionRefused, "alter_partition"): _not_altered,
    (ev.BrokerRegistered, "may_register"): _registered,
    (ev.ReassignmentBegun, "begin_reassignment"): _moves,
    (ev.ReassignmentEnded, "revert_reassignment"): _moved_back,
}
"""By class of event and name of the rule."""
NO = {(ev.RegistrationRefused, "may_register"), (ev.AlterPartitionRefused, "alter_partition")}
"""What is told when a rule has said no; all others tell of a yes."""
EITHER = {
    (ev.PartitionDecided, "elect_leader"),
    (ev.PartitionDecided, "elect_by_majority"),
    (ev.ReassignmentEnded, "revert_reassignment"),
}
"""What may be told either way: a move that cannot be called off without loss is, where elections may be unclean."""
