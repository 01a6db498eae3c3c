from __future__ import annotations

from typing import Any

import pytest

from cluster.faults.grammar import VERB_OF
from cluster.model import events as ev
from cluster.model.entry import Entry
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.session.steps.decisions import decided
from workbench.session.views.cluster import ClusterView
from workbench.telling.lab import SHORTER
from workbench.telling.telling import ANSWER, CUT, DEED


def said(event: object, node: int = 101) -> tuple[str, str] | None:
    found = decided(Entry("r", node, 0, 0, 1, 1, 0, None, "", None, event), ClusterView())  # type: ignore[arg-type]
    return None if found is None else (found.phase, found.text)


def test_a_vote_names_its_voter_and_what_it_says() -> None:
    logs = {"candidate_last_epoch": 1, "candidate_last_offset": 5, "last_epoch": 1, "last_offset": 5}
    yes = ev.VoteGranted(epoch=2, candidate_id=102, pre_vote=False, **logs)
    no = ev.VoteRejected(epoch=2, candidate_id=102, pre_vote=False, why="voted", **logs)
    assert said(yes) == (ANSWER, "n101 yes") and said(no) == (ANSWER, "n101 no")
    pre = ev.VoteGranted(epoch=2, candidate_id=102, pre_vote=True, **logs)
    assert said(pre) == (ANSWER, "\u25d4n101 yes"), "a pre-vote is told from a vote"


def test_a_question_names_its_epoch_when_it_binds() -> None:
    fields: dict[str, Any] = {"epoch": 2, "last_epoch": 1, "last_offset": 5, "voters": (101, 102, 103)}
    texts = [said(ev.ElectionStarted(pre_vote=pre_vote, **fields)) for pre_vote in (True, False)]
    assert [found[1] for found in texts if found is not None] == ["\u25d4 n101", "n101 e2?"]


@pytest.mark.parametrize(
    ("kind", "arguments", "text"), [("Kill", "3", "\u2717 n3"), ("Partition", "1|2", "\u2717 cut")]
)
def test_a_fault_is_a_deed_and_names_its_node_where_it_has_one(kind: str, arguments: str, text: str) -> None:
    assert said(ev.FaultApplied(**fault_fields(1, kind, arguments)), 0) == (DEED, text)


def test_a_log_that_keeps_its_end_is_not_cut() -> None:
    fields: dict[str, Any] = {
        "topic": "orders",
        "partition": 0,
        "high_watermark": 4,
        "mode": "fetch",
        "why": "diverged",
    }
    assert said(ev.ReplicaTruncated(end_offset=5, old_end_offset=7, **fields), 1) == (CUT, "\u2702 n1")
    assert said(ev.ReplicaTruncated(end_offset=7, old_end_offset=7, **fields), 1) is None


def test_texts_fit_a_cell_and_hold_nothing_that_a_stranger_wrote() -> None:
    for payload in story.HOSTILE:
        recording = Recording()
        recording.extend(story.hostile_story(payload))
        words = [word for step in recording.steps.all for word in step.words]
        assert all(word.text.isprintable() and len(word.text) <= 14 for word in words)


def test_no_fault_is_named_by_half_a_word() -> None:
    for kind, verb in VERB_OF.items():
        found = said(ev.FaultApplied(**fault_fields(1, "Partition", "1|2") | {"kind": kind}), 0)
        assert found is not None
        word = found[1].removeprefix("\u2717 ")
        assert word in (SHORTER.get(verb), *verb.replace("-", " ").split()), (kind, word)
