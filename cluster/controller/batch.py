"""What one input made the active controller decide: events and the records of one batch."""

from __future__ import annotations

from cluster.controller.image import MetadataImage
from cluster.model.effects import Effect, Emit, Propose, Send
from cluster.model.events import Event
from cluster.model.identifiers import Offset
from cluster.model.metadata_records import MetadataRecord
from cluster.model.ruling import Decision


class Batch:
    """Collects decisions; each record enters the image at once. Source: Kafka QuorumController, ControllerResult."""

    __slots__ = ("_events", "image", "next_offset", "records")

    def __init__(self, image: MetadataImage, next_offset: Offset) -> None:
        self.image = image
        """The controller's own image, ahead of what is committed."""
        self.next_offset = next_offset
        """Where the first record goes (inclusive)."""
        self.records: list[MetadataRecord] = []
        """In order."""
        self._events: list[Effect] = []

    @property
    def end_offset(self) -> Offset:
        """One past the last record of the batch."""
        return self.next_offset + len(self.records)

    def write(self, record: MetadataRecord) -> None:
        """Add a record and apply it to the image."""
        # At once, long before it is committed: the next request has to be judged by it. Two proposals from one
        # partition epoch would both be right else, and so would two topics of one name. What is never committed goes
        # with this image when the controller is deposed; nothing of it was answered.
        self.image.apply(record, self.end_offset)
        self.records.append(record)

    def emit(self, event: Event, decision: Decision | None = None) -> None:
        """Say what was decided; comes before the batch."""
        self._events.append(Emit(event, decision))

    def effects(self, then: tuple[Send | Emit, ...] = ()) -> list[Effect]:
        """Events, then one Propose; without records the answers are sent at once."""
        if not self.records:
            return [*self._events, *then]
        return [*self._events, Propose(tuple(self.records), then)]
