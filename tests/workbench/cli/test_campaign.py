"""What the command refuses before it starts anything. None of it needs Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT_SPARK = "import sys; sys.modules['pyspark'] = None; from workbench.cli.app import main; main()"


def _run(*words: str, code: str = "from workbench.cli.app import main; main()") -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-c", code, "campaign", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr.strip()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("nosuch",), 4, "no campaign file 'nosuch'; those that come along: election-spread, lost-records,"),
        (("lost-records", "--record", "3"), 2, "--record: '3'; CELL:SEED with a cell from 1 to 48, for example 3:17"),
        (("lost-records", "--record", "1:2,49:1"), 2, "--record: '49:1'; CELL:SEED with a cell from 1 to 48"),
        (("lost-records", "--against", "49"), 2, "--against: '49'; a cell from 1 to 48, or code"),
        (("lost-records", "--until", "lost"), 2, "--until: 'lost'; MEASURE=WIDTH with one of loss_share, "),
        (("lost-records", "--until", "loss_share=-1"), 2, "--until: 'loss_share=-1'; MEASURE=WIDTH with one of"),
        (("lost-records", "--master", "sc://h"), 2, "--master: 'sc://h': Spark Connect is not supported"),
        (("lost-records", "--seeds", "0"), 2, "campaign: --seeds: needs 1 to 1000000, not 0"),
        (("lost-records", "--seeds", "1", "--seeds", "2"), 2, "--seeds is given twice"),
    ],
)
def test_a_mistake_is_told_in_one_line(words: tuple[str, ...], code: int, told: str, tmp_path: Path) -> None:
    found, out, error = _run(*words, "--data-dir", str(tmp_path))
    assert (found, out) == (code, "")
    assert told in error.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_in_the_file_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('title = "x"\nquestion = "y"\nmeasures = ["lots"]\n')
    code, out, error = _run(str(tmp_path / "mine.toml"), "--out", str(tmp_path / "out"))
    assert (code, out) == (4, "")
    assert error.startswith("workbench: mine.toml: measures: no such measure: 'lots'; there are split_share")
    assert len(error.splitlines()) == 1 and not (tmp_path / "out").exists()


def test_without_the_extra_it_says_how_to_install_it(tmp_path: Path) -> None:
    code, out, error = _run("lost-records", "--out", str(tmp_path / "out"), code=WITHOUT_SPARK)
    assert (code, out) == (3, "")
    assert "pyspark" in error and "make install-analysis" in error
    assert not (tmp_path / "out").exists()
