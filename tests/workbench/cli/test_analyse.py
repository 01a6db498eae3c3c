"""What the command refuses, and what it prints. None of it needs Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT_SPARK = "import sys; sys.modules['pyspark'] = None; from workbench.cli.app import main; main()"


def _run(*words: str, code: str = "from workbench.cli.app import main; main()") -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-c", code, "analyse", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr.strip()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ((), 2, "name one or more runs, or --last, or --class DIR"),
        (("x", "--last"), 2, "name one or more runs, or --last, or --class DIR"),
        (("--last", "--table", "nosuch"), 2, "--table: no 'nosuch'; there are runs,"),
        (("--last", "--table", "runs", "--format", "xml"), 2, "--format: 'xml'; there are csv, json, parquet"),
        (("--last", "--figures", "--table", "runs"), 2, "--figures goes with the report, not with --table"),
        (("--last", "--format", "csv"), 2, "--format goes with --table NAME"),
        (("--last", "--out", ""), 2, "--out: empty path"),
        (("--last", "--master", "sc://localhost:15002"), 2, "--master: 'sc://localhost:15002': Spark Connect is not"),
        (("--last", "--master", ""), 2, "--master: empty; leave it out for this machine"),
        (("--last", "--no-names"), 2, "--no-names goes with --class DIR"),
        (("--class", "x", "--follow"), 2, "--follow goes with runs, not with --class"),
        (("--last", "--table", "class_effort"), 2, "--table: no 'class_effort'; there are runs,"),
    ],
)
def test_a_mistake_is_told_in_one_line(words: tuple[str, ...], code: int, told: str, tmp_path: Path) -> None:
    found, out, error = _run(*words, "--data-dir", str(tmp_path))
    assert (found, out) == (code, "")
    assert told in error and len(error.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("x", "--out", "s3a://bucket/x", "--follow"), 2, "--follow goes with folders of this machine"),
        (("--last", "--out", "hdfs:/x"), 4, "no run is recorded in"),
        (("--last",), 4, "no run is recorded in"),
        (("nosuch",), 4, "no such run"),
        (("--class", "nosuch"), 4, "no recorded run below nosuch"),
    ],
)
def test_a_mistake_about_runs_is_told_in_one_line(words: tuple[str, ...], code: int, told: str, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the analysis extra is not installed: make install-analysis")
    test_a_mistake_is_told_in_one_line(words, code, told, tmp_path)


def test_without_the_extra_it_says_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "run" / "trace").mkdir(parents=True)
    code, out, error = _run(str(tmp_path / "run"), "--data-dir", str(tmp_path), code=WITHOUT_SPARK)
    assert (code, out) == (3, "")
    assert "pyspark" in error and "make install-analysis" in error
    assert [item.name for item in tmp_path.iterdir()] == ["run"]
