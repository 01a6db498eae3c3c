"""The door of a broker to its Kafka clients: a bound port at once, and the front behind it when the broker serves.

Kafka's schemas are half of what a broker loads, and nobody can be served before the broker is unfenced. So they are
loaded then, beside its other work; clients that come earlier wait in the kernel's queue, as they would for a busy one.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from cluster.model.identifiers import NodeId
from cluster.model.messages import Message
from cluster.runtime.kafka.client_faults import ClientFaults
from cluster.runtime.transport import bind

if TYPE_CHECKING:
    from cluster.runtime.kafka.front import KafkaFront

FRONT = "cluster.runtime.kafka.front"


class KafkaDoor:
    """Serves the Kafka clients of one broker, from when it is in service. A node without clients never opens it."""

    def __init__(
        self,
        is_in_service: Callable[[], bool],
        make_front: Callable[[], KafkaFront],
        *,
        drain: Callable[[], None],
        crash: Callable[[], None],
    ) -> None:
        """
        Args:
            is_in_service: whether the broker is unfenced.
            make_front: called once, when FRONT is loaded.
            drain: has the node handle its inputs.
            crash: ends the node while an exception is handled.
        """
        self._is_in_service = is_in_service
        self._make_front = make_front
        self._drain = drain
        self._crash = crash
        self._faults = ClientFaults()
        self._socket: socket.socket | None = None
        self._opening: asyncio.Task[None] | None = None
        self.front: KafkaFront | None = None
        """Serves requests; None until the broker is in service."""

    def bind(self, port: int, faults: ClientFaults) -> None:
        """Take the port; connections wait in its queue. OSError when it is taken."""
        self._faults = faults
        self._socket = bind(port)

    def flush(self) -> None:
        """Responses leave, and what clients have sent meanwhile is looked at."""
        if self.front is not None:
            self.front.flush()
        elif self._socket is not None and self._opening is None and self._is_in_service():
            self._opening = asyncio.get_running_loop().create_task(self._open(self._socket))

    @property
    def is_waiting(self) -> bool:
        """Whether there is something to flush."""
        return self.front is not None and self.front.is_waiting

    def answered(self, correlation: int, response: Message) -> None:
        """The node, or the active controller, has answered a request of a client."""
        if self.front is not None:
            self.front.answered(correlation, response)

    def on_lost(self, peer: NodeId) -> None:
        """A connection to another node is gone."""
        if self.front is not None:
            self.front.on_lost(peer)

    def apply(self, faults: ClientFaults) -> None:
        """Put faults between clients and this broker in force."""
        self._faults = faults
        if self.front is not None:
            self.front.apply(faults)

    def close(self) -> None:
        """Say nothing more to anybody."""
        if self._opening is not None:
            self._opening.cancel()
        if self.front is not None:
            self.front.close()
        elif self._socket is not None:
            self._socket.close()

    async def _open(self, bound: socket.socket) -> None:
        """Load in a thread: the node goes on voting and fetching meanwhile."""
        try:
            await asyncio.get_running_loop().run_in_executor(None, import_module, FRONT)
            self.front = self._make_front()
            await self.front.listen(bound, self._faults)
            self._drain()
        except Exception:  # nobody waits for this task: a broker that cannot serve must end, not stay shut in silence
            self._crash()
