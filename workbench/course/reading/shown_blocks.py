"""Reads what is shown before and after a run: prose, figures, documents, reveals."""

from __future__ import annotations

import re

from workbench.course.claims import CLAIM, FILE, VERDICTS, Claims
from workbench.course.content import Block, Document, Figure, Prose, Reveal
from workbench.course.lesson_error import LessonError
from workbench.course.reading.cluster_so_far import ClusterSoFar
from workbench.course.reading.frame import Frame, Piece
from workbench.course.reading.text_checks import check_length, check_plain
from workbench.course.signs import ASCII, COLUMNS, strange_sign

QUOTE_WORDS_MAX = 12
_QUOTE = re.compile(r'> ["“](.+)["”]')


def blocks_before(frame: Frame, cluster: ClusterSoFar, claims: Claims) -> tuple[Block, ...]:
    """What is read first. The cluster is that of this step, before anything has happened."""
    prose = [piece for piece in frame.before if not piece.kind]
    if frame.question is not None and prose:
        text = "\n".join(piece.text for piece in prose)
        check_length(cluster.path, frame.line, text, "the prose before the question")
    return tuple(_block(piece, cluster, claims) for piece in frame.before)


def blocks_after(frame: Frame, cluster: ClusterSoFar, claims: Claims) -> tuple[Block, ...]:
    """What is shown once the step has run."""
    has_if = False
    blocks: list[Block] = []
    for piece in frame.after:
        if piece.kind != "reveal":
            blocks.append(_block(piece, cluster, claims))
            continue
        reveal = _reveal(piece, cluster)
        if reveal.is_else and not has_if:
            raise LessonError(cluster.path, piece.line, "reveal else without a reveal if before it in this step")
        has_if = has_if or bool(reveal.condition)
        blocks.append(reveal)
    return tuple(blocks)


def _block(piece: Piece, cluster: ClusterSoFar, claims: Claims) -> Block:
    match piece.kind:
        case "figure":
            return _figure(piece, cluster)
        case "document":
            return document(piece, cluster, claims)
        case _:
            check_plain(cluster.path, piece)
            cluster.check_timers(piece.numbered())
            return Prose(piece.text, piece.line)


def _reveal(piece: Piece, cluster: ClusterSoFar) -> Reveal:
    how, _, condition = piece.argument.partition(" ")
    if how not in ("", "if", "else") or (how == "else" and condition) or (how == "if" and not condition.strip()):
        wrong = f"reveal '{piece.argument[:40]}'; allowed: reveal, reveal if CONDITION, reveal else"
        raise LessonError(cluster.path, piece.line, wrong)
    if not piece.text:
        raise LessonError(cluster.path, piece.line, "a reveal without words")
    check_plain(cluster.path, piece)
    check_length(cluster.path, piece.line, piece.text, "the reveal")
    conditions = cluster.conditions(piece.line, condition, "reveal if") if how == "if" else ()
    cluster.check_values(piece.numbered())
    return Reveal(piece.text, conditions, how == "else", piece.line)


def _figure(piece: Piece, cluster: ClusterSoFar) -> Figure:
    if piece.argument:
        raise LessonError(cluster.path, piece.line, f"figure takes no word: '{piece.argument[:40]}'")
    for number, line in enumerate(piece.body, start=piece.line + 1):
        if len(line) > COLUMNS:
            wrong = f"a figure has at most {COLUMNS} columns, this line has {len(line)}"
            raise LessonError(cluster.path, number, wrong)
        sign = strange_sign(line)
        if sign:
            shown = sign if sign.isprintable() else f"U+{ord(sign):04X}"
            wrong = f"a figure cannot have '{shown}': it has no form in ASCII; allowed: ASCII and {''.join(ASCII)}"
            raise LessonError(cluster.path, number, wrong)
    if not piece.text:
        raise LessonError(cluster.path, piece.line, "an empty figure")
    return Figure(tuple(line.rstrip() for line in piece.body), piece.line)


def document(piece: Piece, cluster: ClusterSoFar, known: Claims) -> Document:
    """A document block: what one of the five documents says, and what becomes of it."""
    words = piece.argument.split()
    claims, verdict = words[:-1], words[-1] if words else ""
    if not claims or verdict not in VERDICTS:
        form = f"document S2.9 VERDICT, the verdict one of {', '.join(VERDICTS)}"
        wrong = f"document '{piece.argument[:60]}'; the form is: {form}"
        raise LessonError(cluster.path, piece.line, wrong)
    for claim in claims:
        _check_claim(piece, cluster, claim, verdict, known)
    lines = piece.numbered()
    quote = _QUOTE.fullmatch(lines[0][1].strip()) if lines else None
    if quote is None:
        raise LessonError(cluster.path, piece.line, 'a document begins with its quote: > "at most twelve words"')
    count = len(quote[1].split())
    if count > QUOTE_WORDS_MAX:
        raise LessonError(cluster.path, lines[0][0], f"the quote has {count} words; at most {QUOTE_WORDS_MAX}")
    if len(lines) == 1:
        raise LessonError(cluster.path, piece.line, "a document says below its quote what becomes of it")
    check_plain(cluster.path, piece)
    cluster.check_timers(lines)
    text = "\n".join(piece.body[lines[0][0] - piece.line :]).strip()
    return Document(tuple(claims), verdict, quote[1], text, piece.line)


def _check_claim(piece: Piece, cluster: ClusterSoFar, name: str, verdict: str, known: Claims) -> None:
    """The claim is there, and the verdict is its own; where no claims are kept, its name has the right form."""
    if not CLAIM.fullmatch(name):
        raise LessonError(cluster.path, piece.line, f"'{name[:40]}' is no claim; they are called S0.1, S4.12")
    if not known.by_name:
        return
    claim = known.by_name.get(name)
    if claim is None:
        document = name.partition(".")[0]
        last = [f"the last of {document} is {other}, " for other in known.by_name if other.startswith(f"{document}.")]
        wrong = f"there is no claim {name}; {''.join(last[-1:])}all are in {FILE}"
        raise LessonError(cluster.path, piece.line, wrong)
    if verdict not in claim.verdicts:
        wrong = f"the verdict on {name} is {' or '.join(claim.verdicts)}, not {verdict}: {claim.sentence}"
        raise LessonError(cluster.path, piece.line, wrong)
