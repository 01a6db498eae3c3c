"""What the story says of snapshots of the metadata log: written, fetched by who is far behind, loaded, found bad."""

from __future__ import annotations

from cluster.model.entry import Entry
from cluster.model.events import snapshot
from cluster.model.identifiers import NO_NODE, NodeId, Offset
from workbench.session.story.incident import Incident
from workbench.session.story.line import DETAILS
from workbench.session.story.teller import Teller
from workbench.session.views.cluster import ClusterView
from workbench.telling.telling import BAD, GOOD, INFO, WARN
from workbench.telling.words import node_name


class Snapshots:
    """Tells of them. Every node writes each snapshot for itself, so that all of one offset are one incident."""

    def __init__(self, teller: Teller) -> None:
        self.teller = teller
        self._written: dict[Offset, tuple[Incident, list[NodeId]]] = {}
        """Of each end offset: its incident, and who has written it so far."""

    def on_written(self, entry: Entry, event: snapshot.SnapshotWritten, _picture: ClusterView) -> None:
        """The first who writes one begins an incident, the others are named in it."""
        found = self._written.get(event.end_offset)
        if found is None:
            past = self._past(event.end_offset, [entry.node])
            incident = self.teller.open(past, glyph="\u25a4", nodes=(), kind="snapshot")
            self._written = {event.end_offset: (incident, [entry.node])}
            self.teller.settle(incident)
            return
        incident, nodes = found
        if entry.node not in nodes:
            nodes.append(entry.node)
            self.teller.rename(incident, self._past(event.end_offset, nodes))

    def _past(self, end_offset: Offset, nodes: list[NodeId]) -> str:
        names = ", ".join(map(node_name, nodes))
        return f"All metadata below offset {end_offset} is in a snapshot of {names}"

    def on_offered(self, entry: Entry, event: snapshot.SnapshotOffered, _picture: ClusterView) -> None:
        """Who is far behind cannot go on record by record."""
        name = node_name(event.replica_id)
        text = f"{name} is at metadata offset {event.fetch_offset}; {node_name(entry.node)} sends it to a snapshot"
        self._tell(event.replica_id, text, glyph="\u25a4", tone=WARN)

    def on_installed(self, entry: Entry, event: snapshot.SnapshotInstalled, _picture: ClusterView) -> None:
        """It is whole and good."""
        text = f"{node_name(entry.node)} has fetched the snapshot of offset {event.end_offset}"
        self._tell(entry.node, text, glyph="\u25a4", tone=GOOD)

    def on_ended(self, entry: Entry, event: snapshot.SnapshotFetchEnded, _picture: ClusterView) -> None:
        """Half of one is of no use."""
        text = f"{node_name(entry.node)} gives up a snapshot after {event.fetched_bytes} bytes, and uses nothing of it"
        self._tell(entry.node, text, glyph="\u25a4", tone=WARN)

    def on_loaded(self, entry: Entry, event: snapshot.SnapshotLoaded, _picture: ClusterView) -> None:
        """At a start, or after it was fetched."""
        text = f"{node_name(entry.node)} takes its metadata from the snapshot of offset {event.end_offset}"
        incident = self.teller.home((entry.node,))
        if incident is not None:
            self.teller.step(incident, text, level=DETAILS, tone=INFO)

    def on_rejected(self, entry: Entry, event: snapshot.SnapshotRejected, _picture: ClusterView) -> None:
        """It is never used: an older one is, or the log."""
        of = "" if event.source == NO_NODE else f" of {node_name(event.source)}"
        self._tell(entry.node, f"{node_name(entry.node)} finds a snapshot{of} bad and does not use it", tone=BAD)

    def _tell(self, node: NodeId, text: str, *, glyph: str = "", tone: str) -> None:
        """In the incident that is about the node; else it begins one."""
        incident = self.teller.home((node,))
        if incident is None:
            opened = self.teller.open(text, glyph=glyph, tone=tone, nodes=(node,), kind="snapshot")
            self.teller.settle(opened)
        else:
            self.teller.step(incident, text, now=f"{text}.", glyph=glyph, tone=tone, joins=True)
