"""Frames between a client and a broker: 4-byte length, header, message. Source: Kafka's protocol guide, KIP-482.

A request header is version 2 in flexible versions, else 1; its client id is never compact. A response header is
version 1 in flexible versions, else 0; that of ApiVersions always 0, because the client cannot know yet what we speak.
"""

from __future__ import annotations

import struct
from typing import Any

from cluster.kafka.api import Api, Request
from cluster.kafka.apis import APIS
from cluster.kafka.codec import codec, limits
from cluster.kafka.codec.limits import FRAME_BYTES_MAX, Buffer, CodecError, UnsupportedVersionError

LENGTH_BYTES = 4
_LENGTH = struct.Struct(">i")
_REQUEST_HEAD = struct.Struct(">hhih")
_RESPONSE_HEAD = struct.Struct(">ii")
_HEAD = "request header"
_HTTP = (b"GET ", b"HEAD", b"POST", b"PUT ", b"DELE", b"OPTI", b"CONN", b"PATC", b"TRAC", b"PRI ")
_TLS_HANDSHAKE = b"\x16\x03"


def check_frame_length(head: Buffer, limit: int = FRAME_BYTES_MAX) -> int:
    """The length in the first four bytes. CodecError before memory is taken when it is out of bounds."""
    (length,) = _LENGTH.unpack_from(head)
    if 0 < length <= limit:
        return int(length)
    start = bytes(head[:LENGTH_BYTES])
    if start in _HTTP:
        raise CodecError("looks like HTTP; this is a port of Kafka's protocol")
    if start.startswith(_TLS_HANDSHAKE):
        raise CodecError("looks like TLS; this listener is plaintext")
    raise CodecError(f"a frame of {length} bytes, allowed are 1 to {limit}")


def decode_request(frame: Buffer) -> Request:
    """The request in a frame (without its length). Record sets in it are views of the frame.

    Bytes after the message are let be, as in Kafka: librdkafka 2.16 leaves three in Metadata 12 for all topics.

    Raises UnsupportedVersionError when the table lacks it, CodecError on anything else that is wrong.
    """
    try:
        key, version, correlation_id, length = _REQUEST_HEAD.unpack_from(frame)
    except struct.error as error:
        raise CodecError("cut short", _HEAD, len(frame)) from error
    client_id, position = _client_id(frame, length)
    api = APIS.get(key)
    if api is None or not api.first <= version <= api.last:
        raise UnsupportedVersionError(key, version, correlation_id, client_id)
    flexible = api.flexible(version)
    if flexible:
        position = _skip_tags(frame, position, _HEAD)
    message, _ = codec.read(api.request, version, flexible, frame, position)
    return Request(api, version, correlation_id, client_id, message)


def encode_request(request: Request) -> bytes:
    """The frame of a request, with its length. CodecError when it cannot be written."""
    flexible = request.api.flexible(request.version)
    try:
        name = b"" if request.client_id is None else request.client_id.encode()
        length = -1 if request.client_id is None else len(name)
        head = _REQUEST_HEAD.pack(request.api.key, request.version, request.correlation_id, length) + name
    except (struct.error, UnicodeEncodeError) as error:
        raise CodecError(str(error), _HEAD) from error
    parts = codec.write(request.api.request, request.version, flexible, request.message)
    body = _join([head, b"\x00", *parts] if flexible else [head, *parts], request.api.request)
    return _LENGTH.pack(len(body)) + body


def response_parts(api: Api, version: int, correlation_id: int, message: Any) -> list[Buffer]:
    """The frame of a response in parts, its length first; record sets by reference, for `writelines`."""
    flexible = api.flexible(version)
    parts = codec.write(api.response, version, flexible, message)
    tags = b"\x00" if flexible and api.flexible_response_header else b""
    size = LENGTH_BYTES + len(tags) + sum(map(len, parts))
    parts.insert(0, _RESPONSE_HEAD.pack(size, correlation_id) + tags)
    return parts


def encode_response(api: Api, version: int, correlation_id: int, message: Any) -> bytes:
    """The frame of a response, with its length. CodecError when it cannot be written."""
    return _join(response_parts(api, version, correlation_id, message), api.response)


def decode_response(api: Api, version: int, frame: Buffer) -> tuple[int, Any]:
    """Correlation id and message of a frame (without its length). CodecError when it is not a response of this kind."""
    flexible = api.flexible(version)
    if len(frame) < LENGTH_BYTES:
        raise CodecError("cut short", "response header", len(frame))
    (correlation_id,) = _LENGTH.unpack_from(frame)
    position = LENGTH_BYTES
    if flexible and api.flexible_response_header:
        position = _skip_tags(frame, position, "response header")
    message, end = codec.read(api.response, version, flexible, frame, position)
    _refuse_rest(frame, end, api.response)
    return correlation_id, message


def _client_id(frame: Buffer, length: int) -> tuple[str | None, int]:
    start = _REQUEST_HEAD.size
    if length == -1:
        return None, start
    end = start + length
    if not start <= end <= len(frame):
        raise CodecError(f"a length of {length} with {len(frame) - start} bytes left", f"{_HEAD}.client_id", start)
    try:
        return str(frame[start:end], "utf-8"), end
    except UnicodeDecodeError as error:
        raise CodecError("text that is not UTF-8", f"{_HEAD}.client_id", start) from error


def _skip_tags(frame: Buffer, position: int, where: str) -> int:
    try:
        count = frame[position]
        if count == 0:
            return position + 1
        after, _ = limits.skip_tags(frame, position + 1, count, len(frame), limits.ELEMENTS_MAX)
    except IndexError as error:
        raise CodecError("cut short", where, len(frame)) from error
    except CodecError as error:
        raise CodecError(error.what, where, position) from error
    return after


def _refuse_rest(frame: Buffer, end: int, kind: type) -> None:
    if end != len(frame):
        raise CodecError(f"{len(frame) - end} bytes after the message", kind.__name__, end)


def _join(parts: list[Buffer], kind: type) -> bytes:
    try:
        return b"".join(parts)
    except TypeError as error:
        raise CodecError(str(error), kind.__name__) from error
