"""Our bytes against those of kio, another implementation, for every version in both directions."""

from __future__ import annotations

import dataclasses
import datetime
import importlib
import io
import re
import types
import typing
import uuid
from random import Random
from typing import Any

import pytest
from kio import serial as kio_serial
from kio.schema.errors import ErrorCode as KioErrorCode

from cluster.kafka import frames
from cluster.kafka.api import Api, Request
from cluster.kafka.apis.produce import PRODUCE
from cluster.kafka.codec import codec
from cluster.kafka.codec.fields import NO_UUID, fields_of
from cluster.kafka.codec.limits import CodecError
from cluster.kafka.frames import LENGTH_BYTES
from cluster.model.errors import ErrorCode
from tests.support.clients.mutations import mutated
from tests.support.clients.random_messages import EACH, named, random_message

ROUNDS = 12
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def snake(name: str) -> str:
    """ListOffsets as kio names its modules: list_offsets."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def kio_class(api: Api, version: int, what: str) -> Any:
    module = importlib.import_module(f"kio.schema.{snake(api.name)}.v{version}.{what}")
    return getattr(module, f"{api.name}{what.capitalize()}")


def to_kio(kind: Any, ours: Any, version: int) -> Any:
    """The same object in kio's classes. Fails when either side has a field that the other lacks."""
    values = {}
    own: Any = type(ours)
    left = {item.name for item in fields_of(own) if version in item.versions}
    for item in dataclasses.fields(kind):
        name = item.name if item.name in left else f"{item.name}_ms"
        left.remove(name)
        values[item.name] = _kio_value(item, getattr(ours, name), version)
    assert not left, f"kio's {kind.__name__} v{version} lacks {left}"
    return kind(**values)


def _kio_value(item: Any, value: Any, version: int) -> Any:
    hint = item.type
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = next(part for part in typing.get_args(hint) if part is not types.NoneType)
    if value is None:
        return item.default if dataclasses.is_dataclass(hint) and item.default is not dataclasses.MISSING else None
    if typing.get_origin(hint) is tuple:
        element = typing.get_args(hint)[0]
        return tuple(_kio_scalar(item, element, each, version) for each in value)
    return _kio_scalar(item, hint, value, version)


def _kio_scalar(item: Any, hint: Any, value: Any, version: int) -> Any:
    if dataclasses.is_dataclass(hint):
        return to_kio(hint, value, version)
    match item.metadata["kafka_type"]:
        case "uuid":
            return None if value == NO_UUID else uuid.UUID(bytes=value)
        case "timedelta_i32" | "timedelta_i64":
            return datetime.timedelta(milliseconds=value)
        case "datetime_i64":
            return None if value == -1 else EPOCH + datetime.timedelta(milliseconds=value)
        case "error_code":
            return hint(value)
    return value


def kio_bytes(*messages: Any) -> bytes:
    out = io.BytesIO()
    for message in messages:
        kio_serial.entity_writer(type(message))(out, message)
    return out.getvalue()


def kio_read(kind: Any, data: bytes, position: int) -> Any:
    message, size = kio_serial.entity_reader(kind)(data, position)
    assert position + size == len(data)
    return message


def test_error_codes_have_the_numbers_that_kio_knows() -> None:
    assert [KioErrorCode(code.value).name for code in ErrorCode] == [code.name.lower() for code in ErrorCode]


@pytest.mark.parametrize("case", EACH, ids=named)
def test_requests_are_the_bytes_that_kio_writes(case: tuple[Api, int]) -> None:
    api, version = case
    kind = kio_class(api, version, "request")
    rng = Random(named(case))
    for number in range(ROUNDS):
        client_id = rng.choice((None, "", "kcat", "\u00e9" * 40))
        ours = Request(api, version, number - 3, client_id, random_message(rng, api.request, version))
        theirs = to_kio(kind, ours.message, version)
        header = kind.__header_schema__(
            request_api_key=api.key, request_api_version=version, correlation_id=number - 3, client_id=client_id
        )
        expected = kio_bytes(header, theirs)
        frame = frames.encode_request(ours)
        assert frame == len(expected).to_bytes(LENGTH_BYTES, "big") + expected
        assert frames.decode_request(expected) == ours
        assert kio_read(kind, frame, LENGTH_BYTES + len(kio_bytes(header))) == theirs


@pytest.mark.parametrize("case", EACH, ids=named)
def test_responses_are_the_bytes_that_kio_writes(case: tuple[Api, int]) -> None:
    api, version = case
    kind = kio_class(api, version, "response")
    rng = Random(named(case))
    for number in range(ROUNDS):
        ours = random_message(rng, api.response, version)
        theirs = to_kio(kind, ours, version)
        header = kind.__header_schema__(correlation_id=number)
        expected = kio_bytes(header, theirs)
        frame = frames.encode_response(api, version, number, ours)
        assert frame == len(expected).to_bytes(LENGTH_BYTES, "big") + expected
        assert frames.decode_response(api, version, expected) == (number, ours)
        assert kio_read(kind, frame, LENGTH_BYTES + len(kio_bytes(header))) == theirs


@pytest.mark.parametrize("case", EACH, ids=named)
def test_both_agree_on_which_fields_are_tagged_and_which_may_be_null(case: tuple[Api, int]) -> None:
    api, version = case
    for what, ours in (("request", api.request), ("response", api.response)):
        _compare_fields(kio_class(api, version, what), ours, version)


def _compare_fields(theirs: Any, ours: type, version: int) -> None:
    by_name = {item.name: item for item in fields_of(ours) if version in item.versions}
    for item in dataclasses.fields(theirs):
        mine = by_name.get(item.name) or by_name[f"{item.name}_ms"]
        assert mine.tag == item.metadata.get("tag")
        hint, nullable = item.type, False
        if typing.get_origin(hint) in (typing.Union, types.UnionType):
            nullable = True
            hint = next(part for part in typing.get_args(hint) if part is not types.NoneType)
        if item.metadata.get("kafka_type") not in ("uuid", "datetime_i64"):
            assert nullable == mine.nullable_in(version), f"{theirs.__name__}.{item.name}"
        inner = typing.get_args(hint)[0] if typing.get_origin(hint) is tuple else hint
        if dataclasses.is_dataclass(inner):
            assert isinstance(mine.element, type)
            _compare_fields(inner, mine.element, version)


def test_what_both_read_of_mutated_messages_is_the_same() -> None:
    """kio refuses a few things that Java reads too: booleans above 1, error codes and tags that it does not know."""
    rng = Random(5)
    same = 0
    for number in range(6_000):
        api, version = EACH[number % len(EACH)]
        what = "request" if number % 2 or api is PRODUCE else "response"
        kind = api.request if what == "request" else api.response
        flexible = api.flexible(version)
        data = b"".join(codec.write(kind, version, flexible, random_message(rng, kind, version)))
        bad = mutated(rng, data)
        try:
            ours, end = codec.read(kind, version, flexible, bad)
        except CodecError:
            continue
        if end != len(bad):
            continue
        theirs = kio_class(api, version, what)
        try:
            found, size = kio_serial.entity_reader(theirs)(bad, 0)
        except (ValueError, KeyError):
            continue
        assert size == end
        assert found == to_kio(theirs, ours, version)
        same += 1
    assert same > 500
