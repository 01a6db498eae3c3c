"""Option values with messages for people: what was seen, and what is allowed."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from cluster.model.identifiers import OF_ONE_ROLE_MAX

DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h)")
SEEDS_MAX = 1_000_000
SECONDS_MIN = 0.1
TROUBLE_SECONDS_MAX = 3600
DIGITS_MAX = 40
DAYS_MAX = 365
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def visible(value: object) -> str:
    """The value without control characters, cut to 60."""
    return "".join(char if char.isprintable() else "\ufffd" for char in str(value)[:60])


def whole_number(low: int, high: int, why: str = "") -> Callable[[str | int], int]:
    """A parser for an int from low to high; it fails with exit 2 and says why there is a limit."""

    def number(value: str | int) -> int:
        text = str(value)
        if not re.fullmatch(r"[+-]?[0-9]+", text):
            raise typer.BadParameter(f"not a whole number: '{visible(text)}'")
        parsed = int(text[:DIGITS_MAX])  # a longer one is cut, and still too large or too small
        if not low <= parsed <= high:
            tail = f"; {why}" if why and parsed > high else ""
            raise typer.BadParameter(f"needs {low} to {high}, not {text[:DIGITS_MAX]}{tail}")
        return parsed

    return number


def all_cores() -> int:
    """As many processes as there are cores that this one may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def duration(value: str | float) -> float:
    """Seconds, from text such as 90s."""
    parts = DURATION.fullmatch(str(value))
    if parts is None or float(parts[1]) == 0:
        raise typer.BadParameter(f"not a duration: '{visible(value)}'; write 500ms, 90s, 10m or 2h")
    seconds = float(parts[1]) * SECONDS[parts[2]]
    if not SECONDS_MIN <= seconds <= DAYS_MAX * 86_400:
        raise typer.BadParameter(f"needs 100ms to {DAYS_MAX * 24}h, not {value}")
    return seconds


def trouble(value: str | float) -> float:
    """Seconds of faults in a simulated cluster: a seed that takes longer than an hour of them would never be judged."""
    seconds = duration(value)
    if seconds > TROUBLE_SECONDS_MAX:
        raise typer.BadParameter(f"needs 100ms to {TROUBLE_SECONDS_MAX // 60:g}m, not {value}")
    return seconds


def moment(value: str | float) -> float:
    """Seconds from the beginning of a run."""
    if not re.fullmatch(r"[0-9]{1,8}(\.[0-9]{1,9})?", str(value)):
        raise typer.BadParameter(f"needs seconds from the run's beginning, such as 12.5, not '{visible(value)}'")
    return float(value)


def path(value: str) -> str:
    """The name of a file or a folder; an empty one is a variable that was never set."""
    if not value:
        raise typer.BadParameter("empty path")
    return value


def run_name(value: str) -> str:
    """What somebody calls a run; an empty name is a variable that was never set, and means no run at all."""
    if not value:
        raise typer.BadParameter("empty name; workbench runs lists them")
    return value


@dataclass(frozen=True, slots=True)
class SeedRange:
    """Seeds to run."""

    first: int
    """Inclusive."""
    last: int
    """Inclusive."""

    def __str__(self) -> str:
        return f"{self.first}..{self.last}"


def seed_range(value: str | SeedRange) -> SeedRange:
    """From text such as 1..1000; one number is a range of one."""
    parts = re.fullmatch(r"([0-9]{1,10})(?:\.\.([0-9]{1,10}))?", str(value))
    if parts is None:
        raise typer.BadParameter(f"not a range of seeds: '{visible(value)}'; write 1..1000, or one number")
    first, last = int(parts[1]), int(parts[2] or parts[1])
    if not first <= last < first + SEEDS_MAX:
        raise typer.BadParameter(f"needs the first seed, then the last, at most {SEEDS_MAX} in all")
    return SeedRange(first, last)


def factor(value: str | float) -> float:
    """A number that timers are multiplied with; nan and inf are none."""
    text = str(value)
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,6})?", text) or not 0.1 <= float(text) <= 1000:
        raise typer.BadParameter(f"needs a number from 0.1 to 1000, not '{visible(text)}'")
    return float(text)


EACH = "each node is a process of about 40 MiB with files of its own"
Controllers = Annotated[
    int | None,
    typer.Option(
        parser=whole_number(1, OF_ONE_ROLE_MAX, EACH), metavar="N",
        help="Voters of the quorum; an odd number is best. Three unless told.",
    ),
]  # fmt: skip
SpareControllers = Annotated[
    int | None,
    typer.Option(
        parser=whole_number(0, OF_ONE_ROLE_MAX - 1),
        metavar="N",
        help="Have voters that change, and so many of the controllers not vote at first.",
    ),
]
Racks = Annotated[
    int,
    typer.Option(
        parser=whole_number(0, OF_ONE_ROLE_MAX),
        metavar="N",
        help="Have the brokers stand in so many racks, r1 and on, and send consumers to a replica in theirs.",
    ),
]
Brokers = Annotated[
    int, typer.Option(parser=whole_number(1, OF_ONE_ROLE_MAX, EACH), metavar="N", help="Brokers that register with it.")
]
ClientAuth = Annotated[
    bool, typer.Option("--client-auth", help="Kafka clients need a password (SASL/PLAIN), made for this run.")
]
Combined = Annotated[bool, typer.Option("--combined", help="Controllers and brokers share processes.")]
Slow = Annotated[float, typer.Option(parser=factor, metavar="FACTOR", help="Stretch every timer this many times.")]
At = Annotated[str, typer.Option("--at", metavar="TIME", help="Open it at this moment: seconds, or as 01:23.4.")]
Timing = Annotated[str, typer.Option(metavar="PROFILE", help="classroom, or kafka for Kafka's real defaults.")]
CONTROLS = ("kraft", "zookeeper")


