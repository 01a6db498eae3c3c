"""The frame of a lesson.md: steps under their headings, text and fenced blocks in them, in the order of the grammar."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from workbench.course.lesson_error import LessonError

FENCE, HEADING = "```", "## "
LAST_PAGE = "Last page"
QUESTIONS = ("predict", "transfer")
BLOCKS = ("predict", "transfer", "do", "reveal", "document", "figure", "notes", "keep")
_SEVERAL = ("reveal", "document", "figure")


@dataclass(frozen=True, slots=True)
class Piece:
    """A fenced block, or the text between two of them."""

    line: int
    """Of its fence, or of its first line, from 1."""
    kind: str
    """One of BLOCKS; empty for text."""
    argument: str
    """What stands behind the kind."""
    body: tuple[str, ...]

    @property
    def text(self) -> str:
        """The body as one text."""
        return "\n".join(self.body).strip()

    def numbered(self) -> list[tuple[int, str]]:
        """Each line of the body that is not empty, with its number in the file."""
        first = self.line + bool(self.kind)
        return [(number, text) for number, text in enumerate(self.body, start=first) if text.strip()]


@dataclass(slots=True)
class Frame:
    """One step as it stands in the file: what comes before the run, what after."""

    heading: str
    line: int
    before: list[Piece] = field(default_factory=list)
    question: Piece | None = None
    do: Piece | None = None
    after: list[Piece] = field(default_factory=list)
    notes: Piece | None = None
    keep: Piece | None = None


def frames_of(path: Path, lines: list[str], start: int) -> tuple[list[Frame], Frame]:
    """The steps and the last page in the lines from index start on. LessonError on the first mistake."""
    frames = _cut(path, lines, start)
    if not frames:
        raise LessonError(path, start + 1, "no step; each begins with a line '## Heading'")
    places = [at for at, (frame, _) in enumerate(frames) if frame.heading == LAST_PAGE]
    if places != [len(frames) - 1]:
        line = frames[places[0]][0].line if places else len(lines)
        raise LessonError(path, line, f"'## {LAST_PAGE}' must be there once, as the last heading")
    if len(frames) == 1:
        raise LessonError(path, start + 1, f"no step before '## {LAST_PAGE}'")
    for frame, pieces in frames[:-1]:
        for piece in pieces:
            _place(path, frame, piece)
        if frame.notes is None:
            raise LessonError(path, frame.line, f"step '{frame.heading[:60]}' has no notes; at least: time: 3")
    last, pieces = frames[-1]
    _place_last(path, last, pieces)
    return [frame for frame, _ in frames[:-1]], last


def _cut(path: Path, lines: list[str], start: int) -> list[tuple[Frame, list[Piece]]]:
    """Each heading with its blocks and the text between them."""
    frames: list[tuple[Frame, list[Piece]]] = []
    index = start
    while index < len(lines):
        line = lines[index]
        if line.startswith(HEADING):
            heading = line.removeprefix(HEADING).strip()
            if not heading:
                raise LessonError(path, index + 1, "a heading without words")
            frames.append((Frame(heading, index + 1), []))
            index += 1
        elif line.startswith(FENCE):
            if not frames:
                raise LessonError(path, index + 1, "a block before the first heading; a step begins with '## Heading'")
            block, index = _block(path, lines, index)
            frames[-1][1].append(block)
        else:
            end = next((at for at in range(index, len(lines)) if lines[at].startswith((HEADING, FENCE))), len(lines))
            first = next((at for at in range(index, end) if lines[at].strip()), None)
            if first is not None and not frames:
                raise LessonError(path, first + 1, "text before the first heading; a step begins with '## Heading'")
            if first is not None:
                frames[-1][1].append(Piece(first + 1, "", "", tuple(lines[first:end])))
            index = end
    return frames


def _block(path: Path, lines: list[str], begin: int) -> tuple[Piece, int]:
    """The block whose fence stands at index begin, and the index below it."""
    kind, _, argument = lines[begin].removeprefix(FENCE).strip().partition(" ")
    if kind not in BLOCKS:
        near = get_close_matches(kind, BLOCKS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"allowed: {', '.join(BLOCKS)}"
        what = f"block '{kind[:40]}' is unknown" if kind else "a fence that closes no block"
        raise LessonError(path, begin + 1, f"{what}; {hint}")
    end = next((at for at in range(begin + 1, len(lines)) if lines[at].startswith((FENCE, HEADING))), len(lines))
    if end == len(lines) or lines[end].rstrip() != FENCE:
        raise LessonError(path, begin + 1, f"block '{kind}' is not closed; its last line is {FENCE}")
    return Piece(begin + 1, kind, argument.strip(), tuple(lines[begin + 1 : end])), end + 1


def _place(path: Path, frame: Frame, piece: Piece) -> None:
    """Put a piece where it belongs in its step, when it may stand there."""
    kind = "question" if piece.kind in QUESTIONS else piece.kind
    if kind == "keep":
        raise LessonError(path, piece.line, f"block 'keep' stands below '## {LAST_PAGE}' only")
    if kind and kind not in _SEVERAL and getattr(frame, kind) is not None:
        other = " (a step has one question)" if kind == "question" else ""
        raise LessonError(path, piece.line, f"block '{piece.kind}' is there twice in this step{other}")
    if frame.notes is not None:
        raise LessonError(path, piece.line, f"{_called(piece)} below the notes; notes stand last in a step")
    if kind == "question" and frame.do is not None:
        raise LessonError(path, piece.line, f"block '{piece.kind}' is out of order: a question stands before the do")
    if kind in ("", "figure", "document") and frame.question is not None and frame.do is None:
        raise LessonError(path, piece.line, f"{_called(piece)} between the question and the do; put it before or after")
    if kind == "" and frame.do is not None:
        raise LessonError(path, piece.line, "prose after the do block; what is told after the run is a reveal")
    if kind == "reveal" and frame.do is None:
        raise LessonError(path, piece.line, "block 'reveal' is out of order: it stands after the do, which is missing")
    if kind in ("question", "do", "notes"):
        if kind == "notes" and frame.question is not None and frame.do is None:
            raise LessonError(path, frame.question.line, f"a {frame.question.kind} block needs a do in its step")
        setattr(frame, kind, piece)
    else:
        (frame.before if frame.do is None else frame.after).append(piece)


def _place_last(path: Path, last: Frame, pieces: list[Piece]) -> None:
    for piece in pieces:
        if piece.kind == "keep" and last.keep is None:
            last.keep = piece
        elif piece.kind == "document" and last.keep is not None:
            last.after.append(piece)
        else:
            wrong = f"{_called(piece)} is out of place on the last page; it has keep, then documents"
            raise LessonError(path, piece.line, wrong)
    if last.keep is None:
        raise LessonError(path, last.line, "the last page has no keep block: three numbered lines")


def _called(piece: Piece) -> str:
    return f"block '{piece.kind}'" if piece.kind else "prose"
