"""The expected output at the end of a script's file."""

from __future__ import annotations

from pathlib import Path

from cluster.scenario.output import Output, first_difference, rewrite, seed_of, split_output

SCRIPT = "cluster\nstatus\n"


def test_a_script_without_output_is_itself() -> None:
    assert split_output(SCRIPT) == (SCRIPT, None)


def test_everything_behind_the_heading_is_output_whatever_it_looks_like() -> None:
    text = SCRIPT + "[output seed=7]\n  1 ms  n1  kill 9\n\n[section]\n# no comment  \n\n"
    before, output = split_output(text)
    assert before == SCRIPT
    assert output == Output(7, ("  1 ms  n1  kill 9", "", "[section]", "# no comment"))


def test_rewriting_replaces_the_output_and_keeps_the_script(tmp_path: Path) -> None:
    path = tmp_path / "script.txt"
    path.write_text(SCRIPT)
    assert seed_of(path) is None
    rewrite(path, 3, ["a", "b"])
    rewrite(path, 4, ["c"])
    assert path.read_text() == "cluster\nstatus\n\n[output seed=4]\nc\n"
    assert seed_of(path) == 4
    assert [item.name for item in tmp_path.iterdir()] == ["script.txt"]


def test_the_first_line_that_differs_is_named() -> None:
    assert first_difference(["a", "b"], ["a", "b"]) == ""
    assert first_difference(["a", "b"], ["a", "c"]) == "output line 2 is 'c', expected 'b'"
    assert first_difference(["a"], ["a", "b"]) == "the output has 2 lines, expected 1"
