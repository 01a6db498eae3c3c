from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.challenges.own_rule.kinds import KINDS, example
from workbench.cli.own_rule import NOTE, own_rule
from workbench.support.option_types import SeedRange
from workbench.support.refusal import Refusal

SEEDS = SeedRange(1, 2)


def test_an_example_is_printed_that_can_be_handed_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert own_rule("", "acknowledge", SEEDS, 1, None, as_json=False) == 0
    text = capsys.readouterr().out
    assert text == example(KINDS["acknowledge"])
    (tmp_path / "mine.py").write_text(text, "utf-8")
    assert own_rule(str(tmp_path / "mine.py"), "", SEEDS, 1, str(tmp_path / "home"), as_json=False) == 0
    said = capsys.readouterr()
    assert said.out == "acknowledge: held for 2 seeds, 1..2\n" and NOTE in said.err


def test_a_wrong_rule_is_refuted_and_its_script_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = example(KINDS["acknowledge"])
    (tmp_path / "mine.py").write_text(right.replace("records_end <= high_watermark", "True"), "utf-8")
    assert own_rule(str(tmp_path / "mine.py"), "", SEEDS, 1, str(tmp_path / "home"), as_json=True) == 1
    row = json.loads(capsys.readouterr().out)
    assert row["word"] == "broken" and Path(row["file"]).read_text("utf-8") == row["script"]


def test_what_is_asked_wrongly_is_refused() -> None:
    with pytest.raises(Refusal, match="no rule 'vote'; there are grant_vote"):
        own_rule("", "vote", SEEDS, 1, None, as_json=False)
    with pytest.raises(Refusal, match="name a file, or --example"):
        own_rule("", "", SEEDS, 1, None, as_json=False)
