"""What is made from the code: `make pages` writes it, a test tells what is outdated.

The pages of docs/reference, and the seals of the bugs of the hunt.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import typer

from cluster.faults.grammar import known_commands
from cluster.scenario.events_page import sentences
from tools.bugs_page import bugs_page
from tools.course_pages import claims_page, glossary_page
from tools.rooms_page import rooms_page
from workbench.analysis.campaign.outcome import COLUMNS, Outcome
from workbench.challenges.bugs.sealed import SEALS, seals
from workbench.cli.app import app
from workbench.course.lesson_error import LessonError
from workbench.support.refusal import BAD_DATA, BUSY, ENVIRONMENT, INTERNAL, INTERRUPTED, USAGE, VERSION
from workbench.tui.input.keys import ALL, LAB, LESSON, LIVE, REPLAY, TABLE, Key
from workbench.tui.input.words import WORDS, Word

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "reference"
SEALED = ROOT / "workbench" / "challenges" / "bugs" / SEALS
COMMAND_LINE = """# The command line

Every command with its options, made from what `workbench COMMAND --help` says. Results go to stdout, all else to
stderr. `--json` is for machines. The exit codes stand at the end.
"""
EXIT_CODES = f"""## Exit codes

| code | when |
|---|---|
| 0 | done |
| 1 | something that was checked does not hold |
| {USAGE} | the command line, or a file that it names, is wrong |
| {ENVIRONMENT} | this machine or this place cannot do it: no terminal, no space, a port that is taken |
| {BAD_DATA} | a run or a file holds something that makes no sense |
| {VERSION} | a run was made by another version |
| {BUSY} | something is in the way: a run that is up, a file or a folder that exists |
| {INTERNAL} | a bug of the workbench; the message says where its traceback is |
| {INTERRUPTED} | ended by ctrl-C |
"""
KEYS = """# Keys

Made from the one table of keys that the screen, its footer and its help use. `?` shows the same on the screen, for
the mode you are in. Other keys: see [Settings](../guide/settings.md).
"""
BAR = """## Words of the command bar

Besides the [commands of the lab](faults.md), `:` knows these words for the screen itself.

| word | does | where |
|---|---|---|"""
FAULTS = """# Commands of the lab, and faults

One grammar serves keys, the command bar, `workbench inject`, lessons and scripts. This page is made from it.
[The lab](../guide/lab.md) has examples and the words that only the screen knows.

A node is a number, or a part that it plays: `leader(orders-0)`, `follower(orders-0)`, `coordinator(g1)`, `controller`.
`heal` and `undo` take faults back. They do not start a node that is down, and they do not mend files.

| command | form | what it does |
|---|---|---|
"""
OUTCOMES = """# Outcomes of a campaign

One row for each run, in `outcomes/*.parquet` of the output folder; a column can be null where its sentence says None.
Times are microseconds of the virtual clock. Counts begin with the fault unless they say otherwise. Two runs of the same
cell and seed by the same code are equal in every column. This page is made from the class that declares them.

| column | type | holds |
|---|---|---|
"""
MODES = {ALL: "everywhere", LIVE: "lab and lesson", (LESSON,): "lesson", (LAB,): "lab", (REPLAY,): "replay",
         (LAB, REPLAY): "lab and replay"}  # fmt: skip


def command_line() -> str:
    """Each command with its arguments and options."""
    commands = typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
    return "\n".join([COMMAND_LINE, *(_command(name, command) for name, command in commands), EXIT_CODES])


def _command(name: str, command: Any) -> str:
    arguments = [item for item in command.params if item.param_type_name == "argument"]
    options = [item for item in command.params if item.param_type_name == "option"]
    usage = " ".join(["workbench", name, *map(_argument, arguments), *["[OPTIONS]"][: len(options)]])
    lines = [f"## {name}", "", f"`{usage}`", "", command.help.strip(), ""]
    if command.params:
        lines += ["| | |", "|---|---|", *map(_parameter, [*arguments, *options]), ""]
    return "\n".join(lines)


def _argument(item: Any) -> str:
    name = (item.metavar or item.name).strip("[]").upper() + ("..." if item.nargs == -1 else "")
    return name if item.required else f"[{name}]"


def _parameter(item: Any) -> str:
    if item.param_type_name == "argument":
        return f"| `{_argument(item)}` | {cell(item.help)} |"
    value = f" {item.metavar}" if item.metavar and not item.is_flag else ""
    usual = f" By default `{item.default}`." if item.default not in (None, "", False) else ""
    return f"| `{', '.join(item.opts)}{value}` | {cell(item.help)}{usual} |"


def keys() -> str:
    """Every key, by the headings of the help."""
    parts = [KEYS]
    for group in dict.fromkeys(key.group for key in TABLE):
        found = [key for key in TABLE if key.group == group]
        heading = f"{group}, in a simulated run" if all(key.simulated for key in found) else group
        parts += [f"## {heading}", "", "| key | does | where |", "|---|---|---|", *map(_key, found), ""]
    return "\n".join([*parts, BAR, *map(_word, WORDS), ""])


def _word(word: Word) -> str:
    where = MODES[word.modes] + (", simulated" if word.simulated else "")
    return f"| {cell(f'`{word.usage}`')} | {cell(word.help)} | {where} |"


def _key(key: Key) -> str:
    shown = " ".join(f"`{part}`" for part in key.shown.split())
    return f"| {shown} | {cell(key.long)} | {MODES[key.modes]} |"


def faults() -> str:
    """Each verb of the grammar with its form and its sentence."""
    rows = (f"| `{item.verb}` | {cell(f'`{item.usage}`')} | {cell(item.help)} |" for item in known_commands())
    return FAULTS + "\n".join(rows) + "\n"


def outcomes() -> str:
    """Each column of a row with its type and its sentence."""
    said = sentences(Outcome)
    rows = (
        f"| `{item.name}` | {COLUMNS[str(item.type)]} | {cell(said.get(item.name, ''))} |" for item in fields(Outcome)
    )
    return OUTCOMES + "\n".join(rows) + "\n"


def cell(text: str) -> str:
    """Text within a table: a bar would end its cell."""
    return text.replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {
    "command-line.md": command_line,
    "keys.md": keys,
    "faults.md": faults,
    "../architecture/rooms.md": rooms_page,
    "claims.md": claims_page,
    "glossary.md": glossary_page,
    "outcomes.md": outcomes,
    "planted-bugs.md": bugs_page,
}


def outdated() -> Iterator[str]:
    """Names of pages that no longer say what the code says."""
    for name, make in PAGES.items():
        if (FOLDER / name).read_text("utf-8") != make():
            yield name
    if SEALED.read_text("utf-8") != seals():
        yield SEALS


def write(names: Iterable[str] = PAGES) -> None:
    """Write the pages anew."""
    for name in names:
        (FOLDER / name).write_text(PAGES[name](), "utf-8")
        sys.stdout.write(f"docs/reference/{name}\n")
    SEALED.write_text(seals(), "utf-8")


if __name__ == "__main__":
    try:
        write()
    except LessonError as error:
        sys.exit(str(error))
