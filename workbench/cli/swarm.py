"""The `swarm` command: many simulated seeds at once, each broken at random and judged; a line for each surprise."""

from __future__ import annotations

import asyncio
import gc
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import connection
from pathlib import Path
from threading import Thread

from cluster.faults.grammar import FAULTS
from cluster.invariants.all_invariants import INVARIANTS
from cluster.model.settings import KRAFT, ZOOKEEPER
from cluster.simulation.lab.headless import HeadlessLab
from cluster.simulation.swarm.judge import HOLDING
from cluster.simulation.swarm.plan import AskedOfPlan, draw_plan
from cluster.simulation.swarm.seed import Seed, SeedResult, run, run_seed
from cluster.simulation.swarm.shrink import rule_to_keep, shrink
from cluster.simulation.swarm.shrunk_script import script_of
from workbench.runs.find import called
from workbench.runs.launch import launch_simulation
from workbench.support.option_types import SeedRange
from workbench.support.places import usable_home
from workbench.support.refusal import ENVIRONMENT, INTERNAL, INTERRUPTED, USAGE, Refusal
from workbench.support.safe_text import safe_text

CLEAN, SURPRISED = 0, 1
RECORDED_MAX = 3
PROGRESS_SECONDS = 1.0
TROUBLE_SECONDS = 10.0
AHEAD = 4
"""Seeds handed out for each process, so that none waits for work."""


DEFAULT = AskedOfPlan(disk_faults=False, voter_changes=False, transactions=False, fetch_sessions=False, control=KRAFT)
ALL_PARTS: tuple[AskedOfPlan, ...] = (
    DEFAULT,
    {**DEFAULT, "disk_faults": True},
    {**DEFAULT, "transactions": True},
    {**DEFAULT, "voter_changes": True},
    {**DEFAULT, "control": ZOOKEEPER},
    {**DEFAULT, "transactions": True, "voter_changes": True, "disk_faults": True},
    {**DEFAULT, "control": ZOOKEEPER, "disk_faults": True},
)
"""What seeds are drawn by in turn, by their numbers, so that a thousand of them see every part beside the others."""
SESSIONS_EVERY = 3
"""And with fetch sessions in each third round of these."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What each seed goes through."""

    seconds: float = TROUBLE_SECONDS
    """Virtual time of faults."""
    disk_faults: bool = False
    """Whether disks are wiped, torn and rot, too."""
    voter_changes: bool = False
    """Whether voters come and go in every seed."""
    transactions: bool = False
    """Whether producers write in transactions in every seed; else in none."""
    fetch_sessions: bool = False
    """Whether brokers and members of groups fetch in sessions in every seed; else in none."""
    control: str = KRAFT
    """kraft or zookeeper."""
    all_parts: bool = False
    """Whether its number decides what a seed is drawn by, and not what is above."""

    def asked(self, seed: int) -> AskedOfPlan:
        """What a seed is drawn by, beside its number and its length."""
        if self.all_parts:
            turn, part = divmod(seed, len(ALL_PARTS))
            return {**ALL_PARTS[part], "fetch_sessions": turn % SESSIONS_EVERY == 0}
        return AskedOfPlan(
            disk_faults=self.disk_faults,
            voter_changes=self.voter_changes,
            transactions=self.transactions,
            fetch_sessions=self.fetch_sessions,
            control=self.control,
        )


