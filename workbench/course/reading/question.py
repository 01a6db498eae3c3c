"""Reads predict and transfer: the question, its options, and the worlds in which a wrong one would be right."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from cluster.scenario.script import ScriptError
from cluster.scenario.terms import GrammarError
from workbench.course.content import Option, OtherWorld, Question
from workbench.course.lesson_error import LessonError
from workbench.course.other_world import changes_of, other_script
from workbench.course.reading.cluster_so_far import ClusterSoFar
from workbench.course.reading.frame import Piece
from workbench.course.reading.text_checks import check_letters, check_plain

OPTIONS = range(3, 5)
ID = re.compile(r"[a-z][a-z0-9-]{0,40}")
IN_NO_RUN = "in no run"
_OPTION = re.compile(r"- (.+?)(?: !(\S*))?")
_MISCONCEPTION = re.compile(r"- `([^`]+)`: (.+)")
_KEYS = ("when", "why", "would")


@dataclass(slots=True)
class _Draft:
    """One option as far as read."""

    line: int
    text: str
    misconception: str
    when: str = ""
    when_line: int = 0
    why: str = ""
    why_line: int = 0
    would: list[tuple[int, str]] = field(default_factory=list)


def misconceptions_in(folder: Path) -> dict[str, str]:
    """Name of each misconception that the lessons of a folder may meet, and what is believed."""
    try:
        lines = (folder / "misconceptions.md").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    return {parts[1]: parts[2] for line in lines if (parts := _MISCONCEPTION.fullmatch(line.strip()))}


@dataclass(slots=True)
class QuestionReader:
    """Reads the questions of one lesson, one after the other."""

    path: Path
    scenario: str
    misconceptions: dict[str, str]
    ids: set[str] = field(default_factory=set)

    def read(self, piece: Piece, section: str, cluster: ClusterSoFar) -> Question:
        """One question. The cluster has played the section."""
        if not ID.fullmatch(piece.argument):
            wrong = f"{piece.kind} needs a name of a-z 0-9 -, for example: {piece.kind} who-leads"
            raise self._wrong(piece.line, wrong)
        if piece.argument in self.ids:
            raise self._wrong(piece.line, f"two questions are called '{piece.argument}'")
        self.ids.add(piece.argument)
        check_plain(self.path, piece)
        text, drafts = self._drafts(piece)
        if not text:
            raise self._wrong(piece.line, f"{piece.kind}: the question is missing; it stands above the options")
        if len(drafts) not in OPTIONS:
            raise self._wrong(piece.line, f"{piece.kind} has {len(drafts)} options; three or four are allowed")
        right = [draft for draft in drafts if not draft.misconception]
        if len(right) != 1:
            wrong = f"{len(right)} options have no !misconception; exactly one has none, the right one"
            raise self._wrong(right[1].line if right else piece.line, wrong)
        seen: dict[str, int] = {}
        for draft in drafts:
            same = " ".join(draft.when.split())
            if same in seen:
                raise self._wrong(draft.when_line, f"when: the same condition as in line {seen[same]}")
            seen[same] = draft.when_line
        options = tuple(self._option(draft, section, cluster) for draft in drafts)
        return Question(piece.argument, text, options, piece.kind == "transfer", piece.line)

    def _drafts(self, piece: Piece) -> tuple[str, list[_Draft]]:
        question: list[str] = []
        drafts: list[_Draft] = []
        for number, text in piece.numbered():
            if text.startswith("- "):
                drafts.append(self._begun(number, text))
            elif not drafts:
                self._check_constant(number, text, "the question")
                question.append(text.strip())
            elif text.startswith("  "):
                self._take(drafts[-1], number, text.strip())
            else:
                wrong = "below the first option a line begins with '- ' or with two blanks and when:, why: or would:"
                raise self._wrong(number, wrong)
        for draft in drafts:
            for key in ("when", "why"):
                if not getattr(draft, key):
                    raise self._wrong(draft.line, f"{key} is missing; write below the option: '  {key}: ...'")
        return "\n".join(question), drafts

    def _begun(self, number: int, text: str) -> _Draft:
        parts = _OPTION.fullmatch(text.rstrip())
        assert parts is not None, "it begins with a dash"
        name = parts[2]
        self._check_constant(number, parts[1], "an option")
        if name is not None and name not in self.misconceptions:
            near = get_close_matches(name, self.misconceptions, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else f"add there: - `{name[:60]}`: what is believed"
            raise self._wrong(number, f"!{name[:60]} is not in misconceptions.md; {hint}")
        return _Draft(number, parts[1], name or "")

    def _take(self, draft: _Draft, number: int, text: str) -> None:
        key, colon, rest = text.partition(":")
        rest = rest.strip()
        if not colon or key not in _KEYS:
            raise self._wrong(number, f"not a line of an option: '{text[:60]}'; allowed: {', '.join(_KEYS)}")
        if not rest:
            raise self._wrong(number, f"{key}: says nothing")
        if key == "would":
            draft.would.append((number, rest))
            return
        if getattr(draft, key):
            raise self._wrong(number, f"{key} is there twice in this option")
        setattr(draft, key, rest)
        setattr(draft, f"{key}_line", number)

    def _check_constant(self, number: int, text: str, what: str) -> None:
        if "{" in text:
            raise self._wrong(number, f"{what} has {{...}}; a question is the same in every run")
        check_letters(self.path, number, text, what)

    def _option(self, draft: _Draft, section: str, cluster: ClusterSoFar) -> Option:
        when = cluster.conditions(draft.when_line, draft.when, "when")
        cluster.check_values([(draft.why_line, draft.why)])
        check_letters(self.path, draft.why_line, draft.why, "why")
        if draft.would and not draft.misconception:
            raise self._wrong(draft.would[0][0], "would: this option is meant to be right; it needs no other world")
        if draft.misconception and not draft.would and IN_NO_RUN not in draft.why.lower():
            wrong = f"a wrong option without would; add one, or say '{IN_NO_RUN}' in its why"
            raise self._wrong(draft.line, wrong)
        would = tuple(self._other_world(number, text, section) for number, text in draft.would)
        return Option(draft.text, draft.misconception, when, draft.why, would, draft.line)

    def _other_world(self, line: int, text: str, section: str) -> OtherWorld:
        try:
            world = OtherWorld(text, changes_of(text), line)
            other_script(self.scenario, section, world)
        except GrammarError as error:
            raise self._wrong(line, f"would: {error}") from error
        except ScriptError as error:
            raise self._wrong(line, f"would: the changed script cannot be played: {error.what}") from error
        return world

    def _wrong(self, line: int, what: str) -> LessonError:
        return LessonError(self.path, line, what)
