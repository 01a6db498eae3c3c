"""Plays a shared run again: the same seed, the same commands at the same moments, so the same trace to the byte."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from cluster.cluster_spec import ClusterSpec
from cluster.lab import LEARNER, SCRIPT, Answer, Lab
from cluster.model.entry import Entry
from cluster.model.events import Event
from cluster.model.identifiers import OF_ONE_ROLE_MAX
from cluster.model.settings import Settings, classroom_timing, setting_complaint, zookeeper_complaint
from cluster.runtime.run.facts import BadFacts, checked_facts
from cluster.scenario.given import given_to, network_in
from cluster.scenario.prepare import told_of_network
from cluster.scenario.runner import ScriptRunner
from cluster.scenario.script import ClusterPlan
from cluster.scenario.terms import GrammarError
from cluster.simulation.lab.journal import FILE, Journal, Outside
from cluster.simulation.lab.lab import SimulatedLab
from cluster.simulation.lab.stepper import AnotherWay, Stepper
from cluster.simulation.world.cluster import WORLD
from cluster.simulation.world.kernel import NS_PER_S, START_NS
from workbench.runs.launch import launch_simulation
from workbench.runs.played import say_nothing
from workbench.session.sharing.shared_run import HASH_BYTES, NOTES, Position, SharedRun
from workbench.session.sharing.source_scripts import script_of, sections_of
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.version import program_version

MOVES_BETWEEN_LOOKS = 1_000
Tell: TypeAlias = Callable[[float], None]
"""Hears now and then what share is played."""


class PlayedRun(NamedTuple):
    """A run that was played again."""

    folder: Path
    trace_hash: bytes
    journal: tuple[Outside, ...]
    """What came into it, in order."""
    holds: tuple[tuple[int, int, int], ...]
    """Those of its script without which it would have been another run."""


def trace_hash(folder: Path) -> bytes:
    """The first bytes of the hash of all that the trace files of a run hold."""
    digest = hashlib.sha256()
    for path in sorted((folder / "trace").glob("*.trace")):
        with path.open("rb") as stream:
            digest.update(f"{path.name} {path.stat().st_size}\n".encode())
            while piece := stream.read(1 << 20):
                digest.update(piece)
    return digest.digest()[:HASH_BYTES]


def of_people(journal: Iterable[Outside]) -> tuple[Outside, ...]:
    """Commands, and notes of lessons: all but what a run tells of its network by itself, and its end."""
    return tuple(item for item in journal if (item.note.name.startswith(NOTES) if item.note else item.command))


async def play_again(home: Path, shared: SharedRun, tell: Tell = lambda _share: None) -> PlayedRun:
    """Make the run below home, as fast as it goes. Refusal when it is none; OSError when the disk refuses.

    When this program does otherwise than the one that recorded it, it ends where that is seen, or is another run.
    """
    spec = _cluster_of(shared)
    lab = launch_simulation(home, spec)
    again = RetoldLab(lab, shared, tell)
    try:
        for event in told_of_network(spec):
            again.stepper.note(event, SCRIPT)
        if shared.script is not None:
            await _play_script(shared, spec.title, again)
        again.go_to(shared.end)
    except AnotherWay:
        pass  # its hash says so
    finally:
        await again.end()
    journal = of_people(again.stepper.journal.entries)
    return PlayedRun(lab.run_folder, trace_hash(lab.run_folder), journal, again.holds)


async def _play_script(shared: SharedRun, title: str, again: RetoldLab) -> None:
    """As far as it made the run."""
    assert shared.script is not None

    async def launch(_plan: ClusterPlan, _title: str) -> Lab:
        return again

    _, script = script_of(shared.source)
    runner = ScriptRunner(script, launch, say_nothing, title=title, steps_before=shared.script.steps_before)
    try:
        for section in sections_of(script, shared.script.section):
            if await runner.play(section) < len(section.steps):
                return
    except ScriptOver:
        return


def _cluster_of(shared: SharedRun) -> ClusterSpec:
    """What is to be begun. Refusal for a cluster that cannot be."""
    try:
        if shared.script is not None:
            title, script = script_of(shared.source)
            title = shared.script.title[:200] or title
            if not 0 <= shared.script.section < len(script.sections):
                raise ValueError("no such section")
            plan = script.sections[shared.script.section].plan
            if plan is None:
                raise ValueError("a section without a cluster")
            spec = plan.spec(title, seed=shared.seed)
        else:
            cluster = shared.cluster
            assert cluster is not None
            if not (1 <= cluster.controllers <= OF_ONE_ROLE_MAX and 0 <= cluster.brokers <= OF_ONE_ROLE_MAX):
                raise ValueError(f"1 to {OF_ONE_ROLE_MAX} controllers and at most so many brokers")
            plain = asdict(classroom_timing()) | cluster.settings
            if wrong := setting_complaint(plain) or zookeeper_complaint(plain):
                raise ValueError(f"{wrong[0]}: {wrong[1]}")
            spec = ClusterSpec(
                controllers=cluster.controllers, brokers=cluster.brokers, combined=cluster.combined,
                settings=Settings(**plain), title=cluster.title[:200], given=cluster.given, seed=shared.seed,
            )  # fmt: skip
            network = network_in(given_to(spec))
            spec = spec if network is None else replace(spec, options=network.options)
        _check(spec)
    except (BadFacts, GrammarError, ValueError, TypeError) as error:
        raise Refusal(BAD_DATA, f"the text asks for a cluster that cannot be: {safe_text(str(error), 200)}") from error
    return spec


def _check(spec: ClusterSpec) -> None:
    """BadFacts unless a run may have these facts."""
    checked_facts(
        {
            "id": "20000101-000000-00000", "title": spec.title, "created": "", "state": "running", "world": WORLD,
            "controllers": list(spec.voters), "brokers": list(spec.broker_ids), "settings": asdict(spec.settings),
            "seed": spec.seed,
        }
    )  # fmt: skip


def verdict_of(shared: SharedRun, played: bytes) -> str:
    """Whether a run that was played again is the one that was shared, and what made the difference."""
    if played == shared.trace_hash:
        return f"the same run to the byte: the hash of its trace is {played.hex()}"
    theirs, ours = safe_text(shared.program, 40), program_version()
    why = f"the text is of program {theirs}, this is {ours}" if theirs != ours else "the text was changed, or the rules"
    return f"NOT the same run: the hash of its trace is {played.hex()}, and was {shared.trace_hash.hex()}; {why}"


class ScriptOver(Exception):
    """What comes now was not the script's doing any more."""


