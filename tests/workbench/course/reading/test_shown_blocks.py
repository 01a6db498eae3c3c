"""Prose, figures, documents and reveals."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import mistake, steps_lesson
from workbench.course.content import Document, Figure, Prose, Reveal


@pytest.mark.parametrize(
    ("old", "new", "at", "told"),
    [
        ("Silence counts", "{leader orders-0} counts", "{leader", "nothing has happened yet; prose knows timers only"),
        ("Silence counts", "<b>Silence</b> counts", "<b>", "HTML: <b>; allowed: paragraphs"),
        (
            "Silence counts",
            "word " * 91 + "counts",
            "## It dies",
            "the prose before the question has 94 words; at most 90",
        ),
        (
            "There are",
            "word " * 91,
            "```reveal",
            "the reveal has 93 words; at most 90",
        ),
        ("reveal if leader orders-0 = 1", "reveal if leader = 1", "```reveal if", "reveal if: "),
        (
            "reveal if leader orders-0 = 1",
            "reveal if",
            "```reveal if",
            "allowed: reveal, reveal if CONDITION, reveal else",
        ),
        (
            "reveal if leader orders-0 = 1",
            "reveal when idle",
            "```reveal when",
            "allowed: reveal, reveal if CONDITION, reveal else",
        ),
        ("reveal if leader orders-0 = 1", "reveal", "```reveal else", "reveal else without a reveal if before it"),
        ("There are {acked orders-0} records.", "", "```reveal", "a reveal without words"),
        (
            "{acked orders-0} records.",
            "{aked orders-0} records.",
            "{aked",
            "{aked orders-0} is no timer of cluster/model/settings.py, and: unknown value",
        ),
        (
            "There are {acked orders-0} records.",
            "There are\n{acked\norders-7}.",
            "{acked",
            "topic 'orders' has partitions 0 to 0, not 7",
        ),
        ("document S2.22", "document S5.1", "```document", "'S5.1' is no claim"),
        ("S2.9 ok", "S2.9 right", "```document", "the verdict one of ok, old, partly, wrong, wording"),
        ("document S2.22 S2.9 ok", "document", "```document", "the form is: document S2.9 VERDICT"),
        ('> "B was not in the ISR"', "B was not in the ISR", "```document", "a document begins with its quote"),
        (
            'B was not in the ISR"',
            'B was so so so so so so so so so so so "',
            '> "B',
            "the quote has 13 words; at most 12",
        ),
        ("It was.\n", "", "```document", "a document says below its quote what becomes of it"),
        (
            " broker 1  ●●●",
            " broker 1  " + "●" * 60,
            "●●●",
            "a figure has at most 60 columns, this line has 80",
        ),
        ("●●● ──▶", "●●● ══▶", "══", "a figure cannot have '═'"),
        ("●●● ──▶", "●●●\t──▶", "──", "a figure cannot have 'U+0009'"),
        (" broker 1  ●●● ──▶ back\n", "", "```figure", "an empty figure"),
        ("```figure", "```figure small", "```figure", "figure takes no word: 'small'"),
    ],
)
def test_a_block_that_makes_no_sense_is_told(tmp_path: Path, old: str, new: str, at: str, told: str) -> None:
    line, said = mistake(tmp_path, (old, new))
    assert at in line
    assert told in said


def test_a_value_before_there_is_a_cluster_is_told(tmp_path: Path) -> None:
    step = "## Watch\n\nAfter {broker_session_timeout_ms}.\n\n```notes\ntime: 1\n```\n\n## Watch it"
    line, said = mistake(tmp_path, ("## Watch", step))
    assert line.startswith("After")
    assert said == "{broker_session_timeout_ms} before the first step with a cluster"


def test_what_is_read_first_and_what_afterwards_is_kept_apart(tmp_path: Path) -> None:
    steps = steps_lesson(tmp_path).steps
    assert steps[0].before == (
        Prose("A picture moves. A **broker** keeps records.", 15),
        Figure((" broker 1  ●●● ──▶ back",), 17),
    )
    first, second, document = steps[1].after
    assert isinstance(first, Reveal)
    assert len(first.condition) == 1
    assert isinstance(second, Reveal)
    assert second.is_else
    assert isinstance(document, Document)
    assert (document.claims, document.verdict, document.quote, document.text) == (
        ("S2.22", "S2.9"),
        "ok",
        "B was not in the ISR",
        "It was.",
    )


def test_code_may_hold_what_looks_like_html(tmp_path: Path) -> None:
    steps_lesson(tmp_path, ("Silence counts", "`<b>` counts, and 3 < 4 counts"))
