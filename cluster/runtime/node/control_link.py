"""A node's line to its lab: one JSON object per line, both ways, over an inherited socket pair. Ends with the lab."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from typing import Any, cast

LINE_BYTES_MAX = 1 << 20
Order = dict[str, Any]


class ControlLink(asyncio.Protocol):
    """Carries out orders one by one and answers each once it is in force."""

    def __init__(self, on_order: Callable[[Order], None], on_lost: Callable[[], None]) -> None:
        self._on_order = on_order
        self._on_lost = on_lost
        self._left = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The line is up."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's transports are no subclass of it

    def data_received(self, data: bytes) -> None:
        """Whole lines are orders; anything else ends the link."""
        *lines, self._left = (self._left + data).split(b"\n")
        if len(self._left) > LINE_BYTES_MAX:
            self._on_lost()
            return
        for line in lines:
            self._carry_out(json.loads(line))

    def _carry_out(self, order: Order) -> None:
        answer = {"done": order.get("id")}
        try:
            self._on_order(order)
        except (ValueError, KeyError, TypeError) as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        self.tell(answer)

    def connection_lost(self, _error: Exception | None) -> None:
        """The lab is gone."""
        self._on_lost()

    def tell(self, what: Order) -> None:
        """One line to the lab."""
        if self._transport is not None:
            self._transport.write(json.dumps(what).encode() + b"\n")


async def open_control(fd: int, on_order: Callable[[Order], None], on_lost: Callable[[], None]) -> ControlLink:
    """Take over the node's end of the pair. OSError when fd is no socket."""
    loop = asyncio.get_running_loop()
    _, link = await loop.create_unix_connection(lambda: ControlLink(on_order, on_lost), sock=socket.socket(fileno=fd))
    return link
