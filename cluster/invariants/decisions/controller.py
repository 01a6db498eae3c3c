"""What the specifications make of the numbers of a controller's decision. Source: KIP-631, KIP-841, KIP-966."""

from __future__ import annotations

from collections.abc import Iterable

from cluster.invariants.decisions.audit import Compared, Decisions, either, no, yes
from cluster.invariants.group import invariant
from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, NodeId

BLOCK = 1_000
"""Producer ids in a block. Source: KIP-730."""
NEXT_STATES = {
    "starting": "recovery", "recovery": "running", "running": "pending_controlled_shutdown",
    "pending_controlled_shutdown": "shutting_down",
}  # fmt: skip
"""The way of a broker. Source: Kafka BrokerState."""


def _has_arrived(event: ev.PartitionDecided) -> bool:
    """Whether a reassignment goes on that has nothing left to wait for. Source: KIP-455."""
    staying = set(event.replicas) - set(event.removing_replicas)
    is_moving = event.adding_replicas or event.removing_replicas
    return bool(is_moving and staying) and staying <= set(event.isr)


def _has_members(event: ev.PartitionDecided, numbers: Compared) -> bool:
    """Who is elected from the ISR keeps its other members; who is not begins it anew. Source: KIP-966."""
    if event.leader == NO_NODE:
        return True
    is_member = event.leader in numbers["isr"] and not event.unclean
    due = set(numbers["isr"]) & set(event.replicas) if is_member else {event.leader}
    return set(event.isr) == due


def _best(valid: list[NodeId], numbers: Compared) -> NodeId:
    preferred = numbers["assignment"][0]
    if numbers["election"] == "preferred" and preferred in valid:
        return int(preferred)
    if numbers["leader_before"] in valid:
        return int(numbers["leader_before"])
    return valid[0] if valid else NO_NODE


_UNKNOWN = {
    ErrorCode.STALE_BROKER_EPOCH: ("registered_broker_epoch", "broker_epoch"),
    ErrorCode.UNKNOWN_TOPIC_ID: ("known_topic_id", "topic_id"),
}
"""What is known and what was asked with, where these differ."""


def _apart(one: Iterable[NodeId], other: Iterable[NodeId]) -> tuple[set[NodeId], set[NodeId]]:
    """Who is in the first alone, and who in the second."""
    return set(one) - set(other), set(other) - set(one)


