"""What becomes of the controller in zookeeper mode: whose session is over, who wins the race, who is not obeyed."""

from __future__ import annotations

from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import controller, zookeeper
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.picture.zookeeper import BROKER_IDS, CONTROLLER
from workbench.session.story.elections import LEADS
from workbench.session.story.partitions import Partitions
from workbench.session.story.teller import Teller
from workbench.session.views.cluster import ClusterView
from workbench.telling.telling import BAD, GOOD, WARN
from workbench.telling.words import node_name

REFUSES = "\u2717"


class Races:
    """Tells who has /controller."""

    def __init__(self, teller: Teller, partitions: Partitions) -> None:
        self.teller, self._partitions = teller, partitions
        self._before: NodeId = NO_NODE
        """Who won the last race."""

    def on_session_ended(self, entry: Entry, event: zookeeper.SessionEnded, picture: ClusterView) -> None:  # noqa: ARG002
        """Nobody heard a broker for too long; who closes its session says so itself."""
        self.teller.pay(("fenced", event.client))
        if event.why != "expired":
            return
        teller, name = self.teller, node_name(event.client)
        text = f"the session of {name} is over" + (": /controller is free" if CONTROLLER in event.ephemerals else "")
        incident = teller.home((event.client,))
        if incident is None:
            teller.open(text, nodes=(event.client,), tone=BAD)
            return
        teller.step(incident, text, now=f"{text[0].upper()}{text[1:]}.", tone=BAD)

    def on_znode_written(self, entry: Entry, event: zookeeper.ZNodeWritten, picture: ClusterView) -> None:
        """A broker with a znode is in service."""
        name = event.path.removeprefix(BROKER_IDS)
        if event.kind == "created" and event.path.startswith(BROKER_IDS) and name.isdecimal() and len(name) < 4:
            told = controller.BrokerUnfenced(broker_id=int(name), broker_epoch=event.zxid)
            self._partitions.on_unfenced(entry, told, picture)

    def on_race_won(self, entry: Entry, event: zookeeper.ControllerRaceWon, picture: ClusterView) -> None:  # noqa: ARG002
        """There is a controller."""
        teller, node = self.teller, entry.node
        text = f"{node_name(node)} controls, controller epoch {event.controller_epoch}"
        incident = teller.home((node, self._before)) or teller.newest("start")
        self._before = node
        if incident is None:
            teller.open(text, glyph=LEADS, tone=GOOD, nodes=(node,))
        else:
            teller.step(incident, text, now=f"{text}.", glyph=LEADS, tone=GOOD)
        teller.pay("quorum")  # what the start waited for: somebody who decides

    def on_push_refused(self, entry: Entry, event: zookeeper.PushRefused, picture: ClusterView) -> None:  # noqa: ARG002
        """A zombie controller is not obeyed."""
        incident = self.teller.home((event.controller_id,))
        if event.error != ErrorCode.STALE_CONTROLLER_EPOCH or incident is None:
            return
        old = node_name(event.controller_id)
        text = f"{node_name(entry.node)} refuses {old}, which is no controller any more"
        key = ("refuses", entry.node, event.controller_id)
        self.teller.step(incident, text, now=f"{text}.", key=key, glyph=REFUSES, tone=WARN)
