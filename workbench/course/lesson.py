"""Reads one lesson folder: lesson.md (front matter, steps, predictions) and scenario.txt (the script of its steps)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster.invariants.all_invariants import INVARIANT_IDS
from cluster.invariants.trace import COUNTED_WORDS
from cluster.ordinary_file import StrangeFile, read_ordinary
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.conditions import Condition, parse_state_condition
from cluster.scenario.main import read_script
from cluster.scenario.script import Remember, Script, ScriptError
from cluster.scenario.terms import GrammarError, Memory
from workbench.course.figures import FIGURE, unknown_figure
from workbench.support.refusal import BAD_DATA, VERSION

SCHEMA = 1
LESSON_MAX = 1 << 20
_KEYS = {"schema": int, "title": str, "minutes": int, "needs": list, "sources": list}
_BREAKS, _MINIMUM = "breaks", "minimum"
_OPTION = re.compile(r"([a-d])\. (.+?) :: (.+)")
_ID = re.compile(r"[a-z][a-z0-9_-]{0,40}")
_BLOCKS = ("do", "predict", "reveal", "notes")


class LessonError(Exception):
    """A lesson that cannot be used: file, line, what is wrong. code is the exit code."""

    def __init__(self, path: Path, line: int, what: str, code: int = BAD_DATA) -> None:
        super().__init__(f"{path.parent.name}/{path.name}:{line}: {what}")
        self.line = line
        """From 1."""
        self.code = code
        """4 bad data, 5 another version."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose, and when it is the right one."""

    letter: str
    text: str
    condition: Condition


@dataclass(frozen=True, slots=True)
class Prediction:
    """A question asked before a step runs; its right answer is computed once the step has run."""

    id: str
    question: str
    options: tuple[Option, ...]

    def right_answer(self, state: ClusterState, memory: Memory) -> str:
        """Letter of the one option whose condition holds; empty when none or several do."""
        held = [option.letter for option in self.options if option.condition.check(state, memory)[0]]
        return held[0] if len(held) == 1 else ""


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One step: read, predict, do, see."""

    heading: str
    prose: str
    """Markdown without the fenced blocks; figures in it, in reveal and notes are told by `timing.with_figures`."""
    do: str
    """Section of the script; empty when there is nothing to do."""
    prediction: Prediction | None
    reveal: str
    """Shown after the step has run."""
    notes: str = ""
    """For the speaker alone."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A whole lesson; the copy read at start is the one that is used."""

    name: str
    """Name of its folder."""
    title: str
    minutes: int
    needs: tuple[str, ...]
    """Names of lessons to take before."""
    sources: tuple[str, ...]
    """Documents it is drawn from."""
    steps: tuple[LessonStep, ...]
    script: Script
    breaks: dict[str, tuple[str, ...]]
    """Section of the script to the rules that must be broken by its end, for example P1; see `workbench check`."""
    minimum: dict[str, dict[str, int]]
    """Section to what must have happened in its run by its end, for example elections: 2; else nothing is judged."""
    folder: Path = Path()
    """Where it was read."""
    timing: str = ""
    """Asked for instead of what its script says: classroom or kafka; empty for nothing."""

    @property
    def number(self) -> str:
        """What stands before the first underscore of the name."""
        return self.name.partition("_")[0]


def read_lesson(folder: Path) -> Lesson:
    """The checked lesson of a folder. LessonError on the first mistake; nothing has been started then."""
    path = folder / "lesson.md"
    text = _text(path)
    try:
        script = read_script(folder / "scenario.txt")
    except ScriptError as error:
        raise LessonError(folder / "scenario.txt", error.line, error.what) from error
    except OSError as error:
        raise LessonError(folder / "scenario.txt", 1, f"cannot be read: {error.strerror}") from error
    lines = text.splitlines()
    facts, body = _front_matter(path, lines)
    steps = _Steps(path, script).read(lines, body)
    done = [step.do for step in steps if step.do]
    wanted = [section.name for section in script.sections]
    if done != wanted:
        raise LessonError(path, body + 1, f"the do blocks are {done}, the sections of scenario.txt are {wanted}")
    return Lesson(
        folder.name,
        facts["title"],
        facts["minutes"],
        tuple(facts["needs"]),
        tuple(facts["sources"]),
        tuple(steps),
        script,
        _breaks(path, facts.get(_BREAKS, {}), wanted),
        _minimum(path, facts.get(_MINIMUM, {}), wanted),
        folder.absolute(),
    )


