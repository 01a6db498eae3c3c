"""The one file that a learner hands in: JSON that people can read, and every byte of it checked before it is used."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from cluster.ordinary_file import read_ordinary
from cluster.trace.reader import origin_of
from workbench.course.content import Lesson
from workbench.support.new_file import new_file
from workbench.support.refusal import BAD_DATA, VERSION, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.version import program_version

FORM = 1
FILE_MAX = 64 << 20
"""Bytes of a file."""
RECORDING_MAX = 256 << 20
"""Bytes that all recordings of a file may unfold to."""
NAME_MAX = 100
Word = Annotated[str, msgspec.Meta(max_length=NAME_MAX)]
Answers = Annotated[dict[Word, Word], msgspec.Meta(max_length=100)]
Seed = Annotated[int, msgspec.Meta(ge=0)]


class Recording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What real processes told: it cannot be played again, so it comes along."""

    run: Word
    files: Annotated[dict[Word, str], msgspec.Meta(max_length=500)]
    """Name of each trace file, with its bytes as zlib and base64."""


class LessonPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="lesson"):
    """One lesson as it was taken last."""

    name: Word
    digest: Word
    """Of the lesson's text and script."""
    answers: Answers
    """Question to the misconception that was chosen, or right: for readers. What counts is what the runs tell."""
    runs: Annotated[tuple[str | Recording, ...], msgspec.Meta(max_length=50)]
    """A simulated run as the text that plays it again."""


class ChallengePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="challenge"):
    """The solution of one challenge."""

    number: int
    seed: Seed
    solution: Annotated[str, msgspec.Meta(max_length=1 << 18)]


class QuizPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="quiz"):
    """The quiz, before the course and after it."""

    before: Answers
    after: Answers


class ExamPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="exam"):
    """An exam as far as it was answered; the student is the learner of the file."""

    digest: Word
    """Of the exam's file."""
    seconds: float
    """From the first question to the last answer, as the learner's clock says."""
    answers: Answers
    """Question, as 2/silent, to the misconception that was chosen, or right."""


Part: TypeAlias = LessonPart | ChallengePart | QuizPart | ExamPart


class Submission(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that one learner hands in at once."""

    form: int = FORM
    program: Word
    """Version of the program that wrote it."""
    learner: Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_MAX)]
    parts: Annotated[tuple[Part, ...], msgspec.Meta(min_length=1, max_length=100)]
    sum: Word = ""
    """SHA-256 of all the rest: it shows a change that somebody made by hand. It is no secret, and no proof."""

    @property
    def right_sum(self) -> str:
        """What the sum is when nobody changed the file by hand."""
        return hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(self, sum=""))).hexdigest()


class _Head(msgspec.Struct):
    form: int


def write_submission(file: str, learner: str, parts: tuple[Part, ...]) -> None:
    """Write the file, whole. Refusal when there is one already, or nobody may write there."""
    plain = Submission(program=program_version(), learner=learner, parts=parts)
    with new_file(file) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(plain, sum=plain.right_sum))))


def read_submission(path: Path) -> Submission:
    """What is in a file. Refusal for anything that is none, in one sentence without the name of the file."""
    try:
        data = read_ordinary(path, FILE_MAX)
        form = msgspec.json.decode(data, type=_Head).form
        if form != FORM:
            raise Refusal(VERSION, f"it has form {form}, and this tool reads form {FORM}")
        return msgspec.json.decode(data, type=Submission)
    except OSError as error:
        raise Refusal(BAD_DATA, f"it cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal(BAD_DATA, f"it is no submission: {safe_text(str(error), 200)}") from error


def digest_of(lesson: Lesson) -> str:
    """Of the text and the script of a lesson: with another one, other answers may be right."""
    return hashlib.sha256(b"\0".join((lesson.folder / name).read_bytes() for name in FILES)).hexdigest()


FILES = ("lesson.md", "scenario.txt")


def pack(run_folder: Path) -> Recording:
    """The trace of a run. OSError when it cannot be read; Refusal when it is too large."""
    files, room = {}, RECORDING_MAX
    for path in sorted((run_folder / "trace").glob("*.trace")):
        content = read_ordinary(path, room)
        room -= len(content)
        files[path.name] = base64.b64encode(zlib.compress(content, 9)).decode()
    return Recording(run_folder.name, files)


def unpack(recording: Recording, run_folder: Path) -> None:
    """Write the trace that comes along. Refusal for a name that is none of a trace, and for too much."""
    room = RECORDING_MAX
    folder = run_folder / "trace"
    folder.mkdir(parents=True)
    for name, packed in recording.files.items():
        if origin_of(name) == (-1, -1) or not re.fullmatch(r"[0-9.a-z-]+", name):
            raise Refusal(BAD_DATA, f"'{safe_text(name, 60)}' is no name of a trace file")
        unfolding = zlib.decompressobj()
        try:
            content = unfolding.decompress(base64.b64decode(packed, validate=True), room + 1)
        except (binascii.Error, zlib.error) as error:
            raise Refusal(BAD_DATA, f"the trace {name} is damaged") from error
        room -= len(content)
        if room < 0:
            raise Refusal(BAD_DATA, f"its recording unfolds to more than {RECORDING_MAX >> 20} MiB")
        if not unfolding.eof:
            raise Refusal(BAD_DATA, f"the trace {name} is cut short")
        (folder / name).write_bytes(content)
