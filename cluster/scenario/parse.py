"""Text to script: one pass over the lines; the first mistake ends it with its line number."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from cluster.faults.grammar import known_commands
from cluster.language.words import CommandError, duration_ms
from cluster.model.identifiers import OF_ONE_ROLE_MAX
from cluster.model.settings import CHOICES, TIMER_MAX_MS, ZOOKEEPER, Settings, setting_names, zookeeper_complaint
from cluster.scenario.conditions import parse_condition, parse_value
from cluster.scenario.event_pattern import parse_pattern
from cluster.scenario.given import GivenFault, GivenNetwork, parse_given
from cluster.scenario.output import split_output
from cluster.scenario.script import (
    At,
    ClusterPlan,
    Do,
    Expect,
    Keep,
    Remember,
    Say,
    Script,
    ScriptError,
    Section,
    Step,
    When,
)
from cluster.scenario.terms import GrammarError
from cluster.scenario.told import EventSeen, VerdictIs
from cluster.scenario.validate import Known

SCRIPT_MAX = 1 << 20
LINE_MAX = 4000
_SECTION = re.compile(r"\[([a-z0-9][a-z0-9_-]{0,63})\]")
_SECONDS = re.compile(r"([0-9]{1,6})(?:\.([0-9]{1,9}))?s")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
OWN_VERBS = ("cluster", "given", "expect", "wait", "keep", "remember", "when", "try", "at", "say")
_COUNTS = {"controllers": (1, OF_ONE_ROLE_MAX), "brokers": (0, OF_ONE_ROLE_MAX)}


def parse_script(text: str) -> Script:
    """The checked script. ScriptError on the first mistake; nothing has been started then."""
    if len(text) > SCRIPT_MAX:
        raise ScriptError(1, f"a script has at most {SCRIPT_MAX} characters, this one has {len(text)}")
    reading = _Reading()
    steps, output = split_output(text)
    for number, line in enumerate(steps.splitlines(), start=1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        if len(words) > LINE_MAX:
            raise ScriptError(number, f"a line has at most {LINE_MAX} characters")
        try:
            reading.take(number, words)
        except (GrammarError, CommandError) as error:
            raise ScriptError(number, str(error)) from error
    return replace(reading.finish(), output=output)


@dataclass(slots=True)
class _Reading:
    """What has been read so far."""

    sections: list[Section] = field(default_factory=list)
    name: str = ""
    line: int = 1
    plan: ClusterPlan | None = None
    steps: list[Step] = field(default_factory=list)
    known: Known | None = None
    names: set[str] = field(default_factory=set)

    def take(self, number: int, line: str) -> None:
        """One line that is neither empty nor a comment."""
        heading = _SECTION.fullmatch(line)
        if heading:
            self._begin(number, heading[1])
            return
        if line.startswith("["):
            raise GrammarError(f"not a section name '{line[:80]}'; allowed: [a-z 0-9 _ -]")
        verb, _, rest = line.partition(" ")
        if verb == "cluster":
            self._cluster(rest.split())
            return
        if self.known is None:
            raise GrammarError("the first line must be: cluster controllers=3 brokers=3 timing=classroom")
        if verb == "given":
            self._given(number, rest.split())
            return
        self.steps.append(self._step(number, verb, rest.strip(), line))

    def _begin(self, number: int, name: str) -> None:
        if name in {self.name, *(section.name for section in self.sections)}:
            raise GrammarError(f"section [{name}] is there twice")
        self._end()
        self.name, self.line = name, number

    def _end(self) -> None:
        if self.name or self.plan or self.steps:
            self.sections.append(Section(self.name, self.line, self.plan, tuple(self.steps)))
        self.plan, self.steps = None, []

    def finish(self) -> Script:
        """The script."""
        self._end()
        if self.known is None:
            raise ScriptError(1, "no cluster line: cluster controllers=3 brokers=3 timing=classroom")
        return Script(tuple(self.sections))

    def _cluster(self, words: list[str]) -> None:
        if self.plan is not None or self.steps:
            raise GrammarError("a cluster line stands first in its section")
        self.plan = parse_cluster(words)
        self.known = Known(self.plan)
        self.names = set()

    def _given(self, number: int, words: list[str]) -> None:
        if self.plan is None or self.steps:
            raise GrammarError("what is given stands directly below its cluster line")
        assert self.known is not None
        given = parse_given(words)
        if self.plan.combined and not isinstance(given, GivenFault | GivenNetwork):
            raise GrammarError("a combined cluster can be given nothing but faults and a network")
        self.known.check_given(given)
        self.plan = self.known.plan = replace(
            self.plan,
            given=(*self.plan.given, given),
            given_lines=(*self.plan.given_lines, " ".join(words)),
            given_at=(*self.plan.given_at, number),
        )

    def _step(self, number: int, verb: str, rest: str, line: str) -> Step:
        assert self.known is not None
        names = frozenset(self.names)
        match verb:
            case "expect" | "wait":
                words, within_ms = _tail(rest.split(), "within", verb)
                condition = parse_condition(words, names)
                if isinstance(condition, EventSeen) and not condition.wanted:
                    raise GrammarError(f"{verb}: what must not come is kept: keep no event EVENT for 2s")
                if isinstance(condition, VerdictIs) and within_ms is not None:
                    raise GrammarError(f"{verb}: a verdict is judged at once, without within")
                self.known.check_condition(condition)
                return Expect(number, line, condition, within_ms, verb == "wait")
            case "keep":
                words, for_ms = _tail(rest.split(), "for", verb)
                if for_ms is None:
                    raise GrammarError("keep: how long is missing; the form is: keep CONDITION for 2s")
                condition = parse_condition(words, names)
                if isinstance(condition, VerdictIs):
                    raise GrammarError("keep: a verdict is judged once; the form is: expect verdict RULE holds")
                self.known.check_condition(condition)
                return Keep(number, line, condition, for_ms)
            case "remember":
                name, equals, term = rest.partition("=")
                name = name.strip()
                if not equals or not _NAME.fullmatch(name):
                    raise GrammarError("the form is: remember name = VALUE, the name of a-z 0-9 _")
                value = parse_value(term.split(), names)
                self.known.check_value(value)
                self.names.add(name)
                return Remember(number, line, name, value)
            case "when":
                event, then, command = rest.partition(" then ")
                if not then:
                    raise GrammarError("the form is: when EVENT [on N] [FIELD=VALUE ...] then COMMAND")
                pattern = parse_pattern(event.split(), names)
                self.known.check_pattern(pattern)
                self.known.check_command(command.strip(), names)
                return When(number, line, pattern, command.strip())
            case "at":
                return self._at(number, rest, line, names)
            case "try":
                self._check_verb(rest.partition(" ")[0])
                self.known.check_command(rest, names)
                return Do(number, rest, may_fail=True)
            case "say":
                return Say(number, rest)
            case _:
                self._check_verb(verb)
                self.known.check_command(line, names)
                return Do(number, line)

    def _at(self, number: int, rest: str, line: str, names: frozenset[str]) -> At:
        assert self.known is not None
        time, _, command = rest.partition(" ")
        seconds = _SECONDS.fullmatch(time)
        if seconds is None or not command.strip():
            raise GrammarError("the form is: at 12.345s COMMAND, the time since the cluster began")
        self._check_verb(command.partition(" ")[0])
        self.known.check_command(command.strip(), names)
        at_ns = int(seconds[1]) * 1_000_000_000 + int((seconds[2] or "").ljust(9, "0"))
        return At(number, line, at_ns, command.strip())

    @staticmethod
    def _check_verb(verb: str) -> None:
        verbs = [*OWN_VERBS, *(item.verb for item in known_commands())]
        if verb not in verbs:
            near = get_close_matches(verb, verbs, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else "allowed: " + ", ".join(verbs)
            raise GrammarError(f"unknown verb '{verb[:40]}'; {hint}")


def _tail(words: list[str], keyword: str, verb: str) -> tuple[list[str], int | None]:
    """The words before `keyword DURATION` at the end, and the duration."""
    if len(words) > 1 and words[-2] == keyword:
        return words[:-2], duration_ms(words[-1], f"{verb}: {keyword}")
    return words, None


def parse_cluster(words: list[str]) -> ClusterPlan:
    """The words after `cluster`."""
    counts = {"brokers": 3}
    timing, combined = "classroom", False
    overrides: dict[str, int | bool | str] = {}
    seen: set[str] = set()
    for word in words:
        key, equals, value = word.partition("=")
        if key in seen:
            raise GrammarError(f"cluster: {key} is given twice")
        seen.add(key)
        if not equals:
            raise GrammarError(f"cluster: not key=value: '{word[:60]}'")
        if key in _COUNTS:
            counts[key] = _number(key, value, *_COUNTS[key])
        elif key == "combined":
            if value not in ("yes", "no"):
                raise GrammarError(f"cluster: combined: '{value[:40]}'; allowed: yes, no")
            combined = value == "yes"
        elif key == "timing":
            if value not in ("classroom", "kafka"):
                raise GrammarError(f"cluster: timing: '{value[:40]}'; allowed: classroom, kafka")
            timing = value
        elif key in setting_names():
            overrides[key] = _setting(key, value)
        else:
            near = get_close_matches(key, [*_COUNTS, "timing", "combined", *setting_names()], n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else f"allowed: {', '.join(setting_names())}"
            raise GrammarError(f"cluster: unknown key '{key[:60]}'; {hint}")
    if overrides.get("control") == ZOOKEEPER and (combined or counts.get("controllers", 1) != 1):
        raise GrammarError("cluster: control=zookeeper has one coordinator and brokers: controllers=1 combined=no")
    if wrong := zookeeper_complaint(overrides):
        raise GrammarError(f"cluster: {wrong[0]}: allowed: {wrong[1]}, which has nothing else")
    return ClusterPlan(
        controllers=counts.get("controllers", 1 if overrides.get("control") == ZOOKEEPER else 3),
        brokers=counts["brokers"],
        timing=timing,
        overrides=tuple(overrides.items()),
        combined=combined,
    )


def _setting(key: str, value: str) -> int | bool | str:
    present = getattr(Settings(), key)
    if isinstance(present, bool):
        if value not in ("on", "off"):
            raise GrammarError(f"cluster: {key}: '{value[:40]}'; allowed: on, off")
        return value == "on"
    if isinstance(present, str):
        allowed = CHOICES[key]
        if value not in allowed:
            raise GrammarError(f"cluster: {key}: '{value[:40]}'; allowed: {', '.join(allowed)}")
        return value
    return _number(key, value, 1, TIMER_MAX_MS if key.endswith("_ms") else 1 << 30)


def _number(key: str, value: str, least: int, most: int) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 13 and least <= int(value) <= most):
        raise GrammarError(f"cluster: {key}: '{value[:40]}'; allowed: {least} to {most}")
    return int(value)
