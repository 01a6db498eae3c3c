"""Version texts and what a schema class says about its fields."""

from __future__ import annotations

import pytest

from cluster.kafka.apis import APIS
from cluster.kafka.apis.metadata import MetadataResponse, MetadataResponseTopic
from cluster.kafka.codec.fields import Versions, fields_of


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [("3+", (3, 4, 99), (0, 2)), ("0-3", (0, 3), (4,)), ("7", (7,), (6, 8)), ("8-10", (8, 9, 10), (7, 11))],
)
def test_a_version_text_is_a_range(text: str, inside: tuple[int, ...], outside: tuple[int, ...]) -> None:
    versions = Versions.parse(text)
    assert all(version in versions for version in inside)
    assert not any(version in versions for version in outside)


@pytest.mark.parametrize("text", ["", "+", "x", "3-", "-", "1-2-3"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=".*"):
        Versions.parse(text)


def test_fields_come_in_wire_order_with_their_facts() -> None:
    names = [item.name for item in fields_of(MetadataResponse)]
    assert names[:3] == ["throttle_time_ms", "brokers", "cluster_id"]
    name = next(item for item in fields_of(MetadataResponseTopic) if item.name == "name")
    assert not name.nullable_in(11)
    assert name.nullable_in(12)


def depth(kind: type, above: tuple[type, ...] = ()) -> int:
    assert kind not in above, f"{kind.__name__} holds itself"
    inner = [item.element for item in fields_of(kind) if isinstance(item.element, type)]
    return 1 + max((depth(each, (*above, kind)) for each in inner), default=0)


def test_no_message_is_deeper_than_a_few_levels() -> None:
    assert max(depth(kind) for api in APIS.values() for kind in (api.request, api.response)) <= 5


def test_tags_of_a_class_are_its_own() -> None:
    seen: set[type] = set()
    waiting = [kind for api in APIS.values() for kind in (api.request, api.response)]
    while waiting:
        kind = waiting.pop()
        if kind in seen:
            continue
        seen.add(kind)
        tags = [item.tag for item in fields_of(kind) if item.tag is not None]
        assert len(set(tags)) == len(tags)
        assert all(tag < 128 for tag in tags)
        waiting += [item.element for item in fields_of(kind) if isinstance(item.element, type)]
    assert len(seen) > 100