def read_needs(path: Path) -> tuple[tuple[str, ...], int]:
    """Names of the lessons to take before that of a lesson.md, and the line, from 1, that says so."""
    lines = _text(path).splitlines()
    facts, body = _front_matter(path, lines)
    told = (number for number, text in enumerate(lines[:body], start=1) if re.match(r"\s*needs\s*=", text))
    return tuple(facts["needs"]), next(told, 2)


def _text(path: Path) -> str:
    try:
        data = read_ordinary(path, LESSON_MAX, follow=True)
        return data.decode("utf-8")
    except StrangeFile as error:
        raise LessonError(path, 1, str(error.strerror)) from error
    except OSError as error:
        raise LessonError(path, 1, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise LessonError(path, line, f"not UTF-8 at byte {error.start}") from error


def _front_matter(path: Path, lines: list[str]) -> tuple[dict[str, Any], int]:
    if not lines or lines[0] != "+++" or "+++" not in lines[1:]:
        raise LessonError(path, 1, "the front matter must stand between two lines +++")
    end = lines.index("+++", 1)
    try:
        facts = tomllib.loads("\n".join(lines[1:end]))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        raise LessonError(path, int(found[1]) + 1 if found else 2, f"front matter: {error}") from error
    if "schema" not in facts:
        raise LessonError(path, 2, f"no schema version; write: schema = {SCHEMA}")
    if type(facts["schema"]) is int and facts["schema"] > SCHEMA:
        told = f"schema {facts['schema']} needs a newer workbench; this one reads {SCHEMA}"
        raise LessonError(path, 2, told, VERSION)
    for key, kind in _KEYS.items():
        if type(facts.get(key)) is not kind:
            raise LessonError(path, 2, f"{key}: expected {kind.__name__}")
    unknown = sorted(set(facts) - {*_KEYS, _BREAKS, _MINIMUM})
    if unknown:
        raise LessonError(path, 2, f"unknown key {unknown[0]!r}; allowed: {', '.join([*_KEYS, _BREAKS, _MINIMUM])}")
    if not all(isinstance(item, str) for key in ("needs", "sources") for item in facts[key]):
        raise LessonError(path, 2, "needs and sources are lists of texts")
    return facts, end + 1


def _breaks(path: Path, plain: Any, sections: list[str]) -> dict[str, tuple[str, ...]]:
    """Rules that each section promises to break."""
    if not isinstance(plain, dict) or not all(isinstance(rules, list) for rules in plain.values()):
        raise LessonError(path, 2, f'{_BREAKS}: expected a table, for example {{ cut = ["C1"] }}')
    for section, rules in plain.items():
        if section not in sections:
            raise LessonError(path, 2, f"{_BREAKS}: no section {section[:40]!r}; there are {', '.join(sections)}")
        strange = [rule for rule in rules if rule not in INVARIANT_IDS]
        if strange:
            raise LessonError(path, 2, f"{_BREAKS}: no rule {str(strange[0])[:40]!r}; workbench check names them all")
    return {section: tuple(rules) for section, rules in plain.items()}


def _minimum(path: Path, plain: Any, sections: list[str]) -> dict[str, dict[str, int]]:
    """What must have happened by the end of each section."""
    example = "for example { kill = { elections = 2 } }"
    if not isinstance(plain, dict) or not all(isinstance(counts, dict) for counts in plain.values()):
        raise LessonError(path, 2, f"{_MINIMUM}: expected a table of tables, {example}")
    for section, counts in plain.items():
        if section not in sections:
            raise LessonError(path, 2, f"{_MINIMUM}: no section {section[:40]!r}; there are {', '.join(sections)}")
        strange = [word for word, count in counts.items() if word not in COUNTED_WORDS or type(count) is not int]
        if strange:
            allowed = ", ".join(sorted(COUNTED_WORDS))
            raise LessonError(path, 2, f"{_MINIMUM}: {strange[0][:40]!r} is no number of {allowed}")
    return {section: dict(counts) for section, counts in plain.items()}


class _Steps:
    """Reads the body line by line."""

    def __init__(self, path: Path, script: Script) -> None:
        self._path = path
        self._script = script
        self._steps: list[LessonStep] = []
        self._ids: set[str] = set()
        self._names: set[str] = set()
        self._has_cluster = False

    def read(self, lines: list[str], start: int) -> list[LessonStep]:
        """All steps of the lines from index start on."""
        heads = [index for index in range(start, len(lines)) if lines[index].startswith("## ")]
        if not heads:
            raise LessonError(self._path, start + 1, "no step; each begins with a line '## Heading'")
        early = next((index for index in range(start, heads[0]) if lines[index].strip()), None)
        if early is not None:
            raise LessonError(self._path, early + 1, "text before the first heading")
        for begin, end in zip(heads, [*heads[1:], len(lines)], strict=True):
            self._steps.append(self._step(lines, begin, end))
        return self._steps

    def _step(self, lines: list[str], begin: int, end: int) -> LessonStep:
        prose: list[str] = []
        blocks: dict[str, tuple[int, str, list[str]]] = {}
        index = begin + 1
        while index < end:
            line = lines[index]
            if not line.startswith("```"):
                prose.append(line)
                index += 1
                continue
            kind, _, argument = line.removeprefix("```").strip().partition(" ")
            close = next((at for at in range(index + 1, end) if lines[at] == "```"), None)
            if close is None:
                raise LessonError(self._path, index + 1, "a fenced block is not closed in its step")
            if kind not in _BLOCKS or kind in blocks:
                why = "is there twice in this step" if kind in blocks else f"is unknown; allowed: {', '.join(_BLOCKS)}"
                raise LessonError(self._path, index + 1, f"block '{kind[:40]}' {why}")
            blocks[kind] = (index + 1, argument.strip(), lines[index + 1 : close])
            index = close + 1
        do = self._do(*blocks["do"]) if "do" in blocks else ""
        self._check_figures(lines, begin, end)
        prediction = self._predict(*blocks["predict"]) if "predict" in blocks else None
        if prediction is not None and not do:
            raise LessonError(self._path, blocks["predict"][0], "a prediction needs a do block in its step")
        reveal, notes = ("\n".join(blocks[kind][2]).strip() if kind in blocks else "" for kind in ("reveal", "notes"))
        return LessonStep(lines[begin][3:].strip(), "\n".join(prose).strip(), do, prediction, reveal, notes)

    def _check_figures(self, lines: list[str], begin: int, end: int) -> None:
        """Each names a timer, and there is a cluster that has it."""
        for at, text in enumerate(lines[begin:end], start=begin + 1):
            wrong = unknown_figure(text)
            if wrong:
                raise LessonError(self._path, at, f"{{{wrong[:60]}}}: no timer of cluster/model/settings.py")
            if FIGURE.search(text) and not self._has_cluster:
                raise LessonError(self._path, at, "a figure before the first step with a cluster")

    def _do(self, line: int, argument: str, body: list[str]) -> str:
        name = " ".join([argument, *body]).strip()
        section = self._script.section(name)
        if section is None:
            known = ", ".join(item.name for item in self._script.sections)
            raise LessonError(self._path, line, f"do: no section '{name[:60]}' in scenario.txt; there are: {known}")
        if section.plan is not None:
            self._names, self._has_cluster = set(), True
        self._names |= {step.name for step in section.steps if isinstance(step, Remember)}
        return name

    def _predict(self, line: int, name: str, body: list[str]) -> Prediction:
        if not _ID.fullmatch(name) or name in self._ids:
            raise LessonError(self._path, line, f"predict: needs an id of its own: '{name[:40]}'")
        self._ids.add(name)
        question: list[str] = []
        options: list[Option] = []
        for at, text in enumerate(body, start=line + 1):
            if FIGURE.search(text):
                raise LessonError(self._path, at, "predict: a question is the same in every run, it has no figures")
            found = _OPTION.fullmatch(text.strip())
            if found is None:
                if options:
                    raise LessonError(self._path, at, "an option is written: a. text :: condition")
                question.append(text)
                continue
            if found[1] != "abcd"[len(options)]:
                raise LessonError(self._path, at, f"option {found[1]} is out of order")
            try:
                condition = parse_state_condition(found[3].split(), frozenset(self._names))
            except GrammarError as error:
                raise LessonError(self._path, at, str(error)) from error
            options.append(Option(found[1], found[2], condition))
        if len(options) < 2 or not "".join(question).strip():
            raise LessonError(self._path, line, "predict: needs a question and two to four options")
        return Prediction(name, "\n".join(question).strip(), tuple(options))