class ControllerDecisions(Decisions):
    """Asked of each event that carries such a decision."""

    P41 = invariant("what the controller decides follows from what was compared", "KIP-631, KIP-841, KIP-966")

    @yes("next_broker_state")
    def _unfenced(self, event: ev.BrokerUnfenced, numbers: Compared) -> str:
        if numbers["metadata_offset"] >= numbers["registration_offset"]:
            return ""
        return f"broker {event.broker_id} comes into service before it has read its own registration"

    @yes("next_broker_state")
    def _leaves(self, event: ev.BrokerFenced, numbers: Compared) -> str:
        """A broker that shuts down goes when it leads nothing, and all others have read of the moves.

        One that has just begun may ask to stay fenced, and is put in service before that arrives.
        """
        if numbers.get("asks to be fenced"):
            return ""
        moved_at = numbers.get("shutdown_offset", -1)
        is_early = numbers.get("lowest_active_offset", moved_at) < moved_at
        if not numbers["partitions_led"] and not is_early:
            return ""
        return (
            f"broker {event.broker_id} may go while it leads {numbers['partitions_led']} partitions, or others ask it"
        )

    @yes("next_broker_state")
    def _shuts_down(self, event: ev.ControlledShutdownBegun, numbers: Compared) -> str:
        return "" if numbers["partitions_led"] else f"broker {event.broker_id} leads nothing and is made to wait"

    @yes("session_expired")
    def _expired(self, event: ev.BrokerFenced, numbers: Compared) -> str:
        timeout_ms = self.ghost.settings.get("broker_session_timeout_ms", numbers["session_timeout_ms"])
        if numbers["silence_ms"] > timeout_ms:
            return ""
        return f"broker {event.broker_id} is fenced after {numbers['silence_ms']} ms; its session lasts {timeout_ms} ms"

    @yes("may_register")
    def _replaced(self, event: ev.BrokerFenced, numbers: Compared) -> str:
        """One that was shutting down need not have been silent."""
        return "" if numbers.get("shuts down") else self._expired(event, numbers)

    @no("may_register")
    def _kept_out(self, event: ev.RegistrationRefused, numbers: Compared) -> str:
        timeout_ms = self.ghost.settings.get("broker_session_timeout_ms", numbers["session_timeout_ms"])
        if numbers["silence_ms"] <= timeout_ms and not numbers.get("shuts down"):
            return ""
        return f"broker {event.broker_id} is kept out for a session that is over"

    @yes("allocate_producer_ids")
    def _allocated(self, event: ev.ProducerIdsAllocated, numbers: Compared) -> str:
        if numbers["broker_epoch"] != numbers["registered_broker_epoch"]:
            return f"broker {event.broker_id} gets producer ids for an earlier life of it"
        if (event.producer_id_start, event.producer_id_count) != (numbers["next_producer_id"], BLOCK):
            return f"broker {event.broker_id} gets another block of producer ids than the next"
        return ""

    @yes("alter_partition")
    def _altered(self, event: ev.PartitionDecided, numbers: Compared) -> str:
        if numbers["broker_id"] != numbers["partition_leader"]:
            return f"the ISR is changed by broker {numbers['broker_id']}, which does not lead"
        for what in ("leader_epoch", "partition_epoch"):
            if numbers[what] != numbers[f"known_{what}"]:
                return f"the ISR is changed in {what.replace('_', ' ')} {numbers[what]} of {numbers[f'known_{what}']}"
        if _has_arrived(event) and not self.ghost.is_zookeeper:
            return f"all of the target are in sync, and {list(event.removing_replicas)} stay"
        left = set(numbers.get("isr", ())) & set(event.replicas) - set(event.isr)
        is_below = len(event.isr) < event.min_insync_replicas and self.ghost.settings.get("elr", False)
        if is_below and not left <= set(event.elr):
            return f"{sorted(left)} leave an ISR that falls below its minimum, and the ELR is {list(event.elr)}"
        return ""

    @yes("create_topic")
    def _created(self, event: ev.TopicCreated, numbers: Compared) -> str:
        factor = numbers["replication_factor"]
        if event.partitions == numbers["partitions"] >= 1 and factor >= 1 and event.min_insync_replicas >= 1:
            return ""
        return f"a topic is made with {event.partitions} partitions of {factor} replicas"

    @yes("first_state")
    def _first(self, event: ev.PartitionDecided, numbers: Compared) -> str:
        partitions, factor = self.ghost.made.get(event.topic, (0, 0))
        if event.partition < partitions and len(event.replicas) != factor:
            return f"a partition of a topic with {factor} replicas begins with {list(event.replicas)}"
        living = tuple(node for node in numbers["assignment"] if node in numbers["eligible"])
        if len(set(event.replicas)) != len(event.replicas):
            return f"a broker is named twice in {list(event.replicas)}"
        if event.leader == living[0] and set(event.isr) <= set(event.replicas) and event.leader_epoch == 0:
            return ""
        return f"the first leader is {event.leader}, of {list(living)} that are in service"

    @either("elect_leader")
    def _elected(self, event: ev.PartitionDecided, numbers: Compared) -> str:
        """Who may lead without loss does, the leader before all others; else nobody, or somebody uncleanly.

        A reassignment that is cancelled may leave nobody of the ISR: who is made its one member then was none before.
        """
        members = numbers["isr"] or numbers["elr"]
        valid = [node for node in numbers["assignment"] if node in numbers["eligible"] and node in members]
        due = _best(valid, numbers)
        is_wrong = event.leader != numbers["leader"] or (event.leader != NO_NODE) is not numbers.granted
        is_wrong = is_wrong or not _has_members(event, numbers)
        if due != NO_NODE:
            was_in_sync = due in (*self.ghost.here.isr, *numbers["elr"])
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

    @yes("complete_reassignment")
    def _moved(self, event: ev.ReassignmentEnded, numbers: Compared) -> str:
        """A reassignment is done when all of the target are in sync, and not before. Source: KIP-455."""
        if not numbers.get("adding") and not numbers.get("removing"):
            return f"a reassignment ends on {list(event.replicas)}, and none was under way"
        missing = sorted(set(numbers["target"]) - set(numbers["isr"]))
        stays = set(numbers["target"]) & set(numbers["removing"])
        if not missing and not stays and numbers.granted and set(event.replicas) == set(numbers["target"]):
            return ""
        return f"a reassignment to {numbers['target']} ends on {list(event.replicas)}, with {missing} not in sync"

    @either("elect_by_majority")
    def _elected_by_majority(self, event: ev.PartitionDecided, numbers: Compared) -> str:
        needed = 1 if event.unclean else numbers["replicas"] // 2 + 1
        nodes = [int(name.rpartition(" ")[2]) for name in numbers if name.startswith("log_end_offset of ")]
        logs = {node: (numbers[f"adopted_epoch of {node}"], numbers[f"log_end_offset of {node}"]) for node in nodes}
        is_due = len(nodes) >= needed
        is_wrong = is_due is not numbers.granted or (event.leader != NO_NODE) is not is_due
        if is_wrong or (is_due and logs[event.leader] != max(logs.values())):
            return f"{event.leader} is elected of {sorted(nodes)}, where {needed} have to tell where their logs end"
        return ""

    @no("leads_on")
    def _deposed(self, event: ev.PartitionDecided, numbers: Compared) -> str:
        is_short = numbers["in_service"] <= numbers["replicas"] // 2
        if event.leader == NO_NODE and (numbers["leader"] == numbers["leaving"] or is_short):
            return ""
        return f"{numbers['leader']} leads no more, with {numbers['in_service']} of {numbers['replicas']} in service"

    @yes("next_lifecycle_state")
    def _goes_on(self, event: ev.BrokerStateChanged, numbers: Compared) -> str:
        if NEXT_STATES[numbers["state"]] == event.state:
            return ""
        return f"a broker that is {numbers['state']} becomes {event.state}"

    @no("alter_partition")
    def _not_altered(self, event: ev.AlterPartitionRefused, numbers: Compared) -> str:
        """The first check that fails names the error. Source: ReplicationControlManager.validateAlterPartitionData."""
        if event.error in _UNKNOWN:
            registered, asked = _UNKNOWN[ErrorCode(event.error)]
            if registered in numbers and numbers[registered] != numbers[asked]:
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
        return (
            f"broker {event.broker_id} is told error {event.error} of an ISR that it proposes, and the cause is another"
        )

    @yes("may_register")
    def _registered(self, event: ev.BrokerRegistered, numbers: Compared) -> str:
        timeout_ms = self.ghost.settings.get("broker_session_timeout_ms", numbers.get("session_timeout_ms", 0))
        is_early = numbers.get("silence_ms", timeout_ms + 1) <= timeout_ms
        if not is_early and event.broker_epoch >= numbers.get("known_broker_epoch", -1):
            return ""
        return f"broker {event.broker_id} comes back while its last life still has a session, or with an older epoch"

    @yes("begin_reassignment")
    def _moves(self, event: ev.ReassignmentBegun, numbers: Compared) -> str:
        """Where nobody comes, or nobody leaves, those of an older target stay in question. Source: KIP-455."""
        moves = list(event.adding_replicas), list(event.removing_replicas)
        if numbers["replicas"] == numbers["target"] and not any(moves):
            return f"a move to {numbers['target']} begins, where the partition is"
        coming, leaving = (sorted(one) for one in _apart(numbers["target"], numbers["replicas"]))
        is_due = (coming or moves[0], leaving or moves[1]) == moves == (numbers["adding"], numbers["removing"])
        if list(event.replicas) == numbers["target"] and is_due:
            return ""
        return f"a move to {numbers['target']} begins on {list(event.replicas)}"

    @either("revert_reassignment")
    def _moved_back(self, event: ev.ReassignmentEnded, numbers: Compared) -> str:
        if event.how == "cancelled" and not set(event.replicas) & set(numbers["adding"]):
            return ""
        return f"a move that is cancelled leaves {list(event.replicas)}, with {numbers['adding']} that came for it"
