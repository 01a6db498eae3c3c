"""What is behind a #, to the app that it opens. What a lab needs is imported at once, all else by whoever opens it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from cluster.scenario.parse import parse_script
from cluster.scenario.script import Script
from workbench.course.incidents import find_incident
from workbench.course.library import find_lesson
from workbench.course.progress import learner_seed
from workbench.runs.find import recording_of
from workbench.runs.wanted import Wanted
from workbench.session.beginning import Simulated, begin_field, begin_lab
from workbench.session.lesson.page import HUNT_PAGE, SIMULATED_LAB
from workbench.session.missions.board import Board
from workbench.session.session import Session
from workbench.support.platform import run_to_end
from workbench.support.refusal import USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.lesson_app import simulated_lesson_app
from workbench.tui.settings import Settings
from workbench.tui.showing import app_of
from workbench.tui.terminal import glyphs

NEEDS_INSTALLED = "needs the installed tool: two commands, see the first page"
NOT_HERE = ("grade", "quiz", "rule")
"""They take files, or a terminal."""
LINK_MAX = 4_000
OPTIONS_MAX = 20
SEED_MAX = 2**31


@dataclass(frozen=True, slots=True)
class Link:
    """One, read."""

    kind: str
    """What is opened: lab, lesson, challenge, ..."""
    name: str = ""
    """Which one; empty where there is only one."""
    options: dict[str, str] = field(default_factory=dict)

    @property
    def seed(self) -> int:
        """Of the simulation. Refusal when it is none."""
        text = self.options.get("seed", "0")
        if not (text.isascii() and text.isdecimal() and int(text) <= SEED_MAX):
            raise Refusal(USAGE, f"seed: needs a number from 0 to {SEED_MAX}, not '{safe_text(text, 40)}'")
        return int(text)


@dataclass(frozen=True, slots=True)
class Opened:
    """What a link opens."""

    app: Any
    within: AbstractContextManager[object] = field(default_factory=nullcontext)
    """What is in force while it is shown."""


def read_link(text: str) -> Link:
    """Refusal, in one sentence, for what is none."""
    if len(text) > LINK_MAX:
        raise Refusal(USAGE, f"this link has {len(text)} characters; at most {LINK_MAX}")
    try:
        pairs = parse_qsl(text.removeprefix("#"), keep_blank_values=True, max_num_fields=OPTIONS_MAX) or [("lab", "")]
    except ValueError as error:
        raise Refusal(USAGE, f"this link has more than {OPTIONS_MAX} options") from error
    (kind, name), *rest = pairs
    if kind in NOT_HERE:
        raise Refusal(USAGE, f"{kind}: this {NEEDS_INSTALLED}")
    if kind not in KINDS:
        raise Refusal(USAGE, f"nothing is called '{safe_text(kind, 40)}' here; there are {', '.join(KINDS)}")
    return Link(kind, name, dict(rest))


def open_link(link: Link, home: Path, settings: Settings) -> Opened:
    """The app that shows it. Refusal, in one sentence, when there is no such thing."""
    return KINDS[link.kind](link, home, settings)


def _lab(link: Link, home: Path, settings: Settings) -> Opened:
    script = link.options.get("script", "")
    if script:
        return _field_of(_field(script), "Lab of a script", link, home, settings, Board())
    load = link.options.get("load", settings.load)
    wanted = Wanted(
        simulated=True, seed=link.seed, load=load, beside=link.options.get("beside", ""), data_dir=str(home)
    )
    return Opened(app_of(begin_lab(wanted), SIMULATED_LAB, settings, Board(), tours=True))


def _field_of(field: Script, title: str, link: Link, home: Path, settings: Settings, board: Board) -> Opened:
    run = begin_field(field, title, link.seed, Simulated(), home)
    return Opened(app_of(run, SIMULATED_LAB, settings, board))


def _field(text: str) -> Script:
    """A script of commands stands in a cluster of three and three unless it begins with its own."""
    from workbench.challenges.hunt import FIELD

    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    script = parse_script(text if first.split(" ")[0] in ("cluster", "section") else f"{FIELD}\n{text}")
    if script.sections[0].plan is None:
        raise Refusal(USAGE, "script: it begins no cluster")
    return script


def _lesson(link: Link, home: Path, settings: Settings) -> Opened:
    seed = learner_seed() if "seed" not in link.options else link.seed
    return Opened(simulated_lesson_app(find_lesson(link.name), home, link.seed, settings=settings, learner=seed))


def _challenge(link: Link, home: Path, settings: Settings) -> Opened:
    from workbench.challenges.board import ChallengeBoard
    from workbench.challenges.catalogue import CHALLENGES, HUNT
    from workbench.tui.challenge_lab import title_of

    listed = next((listed for listed in CHALLENGES if str(listed.number) == link.name), None)
    if listed is HUNT:
        return _hunt(Link("hunt", "1", link.options), home, settings)
    if listed is None:
        raise Refusal(USAGE, f"no challenge '{safe_text(link.name, 20)}'; there are 1 to {CHALLENGES[-1].number}")
    if listed.record is not None:
        return _replay_of(listed.record(link.seed, home), settings)
    if listed.on_screen is None:
        raise Refusal(USAGE, f"challenge {listed.number} takes a file: it {NEEDS_INSTALLED}")
    field, board = parse_script(listed.on_screen.field_of(link.seed)), ChallengeBoard(listed.on_screen)
    return _field_of(field, title_of(listed), link, home, settings, board)


def _hunt(link: Link, home: Path, settings: Settings) -> Opened:
    from workbench.challenges.bugs.sealed import find_sealed
    from workbench.challenges.hunt import FIELD, LEVELS, next_of, seal_logs, sealed_cluster
    from workbench.runs.sealed import TITLE

    if link.name.isdigit() and int(link.name) not in LEVELS:
        raise Refusal(USAGE, f"hunt: no level {safe_text(link.name, 20)}; there are 1 to {LEVELS[-1]}")
    sealed = next_of(int(link.name)) if link.name.isdigit() else find_sealed(link.name)
    run = begin_field(parse_script(FIELD), f"{TITLE}{sealed.name}", link.seed, Simulated(), home)

    @contextmanager
    def within() -> Iterator[None]:
        with sealed_cluster(sealed):
            yield
        if run.session.run_folder.name:
            seal_logs(run.session.run_folder)

    return Opened(app_of(run, HUNT_PAGE, settings), within())


def _incident(link: Link, home: Path, settings: Settings) -> Opened:
    from workbench.runs.played import played

    incident = find_incident(link.name)
    return _replay_of(
        played(incident.path, home, f"Incident {incident.number}: {incident.title}", link.seed)[0], settings
    )


def _replay(link: Link, home: Path, settings: Settings) -> Opened:
    return _replay_of(recording_of(link.name, str(home)), settings)


def _replay_of(folder: Path, settings: Settings, says: str = "") -> Opened:
    from workbench.tui.launch import replay_app

    return Opened(replay_app(Session(folder, None), settings, says))


def _run(link: Link, home: Path, settings: Settings) -> Opened:
    """A run that was shared as a text."""
    from workbench.session.sharing.retold import play_again, verdict_of
    from workbench.session.sharing.shared_run import shared_in

    shared = shared_in(link.name)
    again = run_to_end(play_again(home, shared))
    return _replay_of(again.folder, settings, verdict_of(shared, again.trace_hash))


def _compare(link: Link, home: Path, settings: Settings) -> Opened:
    from workbench.tui.comparing import comparing_app

    other = recording_of(link.options.get("with", ""), str(home))
    return Opened(comparing_app(recording_of(link.name, str(home)), other, settings))


def _runs(_link: Link, home: Path, settings: Settings) -> Opened:
    from workbench.tui.screens.home import HomeApp

    return Opened(HomeApp(home, glyphs(settings.glyphs), settings=settings))


KINDS: dict[str, Callable[[Link, Path, Settings], Opened]] = {
    "lab": _lab, "lesson": _lesson, "challenge": _challenge, "hunt": _hunt, "incident": _incident, "replay": _replay,
    "run": _run, "compare": _compare, "runs": _runs,
}  # fmt: skip


def next_link(app: Any) -> Link | None:
    """What is to be opened once an app is left. Refusal for what is not offered here."""
    from workbench.tui.screens.home_choices import Choice

    chosen = app.return_value
    if isinstance(chosen, Choice):
        if chosen.verb == "compare":
            return Link("compare", chosen.text, {"with": chosen.name})
        kind = "lab" if chosen.verb == "simulated" else chosen.verb
        if kind not in KINDS or chosen.verb == "lab":
            raise Refusal(USAGE, f"'{safe_text(chosen.text, 60)}' {NEEDS_INSTALLED}")
        return Link(kind, chosen.name)
    if getattr(app, "next_lesson", None) is not None:
        return Link("lesson", app.next_lesson.name)
    if getattr(app, "next_challenge", 0):
        return Link("challenge", str(app.next_challenge))
    return None