class RetoldLab:
    """A simulated lab that is where the shared run was, whatever a script asks of it. Implements TimedLab."""

    def __init__(self, lab: SimulatedLab, shared: SharedRun, tell: Tell) -> None:
        self.stepper = Stepper(lab, Journal(lab.run_folder / FILE))
        self._lab, self._shared, self._tell = lab, shared, tell
        self._kernel = lab.cluster.kernel
        self._count = 0
        script = shared.script
        self._script_count = script.count if script is not None else 0
        self._holds = {place: (moves, now_ns) for place, moves, now_ns in script.holds} if script is not None else {}
        self._needed: list[tuple[int, int, int]] = []
        self._is_closed = False
        self.stepper.retrace(shared.outside, shared.end[2] + 1)

    @property
    def run_folder(self) -> Path:
        """Where its trace and its journal grow."""
        return self._lab.run_folder

    @property
    def holds(self) -> tuple[tuple[int, int, int], ...]:
        """Those that moved a command or a note of the script."""
        return tuple(self._needed)

    def _arrive(self) -> None:
        """Be where the script's next command or note came. ScriptOver when none came any more."""
        place = self._count
        if place >= self._script_count:
            raise ScriptOver
        self._count += 1
        hold = self._holds.get(place)
        if hold is not None:
            before = self.stepper.moves, self._kernel.now_ns
            self.go_to((*hold, self._shared.end[2]))
            if before != (self.stepper.moves, self._kernel.now_ns):
                self._needed.append((place, *hold))

    def go_to(self, position: Position) -> None:
        """Make every move up to that one, with what came from outside meanwhile. AnotherWay when it cannot be."""
        moves, until_ns = position[0], position[1] + START_NS
        stepper, kernel = self.stepper, self._kernel
        while stepper.moves < moves or stepper.is_next(moves, until_ns):
            if not stepper.move() or kernel.now_ns > until_ns or stepper.events > position[2]:
                raise AnotherWay
            if stepper.moves % MOVES_BETWEEN_LOOKS == 0:
                self._tell((kernel.now_ns - START_NS) / max(1, self._shared.end[1]))
                if self._count >= self._script_count:
                    self._lab.poll()  # no script reads them any more
        if stepper.moves != moves:
            raise AnotherWay
        stepper.stand_at(until_ns)

    async def send(self, text: str, by: str = LEARNER) -> Answer:
        """Carry out one command of the script at its moment."""
        self._arrive()
        running = self.stepper.begin(text, by)
        while not running.is_done:
            self._move_on(self._shared.end[1] + START_NS)
        if running.failure is not None:
            raise running.failure
        assert running.answer is not None
        return running.answer

    def _move_on(self, limit_ns: int) -> bool:
        """The next move, unless the run ended before it: ScriptOver then. False when it lies beyond the limit."""
        if self.stepper.moves >= self._shared.end[0] and limit_ns >= self._shared.end[1] + START_NS:
            raise ScriptOver
        return self.stepper.moves < self._shared.end[0] and self.stepper.move(limit_ns)

    def now_s(self) -> float:
        """The virtual clock."""
        return self._lab.now_s()

    async def pass_time(self, seconds: float) -> None:
        """Let so much time pass."""
        self._pass_to(self._kernel.now_ns + round(seconds * NS_PER_S))

    async def pass_until(self, elapsed_ns: int) -> None:
        """Let time pass until so long after the beginning."""
        self._pass_to(START_NS + elapsed_ns)

    def _pass_to(self, limit_ns: int) -> None:
        while self._move_on(limit_ns):
            pass
        self.stepper.stand_at(limit_ns)

    def poll(self) -> list[Entry]:
        """Events since the last poll, in order."""
        return self._lab.poll()

    def note(self, event: Event, trigger: str) -> None:
        """Write an event of the script into the trace at its moment."""
        self._arrive()
        self.stepper.note(event, trigger)

    def when(self, matches: Callable[[Entry], bool], command: str) -> None:
        """Carry out a command at the moment of the first such event from now on, once."""
        self.stepper.when(matches, command)

    async def close(self) -> None:
        """A script does not end it: the shared run says when."""

    async def end(self) -> None:
        """End every node and complete the trace."""
        self.stepper.drop()
        await self._lab.close()
