"""The expected output of a script: a block at the end of its file that a simulation must reproduce to the letter.

It begins with a line `[output seed=N]` and goes on to the end of the file; with no line behind it names the seed only.
On real processes it is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cluster.ordinary_file import read_ordinary

SCRIPT_BYTES_MAX = 4 << 20
HEADING = re.compile(r"\[output(?: seed=([0-9]{1,10}))?\]")


@dataclass(frozen=True, slots=True)
class Output:
    """What a simulation of the script prints."""

    seed: int
    """Of its first cluster; the clusters after it count on."""
    lines: tuple[str, ...]
    """Without trailing blanks."""


def split_output(text: str) -> tuple[str, Output | None]:
    """The script before its output block, and the block; None when the file has none."""
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        heading = HEADING.fullmatch(line.strip())
        if heading:
            rest = tuple(item.rstrip() for item in "".join(lines[index + 1 :]).rstrip().splitlines())
            return "".join(lines[:index]), Output(int(heading[1] or 0), rest)
    return text, None


def seed_of(path: Path) -> int | None:
    """The seed that a script's output was made with; None without one, and for what is no file."""
    try:  # what comes through a pipe can be read only once
        output = split_output(read_ordinary(path, SCRIPT_BYTES_MAX, follow=True).decode("utf-8"))[1]
    except (OSError, UnicodeDecodeError):
        return None
    return None if output is None else output.seed


def rewrite(path: Path, seed: int, lines: Sequence[str]) -> None:
    """Put this output at the end of a script file, in place of what stood there."""
    before = split_output(path.read_text("utf-8"))[0].rstrip()
    beside = path.with_name(path.name + ".new")
    beside.write_text(f"{before}\n\n[output seed={seed}]\n" + "".join(f"{line}\n" for line in lines), "utf-8")
    beside.replace(path)


def first_difference(expected: Sequence[str], printed: Sequence[str]) -> str:
    """One sentence about where two outputs part; empty when they do not."""
    for number, (wanted, got) in enumerate(zip(expected, printed, strict=False), start=1):
        if wanted != got:
            return f"output line {number} is '{got.strip()}', expected '{wanted.strip()}'"
    if len(expected) != len(printed):
        return f"the output has {len(printed)} lines, expected {len(expected)}"
    return ""
