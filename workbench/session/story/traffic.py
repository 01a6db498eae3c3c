"""What clients got done: acknowledged, failed, how long it took. Kept for each second of the run."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from typing import NamedTuple

from cluster.model.events import client

SECOND_NS = 1_000_000_000
OPEN_MAX = 10_000
"""Writes without an answer whose begin is remembered."""
TYPICAL_OF = 255
"""Answers of which the middle one is the typical time."""


class Served(NamedTuple):
    """Sums since the beginning of the run."""

    t_ns: int = 0
    place: int = 0
    acknowledged: int = 0
    """Records that clients were told are written."""
    failed: int = 0
    """Writes that were refused for good."""
    unknown: int = 0
    """Writes without an answer."""
    read: int = 0
    """Records that consumers got."""
    typical_ns: int = 0
    """From asking to the answer, the middle one of the newest; 0 when none was measured."""
    slowest_ns: int = 0


class Traffic:
    """Counts answers. Looked up by instant; a second is the step."""

    def __init__(self) -> None:
        self.acknowledged = self.failed = self.unknown = self.read = self.slowest_ns = 0
        self.place = self.t_ns = 0
        self._open: dict[tuple[str, int], int] = {}
        self._took: deque[int] = deque(maxlen=TYPICAL_OF)
        self._samples: list[Served] = []

    def on_invoked(self, event: client.OperationInvoked, t_ns: int) -> None:
        """A write is asked for."""
        if event.function == "produce":
            if len(self._open) >= OPEN_MAX:
                del self._open[next(iter(self._open))]
            self._open[event.client_id, event.operation_id] = t_ns

    def on_succeeded(self, event: client.OperationSucceeded, t_ns: int, place: int) -> None:
        """A client got what it asked for."""
        self._turn(t_ns, place)
        if event.function == "produce":
            self.acknowledged += event.count
            self._answered(event.client_id, event.operation_id, t_ns)
        elif event.function == "consume":
            self.read += event.count

    def on_failed(self, event: client.OperationFailed | client.OperationUnknown, t_ns: int, place: int) -> None:
        """It was refused, or nobody answered."""
        self._turn(t_ns, place)
        if event.function == "produce":
            self._open.pop((event.client_id, event.operation_id), None)
            if isinstance(event, client.OperationFailed):
                self.failed += 1
            else:
                self.unknown += 1

    def acknowledged_by(self, count: int, t_ns: int, place: int) -> None:
        """A broker says of a Kafka client that it was told so many records are written."""
        self._turn(t_ns, place)
        self.acknowledged += count

    def _answered(self, client_id: str, operation_id: int, t_ns: int) -> None:
        begun_ns = self._open.pop((client_id, operation_id), None)
        if begun_ns is not None:
            took_ns = t_ns - begun_ns
            self._took.append(took_ns)
            self.slowest_ns = max(self.slowest_ns, took_ns)

    def _turn(self, t_ns: int, place: int) -> None:
        """Keep the sums of a second that is over; what comes now belongs to the next."""
        if self._samples and t_ns // SECOND_NS > self.t_ns // SECOND_NS:
            self._samples.append(self.now)
        elif not self._samples:
            self._samples.append(Served(t_ns, place))
        self.t_ns, self.place = t_ns, place

    @property
    def now(self) -> Served:
        """The sums by the newest answer."""
        took = sorted(self._took)
        typical_ns = took[len(took) // 2] if took else 0
        return Served(
            self.t_ns, self.place, self.acknowledged, self.failed, self.unknown, self.read, typical_ns, self.slowest_ns
        )

    def at(self, cursor: int) -> Served:
        """The sums once so many entries were told, as of the last second that was whole by then."""
        if cursor > self.place:
            return self.now
        found = bisect_right(self._samples, cursor - 1, key=lambda item: item.place)
        return self._samples[found - 1] if found else Served()
