"""A partition whose controller tells of its brokers too, and whose decisions stand in the metadata log."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.entry import EventId
from tests.support.traces.partitions import ALL, CONTROLLER, Partition


class Controlled(Partition):
    """A run whose controller tells of brokers and writes what it decides."""

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.metadata_end = 0
        self.epochs: dict[int, int] = {}

    def activate(self, node: int = CONTROLLER, epoch: int = 1) -> None:
        """A node becomes the active controller."""
        self.epochs[node] = epoch
        self.write(node)
        self.add(node, ev.ControllerActivated(epoch=epoch))

    def write(self, node: int = CONTROLLER) -> None:
        """What was decided goes to the metadata log."""
        base = self.metadata_end
        self.metadata_end += 1
        self.add(
            node,
            ev.MetadataAppended(
                base_offset=base,
                end_offset=base + 1,
                epochs=((self.epochs[node], base),),
                kinds=("PartitionRecord",),
                role="leader",
            ),
        )

    def join(self, broker: int, broker_epoch: int, process: str = "a", node: int = CONTROLLER) -> EventId:
        """The controller takes a registration."""
        event = ev.BrokerRegistered(broker_id=broker, incarnation_id=process, broker_epoch=broker_epoch)
        done = self.add(node, event)
        self.write(node)
        return done

    def fence(self, broker: int, *, fenced: bool = True, node: int = CONTROLLER, asked: int = -1) -> EventId:
        """The controller takes a broker out of service, or puts it in."""
        event = (
            ev.BrokerFenced(broker_id=broker, broker_epoch=1, why="by hand", asked_epoch=asked)
            if fenced
            else ev.BrokerUnfenced(broker_id=broker, broker_epoch=1, asked_epoch=asked)
        )
        done = self.add(node, event)
        self.write(node)
        return done

    def up(self) -> None:
        """All registered and in service, broker 1 leads."""
        self.brokers()
        self.activate()
        for broker in ALL:
            self.join(broker, broker)
            self.fence(broker, fenced=False)
        self.elect(1, 0)
        self.write()
