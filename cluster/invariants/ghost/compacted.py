"""What compaction took out of one partition, as its replicas told. A ghost's log keeps it all the same.

So logs of replicas that were compacted at different times, or copied from one that was, can still be compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cluster.model import events as ev
from cluster.model.identifiers import NodeId, Offset


@dataclass(slots=True)
class Compacted:
    """Of one partition, over all replicas and all passes."""

    end_offset: Offset = 0
    """Up to here some replica was compacted (exclusive)."""
    removed: set[Offset] = field(default_factory=set)
    """Offsets whose record some replica no longer has."""
    left: dict[Offset, set[str]] = field(default_factory=dict)
    """Base offset of a batch to the CRCs that rewritten ones have had."""
    is_told: bool = True
    """False once a pass had too many records to tell of."""
    thin_to: dict[NodeId, Offset] = field(default_factory=dict)
    """Up to where the file of each replica may be thinner than its ghost (exclusive)."""
    begun: dict[NodeId, Offset] = field(default_factory=dict)
    """End of the pass that a replica is in (exclusive)."""

    def take(self, node: NodeId, event: ev.LogCleaned) -> None:
        """Note how thin a pass of compaction left the file of a replica."""
        self.begun.pop(node, None)
        self.end_offset = max(self.end_offset, event.end_offset)
        self.is_told &= event.is_told
        self.removed.update(event.removed)
        for base, _, _, crc in event.batches:
            self.left.setdefault(base, set()).add(crc)
        self.note_thin(node, event.end_offset)

    def recover(self, node: NodeId) -> None:
        """A pass in which its process died may have come so far that its start ended it, and nobody told what went."""
        end_offset = self.begun.pop(node, None)
        if end_offset is not None:
            self.end_offset, self.is_told = max(self.end_offset, end_offset), False
            self.note_thin(node, end_offset)

    def note_thin(self, node: NodeId, end_offset: Offset) -> None:
        """A replica was compacted, or copied from one that was."""
        self.thin_to[node] = max(self.thin_to.get(node, 0), end_offset)

    def may_skip(self, start: Offset, end: Offset) -> bool:
        """Whether none of these offsets need have a record any more."""
        if not start <= end <= self.end_offset:
            return False
        return not self.is_told or all(offset in self.removed for offset in range(start, end))

    def is_left(self, base_offset: Offset, crc: str) -> bool:
        """Whether compaction has left a batch like this somewhere."""
        return base_offset < self.end_offset and (not self.is_told or crc in self.left.get(base_offset, ()))
