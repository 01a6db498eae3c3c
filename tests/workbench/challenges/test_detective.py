from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.events import FaultApplied, FaultReverted, ProcessExited
from cluster.trace.reader import read_all
from tests.support.challenges.graded import graded
from workbench.challenges.detective import HIDDEN, case_of, read_answer, record
from workbench.runs.judgement import judge
from workbench.support.refusal import Refusal


def answer(seed: int, off_s: float = 0.0) -> list[str]:
    found = [(deed.at_ns / 1e9 + off_s, deed.kind, deed.nodes) for deed in case_of(seed).deeds]
    return [f"at {at_s:.2f}s {kind} {'-'.join(map(str, sorted(nodes)))}" for at_s, kind, nodes in found]


def test_a_recording_tells_all_but_the_faults_and_can_be_read(tmp_path: Path) -> None:
    folder = record(3, tmp_path)
    entries = read_all(folder / "trace")
    assert not [entry for entry in entries if isinstance(entry.event, FaultApplied | FaultReverted)]
    late_ns = entries[0].t_ns + case_of(3).deeds[0].at_ns
    assert not [entry for entry in entries if entry.t_ns >= late_ns and isinstance(entry.event, HIDDEN)]
    assert len(entries) > 1000 and judge(folder).entry_count == len(entries)
    assert ProcessExited in HIDDEN


def test_all_three_within_half_a_second_are_right(tmp_path: Path) -> None:
    assert graded(tmp_path, 9, "\n".join(answer(3)), seed=3).solved
    assert graded(tmp_path, 9, "\n".join(answer(3, 0.49)), seed=3).solved


def test_too_late_too_few_too_many_or_elsewhere_are_wrong(tmp_path: Path) -> None:
    right = answer(3)
    for wrong in (answer(3, 0.6), right[:2], [*right, "at 40s pause 1"], [*right[:2], "at 40s pause 1"], answer(4)):
        assert not graded(tmp_path, 9, "\n".join(wrong), seed=3).solved, wrong


def test_each_seed_is_another_case() -> None:
    assert len({case_of(seed) for seed in range(30)}) == 30


def test_a_line_that_is_no_answer_is_named(tmp_path: Path) -> None:
    for text, said in (("pause 2", "line 1: 'pause 2'"), ("# so\nat 4s heal", "line 2"), ("at 4 pause 2", "line 1: ")):
        with pytest.raises(Refusal, match=said):
            read_answer(tmp_path / "a.txt", text)