def control_mode(value: Any) -> str:
    """One of the modes, or why not."""
    if value not in CONTROLS:
        raise typer.BadParameter(f"'{visible(str(value))}' is none; choose {' or '.join(CONTROLS)}")
    return str(value)


Control = Annotated[
    str,
    typer.Option(
        parser=control_mode,
        metavar="MODE",
        help="kraft, or zookeeper: brokers race to be the controller, one coordinator keeps the znodes.",
    ),
]
LessonTiming = Annotated[
    str, typer.Option(metavar="PROFILE", help="classroom or kafka; by default as the lesson says.")
]
BasePort = Annotated[
    int | None,
    typer.Option(
        parser=whole_number(1, 65_535, "the range of ports would pass 65535"),
        metavar="N",
        help="First port, one for each node; clients have the next ones. By default a free block.",
    ),
]
DataDir = Annotated[str | None, typer.Option(metavar="DIR", help="Where runs are kept; WORKBENCH_HOME does the same.")]
Replicas = Annotated[
    int | None,
    typer.Option(
        "--replication-factor", parser=whole_number(1, OF_ONE_ROLE_MAX), metavar="N", help="Of the topic orders."
    ),
]
MinIsr = Annotated[
    int | None,
    typer.Option(parser=whole_number(1, OF_ONE_ROLE_MAX), metavar="N", help="min.insync.replicas of the topic."),
]
Json = Annotated[bool, typer.Option("--json", help="For machines.")]
Load = Annotated[
    str,
    typer.Option(metavar="RATE", help='What it writes and reads by itself: records a second, or off; "20 acks=1" too.'),
]
Simulated = Annotated[bool, typer.Option("--simulated", help="In virtual time, from a seed, instead of processes.")]
Beside = Annotated[
    str,
    typer.Option(
        metavar="CHANGES", help="With --simulated: a second cluster gets the same commands, with 'acks=1 elr=off'."
    ),
]
RunBeside = Annotated[
    str,
    typer.Option(
        metavar="CHANGES|SCRIPT", help="Simulated, and once more with 'acks=1 elr=off', or with another script beside."
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        parser=whole_number(0, (1 << 64) - 1), metavar="N", help="Of a simulation: the same seed, the same run."
    ),
]
Run = Annotated[
    str, typer.Argument(parser=run_name, metavar="run", help="A run's id, a unique beginning of it, or its folder.")
]
Duration = Annotated[
    float | None, typer.Option(parser=duration, metavar="TIME", help="End by itself after 90s, 10m, 2h.")
]
Trouble = Annotated[
    float | None,
    typer.Option(parser=trouble, metavar="TIME", help="Virtual time of faults in each seed; by default 10s."),
]
DiskFaults = Annotated[
    bool,
    typer.Option(
        "--disk-faults",
        help="Wipe disks, tear writes, let bits rot and reads go wrong in every seed, not in a third.",
    ),
]
VoterChanges = Annotated[
    bool,
    typer.Option("--voter-changes", help="Add and remove voters in every seed, or replace their disks, not in a few."),
]
Transactions = Annotated[
    bool, typer.Option("--transactions", help="Have producers write in transactions, beside all else of each seed.")
]
FetchSessions = Annotated[
    bool, typer.Option("--fetch-sessions", help="Have brokers and members of groups fetch in sessions (KIP-227).")
]
AllParts = Annotated[
    bool,
    typer.Option(
        "--all-parts",
        help="Go by the number of the seed: disks, transactions, voters, zookeeper, fetch sessions, and mixes of them.",
    ),
]
PropertiesFile = Annotated[
    Path | None,
    typer.Argument(metavar="FILE", help="A server.properties or a compose file, to examine instead."),
]
Jobs = Annotated[
    int, typer.Option(parser=whole_number(0, 256), metavar="N", help="Processes at work; 0 for one for each core.")
]
Seeds = Annotated[SeedRange, typer.Option(parser=seed_range, metavar="A..B", help="First and last seed.")]
SeedCount = Annotated[
    int, typer.Option(parser=whole_number(1, 1_000_000), metavar="N", help="Seeds 1 to N in each cell of the grid.")
]
Master = Annotated[str | None, typer.Option(metavar="URL", help="A Spark cluster, as spark://HOST:PORT.")]
Record = Annotated[str, typer.Option(metavar="CELL:SEED", help="Record these runs too, for example 3:17,4:2.")]
AnyRun = Annotated[
    str | None,
    typer.Argument(parser=run_name, metavar="run", help="A run's id, a unique beginning of it, or its folder."),
]
Watch = Annotated[
    bool, typer.Option("--watch", help="Only look: this screen sends no command, whatever is pressed or typed.")
]
Notes = Annotated[
    bool, typer.Option("--notes", help="The speaker's notes to the lesson that another screen shows; needs no run.")
]

