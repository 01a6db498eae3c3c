"""Runs a script against a lab and reports each step. It knows the cluster only through the trace.

Deadlines are those of the lab's world: real seconds for processes, virtual ones in a simulation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from cluster.lab import SCRIPT, Lab, PicturedLab, TimedLab
from cluster.model.entry import Entry
from cluster.model.events import Event, ExpectationChecked, LessonStep
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.conditions import AnyCondition, Condition, value_of
from cluster.scenario.event_pattern import EventBook, EventCount
from cluster.scenario.script import At, ClusterPlan, Do, Expect, Keep, Remember, Say, Script, Section, Step, When
from cluster.scenario.stage import Stage, stage_of
from cluster.scenario.terms import Memory, Value, shown
from cluster.scenario.told import EventSeen, VerdictIs
from cluster.scenario.validate import substitute

POLL_SECONDS = 0.01
DEADLINE_MS = 10_000
KAFKA_FACTOR = 6
COMMAND_SECONDS = 60.0


class NotStarted(OSError):
    """The cluster that a script asks for did not start. The message says why."""


Launch = Callable[[ClusterPlan, str], Awaitable[Lab]]
"""Starts the cluster of a plan; the text is the run's title."""


@dataclass(frozen=True, slots=True)
class StepReport:
    """What became of one step."""

    section: str
    """Name of its section, or empty."""
    line: int
    kind: str
    """do, expect, wait, keep, remember, when, say, cluster."""
    text: str
    """As run, remembered values filled in."""
    at_ms: int
    """When it was done, in time of the clusters; their launching is not counted."""
    held: bool
    """False ends the script."""
    seen: str
    """What was seen, or the lab's answer."""
    failed: bool = False
    """A command that may fail, and did: the script goes on."""


Report = Callable[[StepReport], None]


