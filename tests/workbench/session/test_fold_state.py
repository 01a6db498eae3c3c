from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

import pytest

from cluster.model.codec import DecodeError
from cluster.model.identifiers import TopicPartition
from tests.support.traces import story
from workbench.session.fold_state import pack_folds, unpack_folds
from workbench.session.story.story import Story
from workbench.session.timeline import Timeline
from workbench.session.views.cluster import ClusterView

ENTRIES = story.full_story()


def fed(folds: dict[str, Any], view: ClusterView, first: int, end: int) -> None:
    for index in range(first, end):
        view.apply(ENTRIES[index])
        for fold in folds.values():
            fold.apply(ENTRIES[index], index, view)


@pytest.mark.parametrize("cut", range(0, len(ENTRIES), 13))
def test_folds_that_came_back_go_on_like_those_that_were_kept(cut: int) -> None:
    folds: dict[str, Any] = {"story": Story(), "timeline": Timeline()}
    view = ClusterView()
    fed(folds, view, 0, cut)
    again, other = unpack_folds(pack_folds(folds)), view.copy()
    fed(folds, view, cut, len(ENTRIES))
    fed(again, other, cut, len(ENTRIES))
    assert pack_folds(again) == pack_folds(folds)
    assert again["timeline"].marks == folds["timeline"].marks
    assert [moment.text for moment in again["story"].teller.moments] == [
        moment.text for moment in folds["story"].teller.moments
    ]


def test_a_set_is_kept_as_the_same_bytes_whatever_order_it_has() -> None:
    names = [f"producer-{number}" for number in range(400)]
    ours = set(names)
    theirs = {name for name in reversed(names)}  # noqa: C416  # the other way round, which is the point
    assert list(ours) != list(theirs)
    assert pack_folds({"names": ours}) == pack_folds({"names": theirs})


def test_an_object_that_is_met_twice_comes_back_as_one() -> None:
    told = unpack_folds(pack_folds({"story": Story()}))["story"]
    assert told.losses.teller is told.teller


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, 2.5, "text", b"bytes", [1, [2]], (1, (2, 3)), {1, 2}, frozenset({3}), {"a": 1, (1, 2): [3]},
        Counter({"a": 2}), deque([1, 2], maxlen=3), TopicPartition("orders", 0),
    ],
)  # fmt: skip
def test_each_kind_of_value_comes_back_as_it_was(value: object) -> None:
    back = unpack_folds(pack_folds({"value": value}))["value"]
    assert (type(back), back) == (type(value), value)
    assert getattr(back, "maxlen", None) == getattr(value, "maxlen", None)


@dataclass
class Foreign:
    """Of no room of ours."""

    values: list[int] = field(default_factory=list)


def test_what_is_not_ours_is_not_kept() -> None:
    with pytest.raises(TypeError, match="holds a tests"):
        pack_folds({"value": Foreign()})


@pytest.mark.parametrize(
    "content",
    [b"", b"\xc1", b"\x91\xa3abc", b"\x93\xa6object\xaaos:getlogi\x80", b"\x92\xa5class\xb1cluster.lab:Answr"],
)
def test_what_no_fold_was_packed_to_is_refused(content: bytes) -> None:
    with pytest.raises(DecodeError, match="not the state of folds"):
        unpack_folds(content)
