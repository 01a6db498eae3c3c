"""Bugs of ZooKeeper's era: of the coordinator, of controllers that race, of brokers that obey."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.model.errors import ErrorCode
from cluster.model.messages import ZooKeeperCode
from cluster.zookeeper import broker_side, controller_election, coordinator, isr_writer, tree
from cluster.zookeeper.context import ControllerContext
from cluster.zookeeper.coordinator import Coordinator
from cluster.zookeeper.tree import Tree
from tests.support.bugs.planted import PlantedBug
from workbench.challenges.bugs.planted_bug import answering


def _obeys_anybody(obey_controller: Any) -> Any:
    return answering(obey_controller, ErrorCode.NONE, granted=True)


def _looks_at_no_version(change_znode: Any) -> Any:
    def change(kind: str, version: int | None, _expected: int, *, has_children: bool) -> Any:
        return change_znode(kind, version, -1 if version is None else version, has_children=has_children)

    assert change_znode("set", 3, 2, has_children=False).value == ZooKeeperCode.BAD_VERSION
    return change


def _keeps_ephemerals(_owned_by: Any) -> Any:
    return lambda _tree, _session_id: ()


def _leaves_watches_silent(fire: Any) -> Any:
    """Who watches the names below a znode is told nothing."""

    def told(of: Any, watch: Any, kind: str) -> None:
        if not watch[1]:
            fire(of, watch, kind)

    return told


def _writes_another_isr(encode_state: Any) -> Any:
    """A leader leaves the last member out of what it writes, and keeps it in what it goes by."""
    return lambda state, controller_epoch: encode_state(replace(state, isr=state.isr[:-1]), controller_epoch)


def _keeps_the_leader_epoch(elect: Any) -> Any:
    def chosen(context: Any, *given: Any, **named: Any) -> Any:
        wanted = elect(context, *given, **named)
        if wanted is None:
            return None
        return replace(wanted, state=replace(wanted.state, leader_epoch=wanted.state.leader_epoch - 1))

    return chosen


def _counts_from_one(_epoch_of: Any) -> Any:
    return lambda _data: 0


def _ends_sessions_early(expire_session: Any) -> Any:
    return answering(expire_session, value=True, granted=True)


def _bug(name: str, what: str, breaks: set[str], place: Any, attribute: str, change: Any, *seeds: int) -> PlantedBug:
    return PlantedBug(name, "zookeeper", what, frozenset(breaks), ((place, attribute, change),), seeds)


ZOOKEEPER_BUGS = (
    _bug("looks-at-no-version", "znodes are written in whatever version", {"Z7"},
         tree, "change_znode", _looks_at_no_version, 83),
    _bug("keeps-ephemerals", "ephemeral znodes outlive their session", {"Z3"},
         Tree, "owned_by", _keeps_ephemerals, 1),
    _bug("silent-watches", "watches on names are told nothing", {"Z2"},
         Coordinator, "_fire", _leaves_watches_silent, 1),
    _bug("writes-another-isr", "a leader writes another ISR than it goes by", {"Z6"},
         isr_writer, "encode_state", _writes_another_isr, 1),
    _bug("keeps-the-leader-epoch", "a new leader gets the epoch of the last one", {"Z7"},
         ControllerContext, "elect", _keeps_the_leader_epoch, 1),
    _bug("counts-from-one", "each controller has controller epoch 1", {"Z4"},
         controller_election, "_epoch_of", _counts_from_one, 1),
    _bug("ends-sessions-early", "a session ends whenever the coordinator looks", {"Z8"},
         coordinator, "expire_session", _ends_sessions_early, 1),
)  # fmt: skip
"""Each is caught by seeds of the swarm with control=zookeeper."""
OBEYS_ANYBODY = _bug(
    "obeys-anybody", "brokers obey controllers of any epoch", {"Z5"}, broker_side, "obey_controller", _obeys_anybody
)
"""What a zombie has to say must still be on its way: a script has it so, seeds hardly ever."""