ClassFolder = Annotated[
    str | None,
    typer.Option(
        "--class", parser=path, metavar="DIR", help="Every recorded run below a folder that has one for each learner."
    ),
]
AnalysisFolder = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Folder or address of tables and page; by default analysis in the data folder."),
]
Quarantine = Annotated[bool, typer.Option("--quarantine", help="Go on without what cannot be read, and say so.")]
Salvage = Annotated[bool, typer.Option("--salvage", help="Judge what comes before the damage in a damaged trace.")]
Against = Annotated[
    str,
    typer.Option(metavar="SPEC", help="A specification instead of our rules: own, hw, kip101, kip279, kip320, kip996."),
]
Specs = Annotated[
    str | None,
    typer.Option(parser=path, metavar="DIR", help="Where specifications are; WORKBENCH_SPECS says it too."),
]
Tlc = Annotated[
    str | None, typer.Option(parser=path, metavar="JAR", help="The checker of TLA+; WORKBENCH_TLC says it too.")
]
OnePartition = Annotated[str, typer.Option(metavar="TOPIC-P", help="By default the first of the run.")]
PackedFile = Annotated[
    str | None,
    typer.Option("--file", parser=path, metavar="FILE", help="Pack the recording into this .tar.gz instead."),
]
PageFile = Annotated[
    str | None,
    typer.Option("--html", parser=path, metavar="FILE", help="Write a page that holds it and the program instead."),
]
PictureFile = Annotated[
    str | None,
    typer.Option("--svg", parser=path, metavar="FILE", help="Write a picture of the screen there instead."),
]
Moment = Annotated[float | None, typer.Option(parser=moment, metavar="SECONDS", help="Its moment; else the end.")]
FilmFile = Annotated[
    str | None,
    typer.Option(
        "--cast",
        parser=path,
        metavar="FILE",
        help="Write a film of the screen there instead, for players of asciicasts: "
        "each step of the run for 0.6 s, each silence for 1.2 s whatever its length, both told at the end.",
    ),
]
Speed = Annotated[
    float, typer.Option(parser=factor, metavar="FACTOR", help="Of the film: 2 is twice as fast as the run.")
]
PictureSize = Annotated[str, typer.Option(metavar="COLUMNSxROWS", help="Of the picture, or the film.")]


def _tell_version(wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        from importlib.metadata import version

        typer.echo(f"workbench {version('kraft-workbench')}")
        raise typer.Exit


AllowRoot = Annotated[bool, typer.Option("--allow-root", help="Run as root though sudo was used.")]
Version = Annotated[
    bool, typer.Option("--version", help="Say which version this is.", callback=_tell_version, is_eager=True)
]


SCREEN_FLAGS = {
    "theme": ("--theme", "WORKBENCH_THEME", "", "Colours: dark, light, contrast or terminal."),
    "no_mouse": ("--no-mouse", "WORKBENCH_MOUSE", "off", "Leave the mouse to the terminal: it selects text as usual."),
    "no_motion": ("--no-motion", "WORKBENCH_MOTION", "off", "A message stands on its link instead of travelling."),
    "ascii_only": ("--ascii", "WORKBENCH_GLYPHS", "ascii", "Draw with ASCII characters and without colour."),
    "plain": ("--plain", "WORKBENCH_PLAIN", "on", "Sentences, line by line, instead of the screen."),
}
"""Parameter -> (flag, the variable that it sets for this one command, to which value when it takes none, help)."""


def opens_screen(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the flags of every screen. Each is a variable of the environment, said for once."""
    hints = get_type_hints(command, include_extras=True)
    signature = inspect.signature(command)
    own = [item.replace(annotation=hints[item.name]) for item in signature.parameters.values()]
    more = []
    for name, (flag, _, fixed, says) in SCREEN_FLAGS.items():
        option = typer.Option(flag, help=says) if fixed else typer.Option(flag, metavar="NAME", help=says)
        kind, default = (bool, False) if fixed else (str, "")
        more.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])
        )

    @wraps(command)
    def with_flags(**named: Any) -> None:
        for name, (_, variable, fixed, _) in SCREEN_FLAGS.items():
            value = named.pop(name)
            if value:
                os.environ[variable] = fixed or value
        command(**named)

    with_flags.__annotations__ = {item.name: item.annotation for item in (*own, *more)} | {"return": None}
    with_flags.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    return with_flags
