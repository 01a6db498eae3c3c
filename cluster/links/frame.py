"""Frames between nodes: 4-byte big-endian length, then a msgpack list. Lengths are checked before memory is taken."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import msgpack
import msgspec
from msgspec import Struct

from cluster.model.codec import pack
from cluster.model.entry import EventId
from cluster.model.identifiers import NodeId
from cluster.model.messages import MESSAGES, Message

FRAME_BYTES_MAX = 16 << 20
"""Longest frame, without its length prefix."""
PLAIN_BYTES_MAX = 256 << 10
"""Longest frame when record bytes are not counted: what becomes many small objects."""
ELEMENTS_MAX = 10_000
_KINDS = {kind.wire_number: kind for kind in MESSAGES.values()}
_PARTS = 7
_BINARY = frozenset((0xC4, 0xC5, 0xC6))
_envelope = msgspec.msgpack.Decoder(tuple[int, int, int, int, EventId | None, int, msgspec.Raw]).decode
_LIMITS = {"use_list": False, "max_array_len": ELEMENTS_MAX, "max_map_len": 0, "max_ext_len": 0}


class WireError(Exception):
    """Bytes that are not a sane frame. The connection must be closed."""


class Frame(Struct, gc=False):
    """One message on its way."""

    sender: NodeId
    correlation: int
    """Chosen by the requester, repeated in the response."""
    message: Message
    cause: EventId | None = None
    """The sender's event that led to it."""
    lamport: int = 0
    """The sender's logical clock."""
    left_ns: int = 0
    """When the sender gave it to the link, on the run's clock; 0 when it does not say. For observers alone."""


def encode_frame(frame: Frame) -> bytes:
    """The frame with its length. WireError when it is too long."""
    message = frame.message
    body = pack(
        (message.wire_number, frame.sender, frame.correlation, frame.lamport, frame.cause, frame.left_ns, message)
    )
    if len(body) > FRAME_BYTES_MAX:
        raise WireError(f"a frame of {len(body)} bytes is longer than {FRAME_BYTES_MAX}")
    return len(body).to_bytes(4, "big") + body


def paced_size(frame: Frame) -> int:
    """Bytes of a frame with its length, as a slow link counts them: without what is there for observers alone.

    Ids of disks are tagged fields in Kafka: empty ones take no room.
    """
    message = frame.message
    body = pack((message.wire_number, frame.sender, frame.correlation, frame.lamport, frame.cause, message))
    tagged = [name for name in ("directory_id", "voter_directory_id") if getattr(message, name, None) == ""]
    return 4 + len(body) - len(tagged)


class FrameDecoder:
    """Cuts a byte stream into frames. After a WireError it refuses everything."""

    __slots__ = ("_broken", "_left", "_limit")

    def __init__(self, limit: int = FRAME_BYTES_MAX) -> None:
        self._left = bytearray()
        self._limit = limit
        self._broken = False

    def feed(self, data: bytes) -> list[Frame]:
        """All frames that are complete now, in order."""
        if self._broken:
            raise WireError("bytes after a bad frame")
        try:
            return self._take(data)
        except WireError:
            self._broken = True
            self._left.clear()
            raise

    def _take(self, data: bytes) -> list[Frame]:
        if self._left:
            self._left += data
            if len(self._left) < 4 + self._size(self._left, 0):
                return []
            data = bytes(self._left)
            self._left.clear()
        frames = []
        view = memoryview(data)
        position, end = 0, len(data)
        while end - position >= 4:
            size = self._size(data, position)
            if end - position - 4 < size:
                break
            position += 4
            frames.append(decode_frame(view[position : position + size]))
            position += size
        if position < end:
            self._left += view[position:]
        return frames

    def _size(self, data: bytes | bytearray, position: int) -> int:
        if len(data) - position < 4:
            return 0
        size = int.from_bytes(data[position : position + 4], "big")
        if not 0 < size <= self._limit:
            raise WireError(f"a frame of {size} bytes, allowed are 1 to {self._limit}")
        return size


def decode_frame(body: bytes | memoryview) -> Frame:
    """The frame in body (without its length). WireError when it is not one."""
    try:
        if len(body) > PLAIN_BYTES_MAX:
            _check_plain_size(body)
        number, sender, correlation, lamport, cause, left_ns, fields = _envelope(body)
        if sender < 0 or number not in _KINDS:
            raise WireError(f"a frame of kind {number} from {sender}")
        return Frame(sender, correlation, _decoder(number)(fields), cause, lamport, left_ns)
    except (ValueError, TypeError, RecursionError, msgspec.DecodeError, msgpack.exceptions.UnpackException) as error:
        raise WireError(f"not a frame: {error}") from error


@cache
def _decoder(number: int) -> Callable[[msgspec.Raw], Message]:
    """Of one kind of message; made when the first of it comes, because a node hears few of them."""
    return msgspec.msgpack.Decoder(_KINDS[number]).decode


def _check_plain_size(body: bytes | memoryview) -> None:
    """A long frame must be long because of record bytes, not of many small values."""
    reader = msgpack.Unpacker(None, max_buffer_size=len(body), **_LIMITS)
    reader.feed(body)
    counted = 0
    if reader.read_array_header() != _PARTS:
        raise WireError("not a frame")
    for _ in range(_PARTS - 1):
        reader.skip()
    for _ in range(reader.read_array_header()):
        start = reader.tell()
        reader.skip()
        if body[start] not in _BINARY:
            counted += reader.tell() - start
        if counted > PLAIN_BYTES_MAX:
            raise WireError(f"a frame with more than {PLAIN_BYTES_MAX} bytes beside its records")
