"""A broker that races for /controller, against znodes alone."""

from __future__ import annotations

from typing import Any, cast

from cluster.model.effects import Effect
from cluster.model.messages import WatchedEvent
from cluster.model.settings import Settings
from cluster.zookeeper.controller import KafkaController
from cluster.zookeeper.flows import Flows, create
from cluster.zookeeper.office import Office
from cluster.zookeeper.paths import CONTROLLER, encode_controller
from tests.support.worlds.znodes import SESSION, Znodes, told

OTHER = SESSION + 1


class Racer:
    """Broker 1 of three, none of which controls yet."""

    def __init__(self) -> None:
        self.znodes, self.out = Znodes(), list[Effect]()
        for broker in (1, 2, 3):
            self.znodes.add_broker(broker, 100 + broker)
        self.flows = Flows(cast(Any, self.znodes))
        self.office = Office(1, Settings(), self.out)
        self.controller = KafkaController(self.office, cast(Any, self.znodes), self.flows)

    def race(self) -> list[object]:
        """It looks at /controller; the events that this leads to."""
        before = len(told(self.out))
        self.controller.race()
        self.znodes.answer_all(self.flows)
        return told(self.out)[before:]

    def other_wins(self, data: str = encode_controller(3)) -> None:
        self.znodes.do(*create(CONTROLLER, data, ephemeral=True), session_id=OTHER)

    def see(self, path: str) -> list[object]:
        """A watch on a path saw something."""
        before = len(told(self.out))
        self.controller.on_watched(WatchedEvent(kind="children", path=path))
        self.znodes.answer_all(self.flows)
        return told(self.out)[before:]