class ScriptRunner:
    """One run of a script; `state` is the cluster as the trace of the present lab tells it."""

    def __init__(
        self, script: Script, launch: Launch, report: Report, *, title: str, slow: float = 1.0,
        also: frozenset[type] = frozenset(), steps_before: int = 0, at_polls: bool = True,
    ) -> None:  # fmt: skip
        """`also` are classes of events that somebody beside the script asks the book for. Steps are numbered on from
        steps_before. Without at_polls the state is the lab's own where it has one: it does not wait for the next poll.
        """
        self._script = script
        self._launch = launch
        self._report = report
        self._title = title
        self._slow = slow
        self._began_s = 0.0
        self._passed_s = 0.0
        self._plan: ClusterPlan | None = None
        self._began_by: Section | None = None
        self._lab: Lab | None = None
        self._stage: Stage | None = None
        self._count = steps_before
        self._at_polls = self._folds = at_polls
        wanted = wanted_events(script)
        self._wanted = None if wanted is None else wanted | also
        self.state = ClusterState()
        """Folded up to the newest poll, unless it is the lab's own."""
        self.book = EventBook(self._wanted)
        """The events the script asks for, up to the newest poll."""
        self.memory: Memory = {}
        self.run_folders: list[Path] = []
        """Of all labs started, in order."""
        self.on_section: Callable[[Section], None] = lambda _section: None
        """Called after each section that held."""
        self.on_entry: Callable[[Entry], None] = lambda _entry: None
        """Called with each event of the cluster that was read."""

    async def run(self) -> bool:
        """All sections in order; false at the first step that does not hold. The lab is closed in any case."""
        try:
            for section in self._script.sections:
                if await self.play(section) < len(section.steps):
                    return False
            return True
        finally:
            await self._end()

    async def play(self, section: Section, first: int = 0) -> int:
        """One section from the step at index first on; the index of the step that did not hold, or how many there are.

        The lab stays up either way: a viewer may try again from that index, on the lab that this section began.
        """
        if section.plan is not None and self._began_by is not section:
            await self._begin(section, section.plan)
            self._began_by = section
        for index in range(first, len(section.steps)):
            if not await self._step(section, section.steps[index]):
                return index
        self.poll()
        self.on_section(section)
        return len(section.steps)

    async def comes_true(self, holds: Callable[[], bool]) -> bool:
        """Fold what the trace gains until this holds; false when the default deadline is over."""
        assert self._stage is not None
        until_s = self._stage.now_s() + self._deadline_ms(None) / 1000
        while True:
            self.poll()
            if holds():
                return True
            if self._stage.now_s() > until_s:
                return False
            await self._stage.pass_time(POLL_SECONDS)

    def lab_has_ended(self) -> None:
        """The cluster is gone by itself: the section that began it may begin another."""
        self._began_by = None

    @property
    def has_lab(self) -> bool:
        """Whether a cluster runs that commands can be sent to."""
        return self._lab is not None

    def note(self, event: Event) -> None:
        """Write an event of the learner into the trace of the present lab."""
        if self._stage is not None:
            self._stage.note(event, "learner")

    async def close(self) -> None:
        """End the lab, when one is up."""
        await self._end()

    async def _begin(self, section: Section, plan: ClusterPlan) -> None:
        await self._end()
        self._plan = plan
        self.state, self.memory, self.book = ClusterState(), {}, EventBook(self._wanted)
        self._folds = True
        try:
            lab = self._lab = await self._launch(plan, self._title)
        except OSError as error:
            raise NotStarted(str(error)) from error
        if not self._at_polls and isinstance(lab, PicturedLab):
            self.state, self._folds = lab.cluster(), False
        self.run_folders.append(lab.run_folder)
        self._stage = stage_of(lab)
        self._began_s = self._stage.now_s()
        text = f"cluster of {_counted(plan.controllers, 'controller')} and {_counted(plan.brokers, 'broker')}"
        self._tell(section, section.line, "cluster", text, held=True, seen=str(lab.run_folder))

    async def _end(self) -> None:
        lab, self._lab = self._lab, None
        stage, self._stage = self._stage, None
        if stage is not None:
            self._passed_s += stage.now_s() - self._began_s
        if lab is not None:
            await lab.close()
        if stage is not None:
            stage.close()

    def poll(self) -> None:
        """Fold what the trace has gained."""
        assert self._stage is not None
        for entry in self._stage.poll():
            if self._folds:
                self.state.apply(entry)
            self.book.note(entry)
            self.on_entry(entry)

    def _tell(
        self, section: Section, line: int, kind: str, text: str, *, held: bool, seen: str, failed: bool = False
    ) -> None:
        now_s = self._began_s if self._stage is None else self._stage.now_s()
        at_ms = round((self._passed_s + now_s - self._began_s) * 1000)
        self._report(StepReport(section.name, line, kind, text, at_ms, held, seen, failed))

    async def _step(self, section: Section, step: Step) -> bool:
        stage = self._stage
        assert stage is not None
        self._count += 1
        values = {name: shown(value) for name, value in self.memory.items()}
        match step:
            case Say(line, text):
                self._tell(section, line, "say", text, held=True, seen="")
                return True
            case Remember(line, text, name, term):
                return await self._remember(
                    section, line, text, name, lambda: value_of(term, self.state, self.memory, self.book)
                )
            case When(line, text, pattern, command):
                memory = dict(self.memory)
                if misfit := pattern.misfit(memory):
                    self._tell(section, line, "when", text, held=False, seen=misfit)
                    return False
                stage.when(lambda entry: pattern.matches(entry, memory), substitute(command, values))
                self._tell(section, line, "when", text, held=True, seen="")
                return True
            case Do(line, text, may_fail):
                command = substitute(text, values)
                self.poll()
                self.book.mark()
                stage.note(LessonStep(step=self._count, text=command[:200]), "script")
                done, seen = await self._send(command)
                held = done or may_fail
                self.poll()
                self._tell(section, line, "do", command, held=held, seen=seen, failed=not done)
                return held
            case At(line, text, at_ns, command):
                command = substitute(command, values)
                await stage.pass_until(round(at_ns * self._slow))
                _, seen = await self._send(command)
                self.poll()
                self._tell(section, line, "do", command, held=True, seen=seen)
                return True
            case Expect(line, text, condition, within_ms, wait_only):
                held, seen = await self._until(condition, self._deadline_ms(within_ms))
                return self._checked(section, line, "wait" if wait_only else "expect", text, held=held, seen=seen)
            case Keep(line, text, condition, for_ms):
                held, seen = await self._keep(condition, for_ms * self._slow)
                return self._checked(section, line, "keep", text, held=held, seen=seen)

    def _checked(self, section: Section, line: int, kind: str, text: str, *, held: bool, seen: str) -> bool:
        assert self._stage is not None
        self._stage.note(ExpectationChecked(text=text, held=held, seen=seen[:400]), "script")
        self._tell(section, line, kind, text, held=held, seen=seen)
        return held

    def _deadline_ms(self, within_ms: int | None) -> float:
        if within_ms is not None:
            return within_ms * self._slow
        assert self._plan is not None
        return DEADLINE_MS * self._slow * (KAFKA_FACTOR if self._plan.timing == "kafka" else 1)

    async def _send(self, command: str) -> tuple[bool, str]:
        assert self._lab is not None
        # Virtual time may stand still for as long as somebody looks at it; a command has its deadlines in there.
        patience_s = None if isinstance(self._lab, TimedLab) else COMMAND_SECONDS * self._slow
        try:
            async with asyncio.timeout(patience_s):
                answer = await self._lab.send(command, SCRIPT)
        except TimeoutError:
            return False, f"the lab did not answer within {COMMAND_SECONDS * self._slow:.0f} s"
        except (OSError, EOFError) as error:
            return False, f"the lab is gone: {error}"
        return answer.ok, answer.text

    async def _remember(self, section: Section, line: int, text: str, name: str, read: Callable[[], Value]) -> bool:
        """A value that is not known yet gets the default deadline to become known."""
        await self.comes_true(lambda: read() not in (None, -1))
        value = read()
        held = value is not None
        self.memory[name] = value
        seen = f"{name} is {shown(value)}" if held else f"{name} did not become known"
        self._tell(section, line, "remember", text, held=held, seen=seen)
        return held

    async def _until(self, condition: AnyCondition, deadline_ms: float) -> tuple[bool, str]:
        assert self._stage is not None
        began_s = self._stage.now_s()
        while True:
            self.poll()
            held, seen = condition.check(self.state, self.memory, self.book)
            passed_ms = (self._stage.now_s() - began_s) * 1000
            if held or isinstance(condition, VerdictIs) or _is_vain(condition, self.memory):
                return held, seen
            if passed_ms > deadline_ms:
                if isinstance(condition, EventSeen):
                    seen += condition.came_before(self.memory, self.book)
                return False, f"not reached within {deadline_ms / 1000:g} s; {seen}"
            await self._stage.pass_time(POLL_SECONDS)

    async def _keep(self, condition: AnyCondition, for_ms: float) -> tuple[bool, str]:
        assert self._stage is not None
        began_s = self._stage.now_s()
        while True:
            self.poll()
            held, seen = condition.check(self.state, self.memory, self.book)
            passed_ms = (self._stage.now_s() - began_s) * 1000
            if not held:
                return False, f"ceased after {passed_ms:.0f} ms; {seen}"
            if passed_ms > for_ms:
                return True, seen
            await self._stage.pass_time(POLL_SECONDS)


def _is_vain(condition: AnyCondition, memory: Memory) -> bool:
    """Whether no event can ever match, whatever happens."""
    return isinstance(condition, EventSeen) and bool(condition.pattern.misfit(memory))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def wanted_events(script: Script) -> frozenset[type] | None:
    """Their classes; None for all of them, when it asks for a verdict."""
    conditions = [
        step.condition for section in script.sections for step in section.steps if isinstance(step, Expect | Keep)
    ]
    if any(isinstance(condition, VerdictIs) for condition in conditions):
        return None
    kinds = {kind for condition in conditions for kind in _kinds(condition)}
    terms = [step.term for section in script.sections for step in section.steps if isinstance(step, Remember)]
    return frozenset(kinds | {term.pattern.kind for term in terms if isinstance(term, EventCount)})


def _kinds(condition: AnyCondition) -> Iterator[type]:
    match condition:
        case EventSeen(pattern=pattern):
            yield pattern.kind
        case VerdictIs():
            return
        case Condition(left=left, right=right):
            for term in (left, right):
                if isinstance(term, EventCount):
                    yield term.pattern.kind
        case _:
            assert_never(condition)
