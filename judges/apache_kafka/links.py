"""The links between nodes of Apache Kafka: one small TCP proxy for each direction in which connections are made.

Kafka advertises one address for each listener, so all others would come by the same way. But each node is a Java
process with a hosts file of its own (jdk.net.hosts.file): the name of node 3 leads node 1 to 127.0.1.3, say, where the
proxy from 1 to 3 listens on the port of 3. A link that is cut holds the bytes of one direction, in the connections
that either end made; when it is healed they go on, in order. Needs a system where all of 127/8 is loopback: Linux.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress

from cluster.model.identifiers import NodeId

CHUNK_BYTES = 1 << 16
LOOPBACK = "127.0.0.1"


class Links:
    """All proxies of one cluster."""

    def __init__(self, ports: Mapping[NodeId, int], places: Mapping[NodeId, int]) -> None:
        """`places`: a number from 1 to 250 for each node, part of the addresses that lead to and from it."""
        self.ports, self._places = ports, places
        self._open: dict[tuple[NodeId, NodeId], asyncio.Event] = {}
        self._delay_s: dict[tuple[NodeId, NodeId], float] = {}
        self._servers: list[asyncio.Server] = []
        self._pumps: set[asyncio.Task[None]] = set()
        self._writers: dict[NodeId, set[asyncio.StreamWriter]] = {node: set() for node in ports}

    def address(self, source: NodeId, target: NodeId) -> str:
        """Where the source finds the target."""
        return f"127.0.{self._places[source]}.{self._places[target]}"

    def hosts(self, source: NodeId, names: Mapping[NodeId, str]) -> str:
        """The hosts file of one node."""
        others = (f"{self.address(source, node)} {name}\n" for node, name in names.items() if node != source)
        return f"{LOOPBACK} localhost {names[source]}\n" + "".join(others)

    async def start(self) -> None:
        """Listen for every pair. OSError when an address cannot be had."""
        for source in self.ports:
            for target in self.ports:
                if source != target:
                    await self._listen(source, target)

    async def _listen(self, source: NodeId, target: NodeId) -> None:
        gate = self._open[source, target] = asyncio.Event()
        gate.set()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                far_reader, far_writer = await asyncio.open_connection(LOOPBACK, self.ports[target])
            except OSError:
                writer.transport.abort()
                return
            for node in (source, target):
                self._writers[node] |= {writer, far_writer}
            self._pump(reader, far_writer, (source, target))
            self._pump(far_reader, writer, (target, source))

        where = self.address(source, target)
        self._servers.append(await asyncio.start_server(accept, where, self.ports[target], limit=CHUNK_BYTES))

    def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: tuple[NodeId, NodeId]) -> None:
        task = asyncio.get_running_loop().create_task(self._carry(reader, writer, way))
        self._pumps.add(task)
        task.add_done_callback(self._pumps.discard)

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: tuple[NodeId, NodeId]
    ) -> None:
        """Bytes of one direction of one connection, and its end."""
        with suppress(OSError):
            while chunk := await reader.read(CHUNK_BYTES):
                if delay_s := self._delay_s.get(way):
                    await asyncio.sleep(delay_s)
                await self._open[way].wait()
                writer.write(chunk)
                await writer.drain()
        await self._open[way].wait()
        writer.transport.abort()
        for node in way:
            self._writers[node].discard(writer)

    def drop(self, node: NodeId) -> None:
        """The process is gone, and with it its connections: what was held on them comes to nobody."""
        for writer in self._writers[node]:
            writer.transport.abort()
        self._writers[node].clear()

    def obey(self, cuts: Iterable[tuple[NodeId, NodeId]], delays_ms: Mapping[tuple[NodeId, NodeId], int]) -> None:
        """These directions are cut or late, and no others."""
        held = set(cuts)
        self._delay_s = {way: late_ms / 1000 for way, late_ms in delays_ms.items()}
        for way, gate in self._open.items():
            if way in held:
                gate.clear()
            else:
                gate.set()

    async def close(self) -> None:
        """Listen no more, and end every connection."""
        for server in self._servers:
            server.close()
        for node in self.ports:
            self.drop(node)
        for task in list(self._pumps):
            task.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)
        await asyncio.sleep(0)  # what was aborted is closed in the next turn
