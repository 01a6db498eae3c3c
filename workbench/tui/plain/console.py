"""One run, living or recorded, as lines: what happens is said as it comes, what is typed is carried out."""

from __future__ import annotations

import asyncio
import io
import re
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

from cluster.invariants.verdicts.verdict import Verdict
from cluster.runtime.run.folder import RunError, read_facts
from cluster.trace.reader import TraceError
from workbench.session.bootstrap import login_of, moved_ports, who_may
from workbench.session.event_list import LEVELS
from workbench.session.hearing import Hearing, silent_words
from workbench.session.live_verdicts import LiveVerdicts
from workbench.session.session import ONLY_WATCHES, Session
from workbench.support.platform import in_background
from workbench.support.refusal import BAD_DATA, ENVIRONMENT, INTERRUPTED, Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.input.suggest import mistake
from workbench.tui.plain.lines import Headlines, find_event, moment_lines, spoken, story_lines, verdict_lines, why_lines

LOOK_S = 0.05
LINE_MAX = 1000
OLD_MAX = 10
"""Headlines from before we came that are said."""
QUIT, LEAVE = "quit", "leave"
LAST = {"": QUIT, "q": QUIT, "quit": QUIT, "leave": LEAVE}
"""Lines after which nothing more is read; empty is the end of the input."""
HELP = (
    ("kill 101, cut 1>2, topic orders, produce orders-0 5, heal, status", "any command of the grammar"),
    ("why", "why the newest event happened; why 3.055, why 3.055 n1: the one of that time and node"),
    ("story, details", "what happened so far: each incident, what followed, what it cost"),
    ("verdicts", "what the checker says of each rule"),
    ("wait 3", "seconds before the next line is read, for lines from a pipe"),
)
WAIT = re.compile(r"wait ([0-9]{1,3}(?:\.[0-9]{1,3})?)")
HELP_SIMULATED = (
    ("halt, go", "stop virtual time, let it go"),
    ("speed 0.1", "virtual seconds in a real one, or max"),
    ("next-event, next-mark", "on to the next event or mark, then halt"),
)

INDENT = " " * 10
"""Of what goes on in the next line: below the words, not below their time."""


def print_recording(session: Session) -> int:
    """The headlines of a run, then what the checker says."""
    recording = session.recording
    for line in moment_lines(recording):
        print(line)
    for line in verdict_lines(LiveVerdicts(recording, is_complete=True)):
        print(line)
    return 0


def follow_lab(session: Session, connect: Callable[[], Awaitable[Any]], first_commands: tuple[str, ...] = ()) -> int:
    """Start or reach a lab, say what happens, carry out what is typed. Returns the exit code."""
    return run_console(Console(session).follow(connect, first_commands))


def read_recording(session: Session) -> int:
    """A recording, and then questions to it."""
    print_recording(session)
    return run_console(Console(session).answer())


def run_console(work: Coroutine[Any, Any, int]) -> int:
    """Until it is done, or interrupted. Returns the exit code."""
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        return INTERRUPTED


def say(text: str) -> None:
    """One sentence, at once: in lines as wide as the terminal, or COLUMNS, and in one line where neither is known."""
    columns, line = get_terminal_size((0, 0)).columns, spoken(text)
    print("\n".join(wrap(line, columns, subsequent_indent=INDENT) or [line]) if columns else line, flush=True)


def say_all(lines: Iterable[str]) -> None:
    """One after the other."""
    for line in lines:
        say(line)


