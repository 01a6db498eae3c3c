"""Missions in zookeeper mode, in the place of those about the quorum: the controller dies, is two, or is raced for."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE
from cluster.picture.zookeeper import CONTROLLER
from workbench.session.missions.mission import Attempt, Mission, seconds_said
from workbench.session.views.cluster import ClusterView
from workbench.telling.words import node_name, plural


def _who(picture: ClusterView) -> str:
    controller = picture.zookeeper.controller
    return f" {node_name(controller)}" if controller != NO_NODE else ""


class KillController(Mission):
    """The controller dies, its session ends, and another broker takes its place."""

    name, title = "kill-controller", "Kill the controller"
    watches = (ev.ControllerRaceWon, ev.ProcessExited, ev.SessionEnded, ev.ControllerTookOver)
    steps = ("the controller is dead", "its session ends", "another broker takes over")

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._controller = self._dead = NO_NODE
        self._died_ns = 0

    def hint(self, picture: ClusterView) -> str:
        """Where it is and what ends it."""
        return (
            f"The broker{_who(picture)} that says CONTROLLER decides for all. Select it with {{left}} {{right}}. Press "
            "{node.kill}, and watch how long nobody notices."
        )

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """From its death to the next broker that has read everything."""
        match event:
            case ev.ControllerRaceWon():
                self._controller = entry.node
            case ev.ProcessExited(node_id=node) if node == self._controller and event.exit_code:
                self._dead, self._died_ns = node, entry.t_ns
                self.reset()
                self.tick(0, f"{node_name(node)} is dead")
            case ev.SessionEnded(client=client) if self.ticks and client == self._dead:
                self.tick(1, f"its session ends, after {seconds_said(entry.t_ns - self._died_ns)}")
            case ev.ControllerTookOver() if len(self.ticks) == 2:
                self.tick(2, f"{node_name(entry.node)} takes over, controller epoch {event.controller_epoch}")
                self.done(seconds_said(entry.t_ns - self._died_ns))


class TwoControllers(Mission):
    """The controller loses its session and lives on, while another one controls."""

    name, title, price, faults_max, may_kill = "two-controllers", "Have two controllers", "1 fault", 1, False
    watches = (ev.SessionEnded, ev.ControllerDeactivated, ev.ControllerRaceWon)
    steps = ("the controller's session ends, and it lives", "another broker takes its place")

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._zombie = NO_NODE

    def hint(self, picture: ClusterView) -> str:
        """One fault that is enough."""
        return (
            f"The controller{_who(picture)} must live, and ZooKeeper must not hear it for longer than its session. One "
            "fault is enough: select it and press {node.pause}, then wait."
        )

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:
        """A session that is over, and a race that somebody else wins while the old one believes in itself."""
        match event:
            case ev.SessionEnded(client=client, ephemerals=paths) if CONTROLLER in paths and event.why == "expired":
                if picture.node(client).process != "down":
                    self._zombie = client
                    self.reset()
                    self.tick(0, f"the session of {node_name(client)} ends, and it lives")
            case ev.ControllerDeactivated() if entry.node == self._zombie and not self.result:
                self._zombie = NO_NODE
            case ev.ControllerRaceWon() if self._zombie not in (NO_NODE, entry.node):
                self.tick(1, f"{node_name(entry.node)} controls, epoch {event.controller_epoch}")
                self.done(plural(self.attempt.count, "fault"))


class RaceAgain(Mission):
    """Somebody takes /controller away, and the brokers race for it."""

    name, title, price, faults_max = "race-again", "Have them race without a fault", "no fault", 0
    watches = (ev.ZNodeWritten, ev.ControllerRaceWon)
    steps = ("/controller is gone, and nothing has failed", "somebody creates it again")

    def hint(self, picture: ClusterView) -> str:  # noqa: ARG002
        """The command that does it."""
        return "Who controls is one znode, and all brokers watch it. Press {cmd} and type: znode delete /controller"

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """The znode goes while its owner has its session; then a race."""
        match event:
            case ev.ZNodeWritten(path=path, kind="deleted", client=client) if path == CONTROLLER and client > 0:
                self.reset()
                self.tick(0)
            case ev.ControllerRaceWon() if self.ticks:
                self.tick(1, f"{node_name(entry.node)} controls, epoch {event.controller_epoch}")
                self.done("no fault")
