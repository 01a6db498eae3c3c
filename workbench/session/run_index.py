"""What a screen keeps beside a recording: where each page of entries is, the picture after it, and the folds."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from cluster.model.codec import DecodeError
from cluster.model.entry import Entry, UnknownEvent
from cluster.picture.saved import PictureCodec
from cluster.trace.places import Origin, Stretch, TracePlaces
from cluster.trace.reader import Place, TraceError
from workbench.session.fold_state import unpack_folds
from workbench.session.index_file import NAME, PICTURE, ROW, DamagedIndex, IndexFile
from workbench.session.pages import Pages
from workbench.session.views.cluster import ClusterView
from workbench.support.safe_text import safe_text

UNREADABLE = "trace.unreadable"
"""In place of an event whose file is not what it was any more."""


class Row(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """One page, as it stands in the index."""

    run: str
    first_ns: int
    """Time of its first entry."""
    stretches: tuple[Stretch, ...]
    """What it has of each file."""
    order: bytes
    """For each entry two bytes: the number of the stretch it is of."""
    picture: int
    """Where the picture after it is."""


_row = msgspec.msgpack.Decoder(Row).decode
_state = msgspec.msgpack.Decoder(tuple[int, bytes]).decode
_encode = msgspec.msgpack.Encoder().encode


class RunIndex:
    """Of one run, in its folder where that can be written, else only while the screen is open."""

    def __init__(self, run_folder: Path) -> None:
        self._places = TracePlaces(run_folder / "trace")
        self._file = IndexFile(run_folder / NAME)
        self._pictures = PictureCodec(ClusterView, self._file)
        self._rows = array("q")
        """Where each page stands in the file."""
        self.trouble = ""
        """Why nothing more can be kept, or read again; empty while all is well."""

    def close(self) -> None:
        """Let go of all files."""
        self._file.close()
        self._places.close()

    @property
    def page_count(self) -> int:
        """How many pages it knows."""
        return len(self._rows)

    @property
    def reached(self) -> dict[Origin, Place]:
        """What of each file follows the last page."""
        return dict(self._places.reached)

    def load(self, pages: Pages) -> tuple[ClusterView, dict[str, Any]] | None:
        """Tell the pages that an earlier screen kept; the picture and the folds after the last, None when none is good.

        A page is good as far as the folds of that screen were kept: these are kept every STATE_EVERY pages.
        """
        try:
            count, folds = self._kept_folds()
            for place, content in islice(self._file.rows(), count):
                row = _row(content)
                self._rows.append(place)
                firsts = [((item.node, item.incarnation), item.begin.seq) for item in row.stretches]
                pages.add_full(row.first_ns, firsts)
                self._places.reached.update({(item.node, item.incarnation): item.end for item in row.stretches})
            if not count or len(self._rows) != count:
                return None
            self._read(count - 1)  # the trace may have become another one meanwhile
            picture = self.picture(count - 1)
        except (TraceError, OSError, DamagedIndex, DecodeError):
            return None
        self._file.cut(self._file.end)
        return picture, folds

    def _kept_folds(self) -> tuple[int, dict[str, Any]]:
        """After how many pages, and what."""
        count, state = _state(self._file.read_beside())
        return count, unpack_folds(state)

    def forget(self) -> None:
        """Begin anew: the trace is another one than the index was made of."""
        self._file.cut(0)
        self._rows = array("q")
        self._places.reached.clear()

    def save(self, picture: ClusterView) -> bytes:
        """The picture as bytes that `restore` understands."""
        return self._pictures.encode(picture)

    def restore(self, content: bytes) -> ClusterView:
        """What was saved. DamagedIndex or DecodeError when it cannot be read any more."""
        return self._pictures.decode(content)

    def picture(self, number: int) -> ClusterView:
        """The picture after a page. DamagedIndex or DecodeError when it cannot be read any more."""
        row = _row(self._file.get(self._rows[number], ROW))
        return self.restore(self._file.get(row.picture, PICTURE))

    def keep(self, entries: Sequence[Entry], picture: bytes, folds: bytes) -> bool:
        """Take in the next page; False while its entries are not all in their files.

        Args:
            picture: after it, as saved.
            folds: the packed state of what folds the entries beside the picture; empty where that is not to be kept.
        """
        if self.trouble:
            return False
        try:
            origins = [(entry.node, entry.incarnation) for entry in entries]
            stretches = self._stretches(origins)
            if stretches is None:
                return False
            numbers = {(item.node, item.incarnation): number for number, item in enumerate(stretches)}
            order = array("H", map(numbers.__getitem__, origins)).tobytes()
            place = self._file.put(picture, PICTURE)
            row = Row(entries[0].run, entries[0].t_ns, stretches, order, place)
            self._rows.append(self._file.put(_encode(row), ROW))
            if folds:
                self._file.write_beside(_encode((len(self._rows), folds)))
        except (OSError, TraceError) as error:
            self.trouble = safe_text(str(error), 200)
            return False
        return True

    def _stretches(self, origins: Sequence[Origin]) -> tuple[Stretch, ...] | None:
        before, stretches = dict(self._places.reached), []
        for origin, count in Counter(origins).items():
            stretch = self._places.follow(origin, count)
            if stretch is None:
                self._places.reached = before
                return None
            stretches.append(stretch)
        return tuple(stretches)

    def entries(self, number: int) -> list[Entry]:
        """A page, read again. Where its files are not what they were, each entry says that it cannot be read."""
        try:
            return self._read(number)
        except (TraceError, OSError, DamagedIndex) as error:
            self.trouble = safe_text(f"what is long ago cannot be read again: {error}", 200)
            return self._unreadable(number)

    def _read(self, number: int) -> list[Entry]:
        row = _row(self._file.get(self._rows[number], ROW))
        lanes = [iter(self._places.read(item)) for item in row.stretches]
        return [next(lanes[lane]) for lane in array("H", row.order)]

    def _unreadable(self, number: int) -> list[Entry]:
        row = _row(self._file.get(self._rows[number], ROW))
        seqs = [item.begin.seq for item in row.stretches]
        event, entries = UnknownEvent(UNREADABLE, ()), []
        for lane in array("H", row.order):
            item = row.stretches[lane]
            entries.append(
                Entry(row.run, item.node, item.incarnation, seqs[lane], row.first_ns, 0, 0, None, "", None, event)
            )
            seqs[lane] += 1
        return entries
