"""Who becomes the controller: brokers race to create /controller, and the winner counts the controller epoch up.

Source: Kafka KafkaController.elect, KafkaZkClient.registerControllerAndIncrementControllerEpoch.
"""

from __future__ import annotations

from cluster.model.effects import Emit
from cluster.model.events import ControllerActivated, ControllerRaceLost, ControllerRaceWon
from cluster.model.identifiers import NO_NODE, Epoch
from cluster.model.messages import ZooKeeperCode
from cluster.zookeeper.flows import create, get, put
from cluster.zookeeper.office import Office
from cluster.zookeeper.paths import CONTROLLER, CONTROLLER_EPOCH, BadData, decode_controller, encode_controller
from cluster.zookeeper.state_machine import Steps


def race(office: Office, session_id: int) -> Steps[bool]:
    """Whoever creates /controller controls, everybody else waits for it to go; whether this broker has just won."""
    while True:
        answer = (yield [get(CONTROLLER, watch=True)])[0]
        is_own = answer.is_ok and answer.last.owner == session_id
        if answer.is_ok and not is_own:
            _lose_to(office, answer.last.data)
            return False
        if is_own and office.is_active:
            return False
        if is_own:  # the answer to its creation was lost, and the one to the second try says that it is there
            epoch_node = (yield [get(CONTROLLER_EPOCH)])[0].last
            _win(office, _epoch_of(epoch_node.data), epoch_node.version)
            return True
        office.resign("/controller is gone")
        if (yield from _try_to_win(office)):
            return True


def _lose_to(office: Office, data: str) -> None:
    try:
        winner = decode_controller(data)
    except BadData:
        winner = NO_NODE
    office.resign("another broker has /controller")
    if winner != office.controller_id:
        office.controller_id = winner
        office.out.append(Emit(ControllerRaceLost(controller_id=winner)))


def _try_to_win(office: Office) -> Steps[bool]:
    """Create /controller and count the epoch in one transaction (since 2.2)."""
    epoch_znode = (yield [get(CONTROLLER_EPOCH)])[0]
    is_first = epoch_znode.error == ZooKeeperCode.NO_NODE
    epoch: Epoch = 1 if is_first else _epoch_of(epoch_znode.last.data) + 1
    version = 0 if is_first else epoch_znode.last.version + 1
    seat = create(CONTROLLER, encode_controller(office.broker_id), ephemeral=True)
    count = create(CONTROLLER_EPOCH, "1") if is_first else put(CONTROLLER_EPOCH, str(epoch), version - 1)
    answer = (yield [(*seat, *count)])[0]
    if answer.is_ok:
        _win(office, epoch, version)
    return answer.is_ok


def _win(office: Office, epoch: Epoch, version: int) -> None:
    office.context.epoch, office.context.epoch_version = epoch, version
    office.context.is_active, office.controller_id = True, office.broker_id
    office.out += [
        Emit(ControllerRaceWon(controller_epoch=epoch, version=version)),
        Emit(ControllerActivated(epoch=epoch)),
    ]


def _epoch_of(data: str) -> Epoch:
    return int(data) if data.isdecimal() and len(data) < 10 else 0