def swarm(seeds: SeedRange, jobs: int, trouble: Trouble, data_dir: str | None, *, as_json: bool) -> int:
    """Run all seeds, first to last inclusive. 0 when nothing was unexpected, 1 when something was, 130 interrupted."""
    if trouble.all_parts and trouble != Trouble(trouble.seconds, all_parts=True):
        raise Refusal(USAGE, "--all-parts says what each seed is drawn by: leave the other options for that away")
    home = usable_home(data_dir)
    progress = Progress(seeds.last - seeds.first + 1)
    results: list[SeedResult] = []
    try:
        for result in _results(range(seeds.first, seeds.last + 1), jobs, trouble):
            results.append(result)
            progress.note(result)
    except KeyboardInterrupt:
        progress.end()
        for result in results:
            if result.unexpected:
                _tell(result, Kept(), as_json=as_json)
        sys.stderr.write(f"workbench: interrupted: {len(results)} of {seeds.last - seeds.first + 1} seeds are judged\n")
        return INTERRUPTED
    except BrokenProcessPool:
        raise Refusal(INTERNAL, "a process of the swarm was killed; is there enough memory for --jobs?") from None
    progress.end()
    results.sort(key=lambda result: result.seed)
    surprising = [result for result in results if result.unexpected]
    for place, result in enumerate(surprising):
        if place < RECORDED_MAX:
            sys.stderr.write(f"seed {result.seed}: playing it again to record it and to make it small\n")
        kept = _keep(home, result.seed, trouble) if place < RECORDED_MAX else Kept()
        _tell(result, kept, as_json=as_json)
    _sum_up(results, seeds, as_json=as_json)
    return SURPRISED if surprising else CLEAN


def _results(seeds: range, jobs: int, trouble: Trouble) -> Iterator[SeedResult]:
    """As they come. Each process is fresh, so that nothing of this one leaks into a run."""
    with _pool(jobs) as pool:
        waiting: set[Future[SeedResult]] = set()
        rest = iter(seeds)
        try:
            while True:
                while len(waiting) < AHEAD * jobs and (seed := next(rest, None)) is not None:
                    with (
                        _interrupts_held()
                    ):  # processes that begin here are never interrupted, not even while they load
                        waiting.add(pool.submit(one_seed, seed, trouble))
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.kill()  # a seed takes seconds, and leaves nothing behind
            raise


def _pool(jobs: int) -> ProcessPoolExecutor:
    try:
        return ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_prepare)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise Refusal(
            ENVIRONMENT, f"no processes can be set to work: {why}; they share semaphores in /dev/shm"
        ) from error


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits until the end of this; for a process that is started within, for ever."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare() -> None:
    """Of each process: garbage is collected between seeds, and it ends with the command, however that ends."""
    gc.disable()
    Thread(target=_end_with_the_command, daemon=True).start()


def _end_with_the_command() -> None:
    command = multiprocessing.parent_process()
    assert command is not None
    connection.wait([command.sentinel])
    os._exit(INTERRUPTED)


def one_seed(seed: int, trouble: Trouble) -> SeedResult:
    """One seed; what a bug raises is told like a broken rule."""
    asked = trouble.asked(seed)
    try:
        return run_seed(seed, trouble.seconds, **asked)
    except Exception as error:  # whatever a bug raises: the other seeds go on, and this one is told
        failure = f"the simulation itself failed: {type(error).__name__}: {error}"
        plan = str(draw_plan(seed, trouble.seconds, **asked))
        return SeedResult(seed=seed, plan=plan, events=0, faults=0, simulated_s=0.0, unexpected=(failure,), excused=())
    finally:
        gc.collect()


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left on disk of a seed that surprised."""

    run: str = ""
    """What its recording is called in commands: its id, or the folder where the id leads nowhere; empty for none."""
    script: str = ""
    """Where its script is that was made small; empty for none."""


def _keep(home: Path, seed: int, trouble: Trouble) -> Kept:
    """The seed once more, with a recording; then as small as it gets, as a script."""
    try:
        seen = run(seed, trouble.seconds, **trouble.asked(seed))
    except Exception:  # told already; such a run has no end, and so no schedule
        return Kept()
    lab = HeadlessLab(launch_simulation(home, seen.schedule.config))
    for at_ns, command in seen.schedule.timed:
        lab.let_pass(at_ns)
        lab.carry_out(command)
    lab.let_pass(seen.schedule.end_ns)
    asyncio.run(lab.close())
    return Kept(called(lab.run_folder), write_script(home, seen))


def write_script(home: Path, seen: Seed) -> str:
    """Make a failing seed small and write it as a script below home; its path, empty when that does not fail."""
    if not seen.findings:
        return ""
    rule = rule_to_keep(seen.findings)
    shrunk = shrink(seen.schedule, rule)
    if shrunk is None:
        return ""
    folder = home / "swarm"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"seed_{seen.result.seed}_{rule.lower()}.txt"
    path.write_text(script_of(shrunk, seen.result.plan, len(seen.schedule.timed)), "utf-8")
    return str(path)


class Progress:
    """One line on a terminal, or now and then one in a file: how many, how fast, how long still; and what surprised."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = self._events = self._surprises = 0
        self._began = self._told = time.monotonic()
        self._is_terminal = sys.stderr.isatty()

    def note(self, result: SeedResult) -> None:
        """One more is done."""
        self._done += 1
        self._events += result.events
        if result.unexpected:
            self._surprises += 1
            self.end()
            sys.stderr.write(f"seed {result.seed}: {safe_text(result.unexpected[0], 400)}\n")
        now = time.monotonic()
        if now - self._told >= PROGRESS_SECONDS * (1 if self._is_terminal else 10):
            self._told = now
            self._print(now - self._began)

    def end(self) -> None:
        """The line is finished."""
        if self._is_terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _print(self, passed_s: float) -> None:
        rate = self._done / passed_s
        left_s = (self._total - self._done) / rate
        line = (
            f"{self._done}/{self._total} seeds, {rate:.1f} seeds/s, {self._events / passed_s:,.0f} events/s, "
            f"{left_s:.0f} s left, {self._surprises} surprising"
        )
        sys.stderr.write(f"\r\x1b[K{line}" if self._is_terminal else f"{line}\n")
        sys.stderr.flush()


