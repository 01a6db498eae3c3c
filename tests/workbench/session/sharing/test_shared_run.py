"""The text of a run says all of it, and a text of anybody is either a run or one sentence."""

from __future__ import annotations

import base64
import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.events import LeaderElected, PredictionAnswered
from cluster.simulation.lab.journal import Outside
from cluster.simulation.world.kernel import START_NS
from workbench.session.sharing.shared_run import (
    BODY_MAX,
    COMMON,
    EVENTS_MAX,
    ITEMS_MAX,
    LONGEST_NS,
    TEXT_MAX,
    PlayedScript,
    SharedCluster,
    SharedRun,
    shared_in,
    text_of,
)
from workbench.support.refusal import BAD_DATA, VERSION, Refusal

KILL = Outside(moves=10, now_ns=START_NS + 5, events=3, command="kill 2", by="learner")
ANSWER = Outside(
    moves=12, now_ns=START_NS + 900, events=8, trigger="learner",
    note=PredictionAnswered(question="q1", answer="a-myth", right_answer="right"),
)  # fmt: skip
LAB = SharedRun(
    program="0.1.0", seed=7, trace_hash=b"12345678", end=(30, 2_000, 20),
    cluster=SharedCluster(3, 3, False, "A lab", {"pre_vote": False}, ("leader 101",)),
    outside=(KILL, ANSWER),
)  # fmt: skip
LESSON = SharedRun(
    program="0.1.0", seed=7, trace_hash=b"12345678", end=(30, 2_000, 20), source="lesson 4",
    script=PlayedScript(0, 0, 12, ((3, 10, 500),), "Lesson 4"), outside=(ANSWER,),
)  # fmt: skip


def packed(source: object, folded: bytes) -> str:
    return "kraft1-" + base64.urlsafe_b64encode(msgspec.msgpack.encode((source, folded))).decode().rstrip("=")


def folded(body: bytes) -> bytes:
    folding = zlib.compressobj(9, zdict=COMMON)
    return folding.compress(body) + folding.flush()


def refused(text: str) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        shared_in(text)
    said = str(refusal.value)
    assert said.isprintable() and "<" not in said and len(said) < 200 and "\n" not in said
    return refusal.value


@pytest.mark.parametrize("shared", [LAB, LESSON])
def test_what_is_read_is_what_was_told(shared: SharedRun) -> None:
    text = text_of(shared)
    assert shared_in(text) == shared
    assert shared_in(f"  https://example.org/tab.html#run={text}\n") == shared
    assert len(text) < 300


def test_a_text_of_another_form_is_refused_as_such() -> None:
    assert refused(text_of(LAB).replace("kraft1-", "kraft2-")).code == VERSION
    assert refused(text_of(LAB).replace("kraft1-", "kraft999999-")).code == VERSION


@pytest.mark.parametrize(
    "text",
    [
        "", "hello", "kraft1-", "kraft1-AAAA", "kraft1-" + base64.b64encode(b"\x7fELF" * 20).decode(),
        "\x1b]0;owned\x07\x1b[2J", "<script>alert(1)</script>", "kraft1-\x1b[31m", "kraft1-<b>", "kraftX-AA",
        "\x00" * 50, "kraft1-\u0660\u0661", "x" * 70_000, "\x00" * 10_000_000, "kraft1-" + "A" * TEXT_MAX,
    ],
)  # fmt: skip
def test_what_is_no_text_of_a_run_is_one_sentence(text: str) -> None:
    assert refused(text).code == BAD_DATA


@pytest.mark.parametrize("shared", [LAB, LESSON])
def test_a_text_that_lost_or_changed_a_letter_is_damaged(shared: SharedRun) -> None:
    text = text_of(shared)
    for place in range(7, len(text), 3):
        assert refused(text[:place]).code == BAD_DATA
    assert refused(text + "A" * 8).code == BAD_DATA
    middle = len(text) // 2
    assert refused(text[:middle] + ("B" if text[middle] == "A" else "A") + text[middle + 1 :]).code == BAD_DATA


def test_a_bomb_is_never_unfolded() -> None:
    assert refused(packed("", folded(b"\xc4" + bytes(BODY_MAX * 30)))).code == BAD_DATA


@pytest.mark.parametrize(
    "source", ["lesson 99", "lesson ../../secrets", "incident \x1b[2J", "file /etc/passwd", 7, None]
)
def test_a_source_that_is_not_here_is_refused(source: object) -> None:
    assert refused(packed(source, folded(b"\x90"))).code == BAD_DATA


def body(**changes: object) -> bytes:
    plain = {
        "program": "", "seed": 0, "trace_hash": b"12345678", "end": (1, 1, 1), "script": None,
        "cluster": (1, 1, False, "", {}, ()), "items": (),
    }  # fmt: skip
    return msgspec.msgpack.encode(tuple((plain | changes).values()))


@pytest.mark.parametrize(
    "changes",
    [
        {"end": (1, LONGEST_NS + 1, 1)}, {"end": (1, 1, EVENTS_MAX + 1)}, {"end": (-1, 1, 1)}, {"end": (1, -1, 1)},
        {"items": [((0, 0, 0), "", "")] * (ITEMS_MAX + 1)}, {"trace_hash": b"1"}, {"cluster": None},
        {"script": (0, 0, 0, (), "")}, {"seed": "0"},
        {"items": [((0, 0, 0), LeaderElected.name, "script", (1, 2, "x"))]},
        {"items": [((0, 0, 0), "lesson.step", "script", ("one", "text"))]},
        {"items": [((0, 0, 0), "lesson.nothing", "script", ())]},
    ],
)  # fmt: skip
def test_what_no_run_can_be_is_refused(changes: dict[str, object]) -> None:
    assert shared_in(packed("", folded(body())))
    assert refused(packed("", folded(body(**changes)))).code == BAD_DATA


@given(
    st.one_of(
        st.text(),
        st.binary().map(lambda data: packed("", data)),
        st.binary().map(lambda data: packed("", folded(data))),
    )
)
def test_whatever_comes_is_a_run_or_a_sentence(text: str) -> None:
    try:
        shared_in(text)
    except Refusal as refusal:
        assert str(refusal).isprintable()