class Console:
    """Says what happens in a session and takes lines from stdin; ends with the input."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.verdicts = LiveVerdicts(session.recording)
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        self._headlines = Headlines(session.recording)
        self._telling: asyncio.Task[None] | None = None
        self._silent_s = 0
        """How long nothing was heard from the lab; 0 while all is well."""
        self._violated: list[str] = []
        """Rules that were said to be broken against what is promised."""

    async def follow(self, connect: Callable[[], Awaitable[Any]], first_commands: tuple[str, ...]) -> int:
        """A lab, from its start or from now on."""
        session = self.session
        try:
            lab = await connect()
        except Exception as error:  # whatever it is, one line
            raise Refusal(ENVIRONMENT, f"cannot reach the lab: {safe_text(str(error), 400)}") from error
        session.attach(lab, Path(lab.run_folder))
        if not session.owns_lab:
            self._pass_over_old()
        tasks = self.begin()
        ended = asyncio.ensure_future(lab.ended())
        ends = "quit ends the cluster" if session.owns_lab else "quit leaves it up"
        if session.owns_lab and session.driver is None:
            ends += ", leave leaves it up"
        takes = ONLY_WATCHES if session.watches else "type a command and enter"
        say(f"run {safe_text(session.run_folder.name, 80)}; {takes}; help lists what may be typed, {ends}")
        for command in first_commands:
            await session.send(command)
        await self._say_where_clients_connect()
        try:
            last = await self.obey_lines(self.obey, ended)
            if last == LEAVE and session.owns_lab and session.driver is None:
                await session.keep_lab()
            elif last and session.owns_lab:
                if self._silent_s:
                    say("waiting for the lab, which is silent; ctrl-C leaves by force, within 15 s")
                await session.end_lab()
                self.tell()
        finally:
            for task in (*tasks, ended):
                task.cancel()
            done = lab.close()
            if asyncio.iscoroutine(done):
                await done
        if not last:
            why = safe_text(str(getattr(lab, "failure", "")), 400)
            say(f"the lab has ended{f': {why}' if why else ''}")
            return ENVIRONMENT if why else 0
        return 0

    async def _say_where_clients_connect(self) -> None:
        """The addresses for Kafka clients; and that they are not the usual ones, when this run is new."""
        session = self.session
        with suppress(RunError):
            facts = await in_background(read_facts, session.run_folder)
            if facts.bootstrap:
                say(f"Kafka clients: {','.join(facts.bootstrap)}")
                say(who_may(login_of(session.run_folder, facts)))
            moved = await in_background(moved_ports, facts) if session.owns_lab else ""
            if moved:
                say(moved)

    async def answer(self) -> int:
        """Questions to a recording, until quit."""
        self._headlines.pass_over()
        self.verdicts.is_complete = True
        self.begin_input()
        say("a recording: why, why 3.055 n1, verdicts; quit")
        await self.obey_lines(self.obey)
        return 0

    def begin(self) -> list[asyncio.Task[None]]:
        """Follow the run, make time pass where it is virtual, say what happens, read what is typed."""
        session = self.session
        self._telling = asyncio.ensure_future(self._tell_all())
        if session.driver is not None:
            session.driver.say = say
        passing = session.driver.run() if session.driver is not None else session.follower.run()
        self.begin_input()
        return [self._telling, asyncio.ensure_future(passing), asyncio.ensure_future(self.verdicts.run())]

    def begin_input(self) -> None:
        """Lines come in from a thread that nobody waits for: a line that never comes does not keep the process."""
        loop, lines = asyncio.get_running_loop(), self._lines
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, lines.put_nowait, "")
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

        def read() -> None:
            line = "start"
            while line:
                line = sys.stdin.readline(LINE_MAX)
                try:
                    loop.call_soon_threadsafe(lines.put_nowait, line)
                except RuntimeError:  # we have left
                    return

        threading.Thread(target=read, daemon=True).start()

    async def obey_lines(self, obey: Callable[[str], Awaitable[None]], ended: asyncio.Future[Any] | None = None) -> str:
        """Each line in turn. How the user left: quit or leave; empty when the lab ended first."""
        while True:
            waiting = asyncio.ensure_future(self._lines.get())
            others = {task for task in (ended, self._telling) if task is not None}
            await asyncio.wait({waiting, *others}, return_when=asyncio.FIRST_COMPLETED)
            if self._telling is not None and self._telling.done():
                self._telling.result()  # nobody hears us any more
            if not waiting.done():
                waiting.cancel()
                await asyncio.sleep(2 * LOOK_S)
                self.tell()
                return ""
            line = waiting.result()
            last = LAST.get(line.strip()) if line.strip() or not line else None
            if last is not None:
                return last
            await obey(line.strip())

    async def obey(self, line: str) -> None:
        """A question, a word for virtual time, or a command of the cluster."""
        word, _, rest = line.partition(" ")
        if not line:
            return
        if word in ("help", "?"):
            for form, what in HELP + (HELP_SIMULATED if self.session.driver else ()):
                say(f"{form}: {what}")
        elif word == "why":
            self._why(rest)
        elif wait := WAIT.fullmatch(line):
            await asyncio.sleep(float(wait[1]))
        elif line in LEVELS:
            for text in story_lines(self.session.recording, line):
                say(text)
        elif line == "verdicts":
            for text in verdict_lines(self.verdicts):
                say(text)
        elif not self._time(word, rest):
            await self._send(line)

    async def _send(self, line: str) -> None:
        wrong = mistake(line)
        if wrong:
            say(f"NO {wrong}")
            return
        done, text = await self.session.send(line)
        self.tell()
        say(f"{'ok' if done else 'NO'} {text}")

    def _why(self, what: str) -> None:
        recording = self.session.recording
        index = find_event(recording, what)
        if index is None:
            say("no event that was said has this time and node" if what else "nothing has happened yet")
            return
        for text in why_lines(recording, index):
            say(text)

    def _time(self, word: str, rest: str) -> bool:
        """Carry out a word for virtual time; false when it is none."""
        driver = self.session.driver
        if driver is None:
            return False
        if word in ("halt", "go") and not rest:
            driver.pace.is_halted = word == "halt"
            say("time is halted" if driver.pace.is_halted else f"time goes at {driver.pace.text}")
        elif word == "speed":
            is_set = driver.pace.set(rest.strip())
            say(f"virtual time at {driver.pace.text}" if is_set else "a speed is a number from 0.01 to 50, or max")
        elif word in ("next-event", "next-mark") and not rest:
            driver.want(word.partition("-")[2])
        else:
            return False
        return True

    def _pass_over_old(self) -> None:
        """What was before we came: its last events, and how many there are."""
        try:
            self.session.load()
        except (TraceError, OSError) as error:
            raise Refusal(BAD_DATA, f"cannot read the recording: {safe_text(str(error), 400)}") from error
        recording = self.session.recording
        self._headlines.pass_over(but=OLD_MAX)
        say(f"{len(recording.entries)} events so far; the newest headlines:")
        self.tell()

    async def _tell_all(self) -> None:
        error, hearing = "", Hearing()
        while True:
            self.tell()
            before, silent_s = self._silent_s, hearing.silence_s(self.session.lab, time.monotonic())
            self._silent_s = silent_s
            if bool(before) != bool(silent_s) and self.session.lab is not None:
                say(silent_words(silent_s) if silent_s else f"the lab is heard again, after {before} s")
            self.tell_violated()
            if self.session.error != error:
                error = self.session.error
                say(safe_text(error, 400))
            await asyncio.sleep(LOOK_S)

    def tell_violated(self) -> None:
        """Say it as soon as the checker finds a rule broken that nothing excuses."""
        late = self.verdicts.late
        violated = [
            it.info.id for it in self.verdicts.table if it.verdict is Verdict.VIOLATED and it.info.id not in late
        ]
        if violated != self._violated:
            self._violated = violated
            if violated:
                say(f"VIOLATED: {', '.join(violated)}; verdicts tells how")

    def tell(self) -> None:
        """Say what is new."""
        for line in self._headlines.new_lines():
            print(line, flush=True)
