"""Who creates /controller controls, and the controller epoch is counted."""

from __future__ import annotations

from cluster.model.events import (
    ControllerActivated,
    ControllerDeactivated,
    ControllerRaceLost,
    ControllerRaceWon,
    ControllerTookOver,
)
from cluster.model.identifiers import NO_NODE
from cluster.zookeeper.flows import create, delete
from cluster.zookeeper.paths import CONTROLLER, CONTROLLER_EPOCH, encode_controller
from tests.support.worlds.controller_race import Racer
from tests.support.worlds.znodes import told


def kinds(events: list[object]) -> list[type]:
    return [type(event) for event in events]


def test_who_creates_the_znode_controls_in_the_next_epoch_and_takes_over() -> None:
    racer = Racer()
    won, activated, *_, took_over = racer.race()
    assert won == ControllerRaceWon(controller_epoch=1, version=0)
    assert activated == ControllerActivated(epoch=1)
    assert isinstance(took_over, ControllerTookOver)
    assert (took_over.controller_epoch, took_over.brokers) == (1, (1, 2, 3))
    assert (racer.office.is_active, racer.office.controller_id) == (True, 1)
    assert racer.znodes.tree.nodes[CONTROLLER].data == encode_controller(1)
    assert racer.race() == [], "it has it already"
    racer.znodes.do(*delete(CONTROLLER))
    resigned, won, *_ = racer.race()
    assert isinstance(resigned, ControllerDeactivated) and resigned.epoch == 1
    assert won == ControllerRaceWon(controller_epoch=2, version=1)


def test_who_comes_later_waits_for_the_znode_to_go_and_knows_who_controls() -> None:
    racer = Racer()
    racer.other_wins()
    assert racer.race() == [ControllerRaceLost(controller_id=3)]
    assert (racer.office.is_active, racer.office.controller_id) == (False, 3)
    assert racer.race() == [], "told once"
    assert [operation.path for operation in racer.znodes.asked if operation.watch] == [CONTROLLER] * 2
    racer.znodes.do(*delete(CONTROLLER))
    assert kinds(racer.see(CONTROLLER))[0] is ControllerRaceWon


def test_a_znode_that_names_nobody_wins_all_the_same() -> None:
    racer = Racer()
    racer.other_wins("nonsense")
    assert racer.race() == []
    assert (racer.office.is_active, racer.office.controller_id) == (False, NO_NODE)


def test_who_won_and_lost_the_answer_finds_its_own_session_there() -> None:
    racer = Racer()
    racer.znodes.do(*create(CONTROLLER_EPOCH, "4"))
    racer.znodes.do(*create(CONTROLLER, encode_controller(1), ephemeral=True))
    assert racer.race()[0] == ControllerRaceWon(controller_epoch=4, version=0)


def test_an_epoch_that_is_no_number_begins_anew() -> None:
    racer = Racer()
    racer.znodes.do(*create(CONTROLLER_EPOCH, "many"))
    assert racer.race()[0] == ControllerRaceWon(controller_epoch=1, version=1)


def test_of_two_that_race_one_gets_it_and_the_epoch_is_counted_once() -> None:
    racer = Racer()
    racer.controller.race()
    racer.other_wins()
    racer.znodes.do(*create(CONTROLLER_EPOCH, "1"))
    racer.znodes.answer_all(racer.flows)
    assert told(racer.out) == [ControllerRaceLost(controller_id=3)]
    assert racer.znodes.tree.nodes[CONTROLLER_EPOCH].data == "1"
