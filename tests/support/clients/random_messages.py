"""Random objects of the schema classes, legal in a given version."""

from __future__ import annotations

from random import Random
from typing import Any

from cluster.kafka.api import Api
from cluster.kafka.apis import APIS
from cluster.kafka.codec.fields import NO_UUID, Field, fields_of

EACH = [(api, version) for api in APIS.values() for version in api.versions]
"""Every request in every version."""
BOUNDS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
YEAR_9999_S = 253_370_764_800
"""kio keeps some times as datetimes of whole seconds."""
ALPHABET = "ab.-_ 09\u00e9\u0416\u4e2d\U0001f600\x00\x1b"


def named(case: tuple[Api, int]) -> str:
    """How a test of this case is called."""
    return f"{case[0].name}-v{case[1]}"


def random_message(rng: Random, kind: type, version: int) -> Any:
    """One object; fields that the version lacks keep their defaults."""
    values = {}
    for item in fields_of(kind):
        if version in item.versions:
            values[item.name] = _value(rng, item, version)
    return kind(**values)


def _value(rng: Random, item: Field, version: int) -> Any:
    if item.tag is not None and rng.random() < 0.4:
        return [] if item.default == () else item.default
    if item.nullable_in(version) and rng.random() < 0.3:
        return None
    if item.kind == "array":
        longer = (16, 17, 40, 130) if item.element == "int32" else (3,)
        return [_element(rng, item, version) for _ in range(rng.choice((0, 1, 1, 2, 3, *longer)))]
    if item.kind == "struct":
        assert isinstance(item.element, type)
        made = random_message(rng, item.element, version)
        return None if item.tag is not None and made == item.element() else made
    return _scalar(rng, item.kind, item.name)


def _element(rng: Random, item: Field, version: int) -> Any:
    if isinstance(item.element, type):
        return random_message(rng, item.element, version)
    return _scalar(rng, str(item.element), item.name)


def _scalar(rng: Random, kind: str, name: str) -> Any:
    if name.endswith("error_code"):
        return rng.randrange(-1, 120)
    if name.endswith("_ms") or name.startswith("last_"):
        return rng.randrange(0, 1 << 31) if kind == "int32" else rng.randrange(0, YEAR_9999_S) * 1000
    match kind:
        case "boolean":
            return rng.random() < 0.5
        case "float64":
            return rng.choice((0.0, -1.5, 1e300, rng.random()))
        case "uuid":
            return NO_UUID if rng.random() < 0.2 else rng.randbytes(16)
        case "uint16":
            return rng.randrange(1 << 16)
        case "string":
            return "".join(rng.choices(ALPHABET, k=rng.choice((0, 1, 5, 20, 126, 127, 128, 200))))
        case "blob" | "record_set":
            return rng.randbytes(rng.choice((0, 1, 60, 126, 127, 128, 1000, 20_000)))
    half = 1 << (BOUNDS[kind] - 1)
    return rng.choice((0, -1, half - 1, -half, rng.randrange(-half, half)))
