from __future__ import annotations

from pathlib import Path

import pytest

from workbench.challenges.losses import LoseThree
from workbench.challenges.solution import read_solution, refuse_verdicts
from workbench.support.refusal import Refusal

FIELD = LoseThree.fields[0]


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.txt"
    path.write_text(text, "utf-8")
    return path


def test_commands_are_counted_without_the_field_and_without_what_only_looks(tmp_path: Path) -> None:
    lines = "produce orders 3 acks=1\nwhen part.became_leader on 2 then kill 1\nat 9s kill 2\nwait leader orders-0\n"
    for text in (lines, f"{FIELD}\n{lines}"):
        assert read_solution(written(tmp_path, text), FIELD).commands == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kil 1\n", "mine.txt: line 1: unknown verb 'kil'"),
        ("# a note\nkill 9\n", "mine.txt: line 2: "),
        ("cluster controllers=1 brokers=3\ntopic orders assign=1,2,3 min-isr=1\n", "another cluster than the one"),
        ("cluster controllers=3 brokers=3\nkill 1\n", "line 2: it has to begin with: cluster"),
        ("cluster controllers=3 brokers=3\n", "has to begin with"),
        (f"{FIELD}\n[two]\ncluster controllers=3 brokers=3\nkill 1\n", "starts a second cluster"),
    ],
)
def test_what_is_no_solution_is_named_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=said):
        read_solution(written(tmp_path, text), FIELD)


def test_a_hunt_may_not_ask_the_checker(tmp_path: Path) -> None:
    path = written(tmp_path, "kill 1\nexpect verdict P1 holds\n")
    with pytest.raises(Refusal, match="line 4: a bug hunt asks you"):
        refuse_verdicts(path, read_solution(path, FIELD).script)
