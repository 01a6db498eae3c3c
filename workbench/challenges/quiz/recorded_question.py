"""The recording that a question of the quiz is answered from: what a run had told when its lesson asked."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from cluster.model.codec import DecodeError
from cluster.model.entry import Entry
from cluster.model.events import LessonStep
from cluster.ordinary_file import read_ordinary
from cluster.picture.cluster_state import ClusterState
from cluster.picture.folds import FOLDS
from cluster.scenario.event_pattern import EventBook
from cluster.scenario.runner import StepReport
from cluster.scenario.terms import Memory, Value
from cluster.trace.entry import decode_entry, encode_entry
from workbench.course.asked_events import asked_events
from workbench.course.content import Lesson, Option, Question
from workbench.course.trial import Trial
from workbench.runs.launch import simulated_launcher
from workbench.support.platform import run_to_end
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text

SEED = 0
BYTES_MAX, UNPACKED_MAX = 4 << 20, 64 << 20
_LENGTH = struct.Struct(">I")


@dataclass
class _SoFar:
    """What the cluster of a lesson has told so far, and what its script remembers."""

    entries: list[Entry] = field(default_factory=list)
    memory: Memory = field(default_factory=dict)


def make(lesson: Lesson, question: Question) -> bytes:
    """Play a lesson in a simulation up to a question; what was told by then. ValueError when it does not get there."""
    kinds, so_far, packed = {*FOLDS, *asked_events(lesson), LessonStep}, _SoFar(), list[bytes]()

    def step(report: StepReport) -> None:
        if report.kind == "cluster":
            so_far.entries.clear()
            so_far.memory.clear()
        elif report.kind == "remember":
            name, _, value = report.seen.partition(" is ")
            so_far.memory[name] = _value(value)

    def entry(_section: str, item: Entry) -> None:
        if type(item.event) in kinds:
            so_far.entries.append(item)

    def answer(asked: Question, _option: Option) -> None:
        if asked is question:
            packed.append(_packed(so_far))

    with TemporaryDirectory(prefix="workbench-quiz-") as folder:
        trial = Trial(lesson, simulated_launcher(Path(folder), SEED), step)
        trial.on_entry, trial.on_answer = entry, answer
        run_to_end(trial.run())
    if not packed:
        raise ValueError(f"{lesson.name} did not get to {question.id}: {'; '.join(trial.mistakes)}")
    return packed[0]


def _value(text: str) -> Value:
    if text == "none":
        return ()
    return tuple(map(int, text.split(","))) if "," in text else int(text)


def _packed(so_far: _SoFar) -> bytes:
    head = json.dumps({"memory": so_far.memory}).encode() + b"\n"
    return gzip.compress(head + b"".join(map(encode_entry, so_far.entries)), mtime=0)


def digest(data: bytes) -> str:
    """Tells whether a recording was changed."""
    return hashlib.sha256(data).hexdigest()


def right_option(path: Path, known_digest: str, lesson: Lesson, question: Question) -> Option:
    """The option that holds in a recording. Refusal names one that was changed, or that no one option holds in."""
    name = safe_text(str(path), 200)
    try:
        data = read_ordinary(path, BYTES_MAX)
    except OSError as error:
        raise Refusal(BAD_DATA, f"quiz: cannot read '{name}': {error.strerror}") from error
    if digest(data) != known_digest:
        raise Refusal(BAD_DATA, f"quiz: the recording '{name}' was changed; install the workbench anew")
    memory, entries = _unpacked(data, name)
    state, book = ClusterState(), EventBook(asked_events(lesson))
    for entry in entries:
        if isinstance(entry.event, LessonStep):
            book.mark()
        state.apply(entry)
        book.note(entry)
    held = [option for option in question.options if all(one.check(state, memory, book)[0] for one in option.when)]
    if len(held) != 1:
        raise Refusal(BAD_DATA, f"quiz: {len(held)} options of {lesson.name}/{question.id} hold in '{name}'")
    return held[0]


def _unpacked(data: bytes, name: str) -> tuple[Memory, list[Entry]]:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            plain = file.read(UNPACKED_MAX)
        head, _, rest = plain.partition(b"\n")
        pairs = json.loads(head)["memory"].items()
        memory: Memory = {key: tuple(value) if isinstance(value, list) else value for key, value in pairs}
        return memory, list(_entries(rest))
    except (OSError, EOFError, ValueError, KeyError, DecodeError, struct.error) as error:
        raise Refusal(BAD_DATA, f"quiz: '{name}' is no recording: {safe_text(str(error), 200)}") from error


def _entries(data: bytes) -> Iterator[Entry]:
    at = 0
    while at < len(data):
        (size,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size + size
        yield decode_entry(data[at - size : at])