def _tell(result: SeedResult, kept: Kept, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({**asdict(result), **asdict(kept)}))
        return
    for sentence in result.unexpected:
        print(f"seed {result.seed}: {safe_text(sentence, 400)}")
    print(f"  {result.plan}")
    if kept.run:
        print(f"  recorded: workbench check {kept.run}   workbench replay {kept.run}")
    if kept.script:
        print(f"  made small: workbench run {safe_text(kept.script, 400)} --simulated")


def _sum_up(results: list[SeedResult], seeds: SeedRange, *, as_json: bool) -> None:
    events, faults = sum(item.events for item in results), sum(item.faults for item in results)
    simulated_s = sum(item.simulated_s for item in results)
    unexpected = sum(len(item.unexpected) for item in results)
    checks, in_force, held = reached(results)
    silent = [rule for rule, count in checks.items() if not count]
    if as_json:
        summary = {"seeds": len(results), "events": events, "faults": faults, "simulated_s": round(simulated_s, 3)}
        counts = {"checks": checks, "in_force": in_force, "held_messages": held, "never_evaluated": silent}
        print(json.dumps({**summary, **counts, "unexpected": unexpected}))
        return
    held_words = {kind: f" ({count} held messages)" for kind, count in held.items()}
    counts_of = sorted(in_force.items(), key=_seldom_first)
    print("in force: " + ", ".join(f"{kind} {count}{held_words.get(kind, '')}" for kind, count in counts_of))
    seldom = [
        f"{rule} {count}" for rule, count in sorted(checks.items(), key=_seldom_first) if 0 < count < len(results)
    ]
    if seldom:
        print(f"evaluated less than once a seed: {', '.join(seldom)}")
    if silent:
        print(f"never evaluated: {', '.join(silent)}")
    print(
        f"seeds {seeds}: {len(results)} seeds, {events} events, {faults} faults, "
        f"{simulated_s / 3600:.2f} simulated hours, {unexpected} unexpected verdicts"
    )


def reached(results: Iterable[SeedResult]) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """How often each rule was checked, each kind of fault in force, and how many held a message where some do.

    One that never was says nothing.
    """
    checks = dict.fromkeys(INVARIANTS, 0)
    in_force, held = dict.fromkeys(FAULTS, 0), dict.fromkeys(HOLDING, 0)
    for result in results:
        for total, counts in ((checks, result.evaluated), (in_force, result.in_force), (held, result.held)):
            for name, count in counts.items():
                total[name] = total.get(name, 0) + count
    return checks, in_force, held


def _seldom_first(item: tuple[str, int]) -> tuple[int, str]:
    return item[1], item[0]
