"""The part of the page that is about a class: what it predicted, what it broke, how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any, NamedTuple, TypeAlias

from workbench.analysis.report.drawing import ALARM, FAINT, Drawing, words
from workbench.analysis.report.html import table
from workbench.analysis.report.rows import ClassRows, Row
from workbench.course.content import RIGHT as RIGHT_ANSWER
from workbench.course.lesson_error import LessonError
from workbench.course.library import LESSONS, find_lesson, lesson_names

RIGHT_COLOUR, WRONG_COLOUR, UNCLEAR_COLOUR = "#009e73", "#d7a13b", "#8a939c"
BAR, LINE, GAP, LEFT, WIDTH = 14, 16, 10, 14, 440
BAR_MAX = 270
"""Of an answer that all gave; the words fit beside it."""
OPTION_MAX = 64
"""Characters of an answer in one line."""


class Question(NamedTuple):
    """What was asked."""

    text: str
    options: Mapping[str, str]
    """What an answer is kept as, its misconception or `right`, to what it says: letters differ between learners."""


Known: TypeAlias = Mapping[tuple[str, str], Question]
"""(title of the lesson, id) to the question, in the order of the lessons."""


def known_questions() -> dict[tuple[str, str], Question]:
    """Those of the lessons that are here; others are shown by their ids."""
    questions = {}
    for name in lesson_names(LESSONS):
        try:
            lesson = find_lesson(name, LESSONS)
        except LessonError:
            continue
        for _, asked in lesson.questions:
            options = {option.misconception or RIGHT_ANSWER: option.text for option in asked.options}
            questions[lesson.title[:80], asked.id] = Question(" ".join(asked.text.split()), options)
    return questions


def class_sections(rows: ClassRows) -> list[str]:
    """Figures and tables as HTML."""
    questions = known_questions()
    parts = [f'<h2 id="class">The class <small>{rows.learner_count} learners</small></h2>']
    parts += _questions(rows.tables["class_questions"], questions, rows.learner_count)
    parts += _table("Misconceptions, before and after", NOTE_BEFORE, misconception_rows(rows, questions))
    parts += _table("Time on task", NOTE_TIME, effort_rows(rows))
    parts += _table("Who broke what", NOTE_BROKEN, breakage_rows(rows))
    return parts


NOTE_BEFORE = (
    "Learners whose first answer was wrong, and how they answered when they were last asked: in a later run of the "
    "lesson, for instance."
)
NOTE_TIME = (
    "From the start of each run to the learner's last sign; of a pause at most two minutes count. Simulated runs have "
    "no time of their own."
)
NOTE_BROKEN = (
    "Faults that a learner asked for, and rules that broke in a run with such a fault; a rule is excused when a fault "
    "suspends it. What the script of a lesson or a lecturer did is left out."
)


def _questions(rows: list[Row], known: Known, learner_count: int) -> list[str]:
    if not rows:
        return ['<p class="note">Nobody answered a prediction.</p>']
    parts = ["<h3>Predictions</h3>", '<p class="note">The first answer that each learner gave to each question.</p>']
    asked = dict.fromkeys((row["title"], row["question"]) for row in in_lesson_order(rows, known))
    for title, question in asked:
        mine = [row for row in rows if (row["title"], row["question"]) == (title, question)]
        text = known[title, question].text if (title, question) in known else question
        svg = histogram(mine, known.get((title, question)))
        many = f"{sum(row['learners'] for row in mine)} of {learner_count} learners answered"
        heading = f"{words(title)}{_number(title, question, known)}: {words(text, 400)}"
        parts.append(f'<figure><h4>{heading}</h4><p class="note">{many}</p>{svg}</figure>')
    return parts


def _number(title: str, question: str, known: Known) -> str:
    """Which of how many of its lesson."""
    own = [key for key in known if key[0] == title]
    return f", question {own.index((title, question)) + 1} of {len(own)}" if (title, question) in own else ""


def in_lesson_order(rows: list[Row], known: Known) -> list[Row]:
    """As the lessons come, and the questions within each; what is not known comes after them, by name."""
    places = {key: place for place, key in enumerate(known)}

    def place(row: Row) -> tuple[int, tuple[str, ...]]:
        return places.get((row["title"], row["question"]), len(places)), _place(row)

    return sorted(rows, key=place)


def _place(row: Row) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("title", "question", "answer"))


def histogram(rows: list[Row], question: Question | None) -> str:
    """A bar for each answer; those that were right in the learner's run are green."""
    chosen = {row["answer"]: row for row in rows}
    answers = sorted({*chosen, *(question.options if question else ())})
    total = sum(row["learners"] for row in rows)
    options = question.options if question else {}
    lines = {answer: wrap(options.get(answer, answer), OPTION_MAX) for answer in answers}
    height = sum(LINE * len(lines_of_bar) + BAR + GAP for lines_of_bar in lines.values())
    drawing = Drawing(height, "Answers of the class", WIDTH)
    y = 0
    for answer in answers:
        for line in lines[answer]:
            y += LINE
            drawing.text(LEFT, y - 5, line)
        row, top = chosen.get(answer), y
        y += BAR + GAP
        if row is None:
            drawing.text(LEFT, top + 11, "nobody", fill=FAINT)
            continue
        x = float(LEFT)
        wrong = row["learners"] - row["right_learners"] - row["unclear_learners"]
        for count, colour, text in (
            (row["right_learners"], RIGHT_COLOUR, "right"),
            (row["unclear_learners"], UNCLEAR_COLOUR, "without a single right answer"),
            (wrong, WRONG_COLOUR, "wrong"),
        ):
            if count:
                width = BAR_MAX * count / total
                drawing.box(x, top, width, BAR, colour, title=f"{count} of {total}: {text}", more='rx="2"')
                x += width
        verdict = "right" if row["right_learners"] > wrong else "wrong" if wrong else "unclear"
        colour = {"right": RIGHT_COLOUR, "wrong": ALARM}.get(verdict, FAINT)
        text = f"{row['learners']} of {total}  ({100 * row['share']:.0f} %)  {verdict}"
        drawing.text(x + 8, top + 11, text, fill=colour)
    return str(drawing)


def misconception_rows(rows: ClassRows, known: Known) -> list[Row]:
    """Wrong first answers, in the order of the lessons; of one question the most common first."""
    rows_shown = []
    common = sorted(rows.tables["class_misconceptions"], key=lambda row: -row["learners_before"])
    asked = dict.fromkeys((row["title"], row["question"]) for row in in_lesson_order(common, known))
    ordered = [row for key in asked for row in common if (row["title"], row["question"]) == key]
    for row in ordered:
        question = known.get((row["title"], row["question"]))
        option = question.options.get(row["answer"]) if question else None
        row_shown: dict[str, Any] = {"lesson": row["title"], "question": row["question"]}
        row_shown["wrong answer"] = f"{option} ({row['answer']})" if option else row["answer"]
        rows_shown.append(row_shown | {name: row[name] for name in _AFTER})
    return rows_shown


_AFTER = ("learners_before", "asked_again", "right_after", "same_after", "other_after")


def effort_rows(rows: ClassRows) -> list[Row]:
    """Learners in order, their lessons below each other."""
    rows_shown = []
    for row in sorted(rows.tables["class_effort"], key=lambda row: (row["learner"], str(row["title"]))):
        row_shown: dict[str, Any] = {name: row[name] for name in ("learner", "title", "runs", "simulated_runs")}
        for name in ("active_ms", "span_ms"):
            row_shown[f"{name.removesuffix('_ms')} min"] = None if row[name] is None else row[name] / 60_000
        right = f"{row['right_answers']} of {row['answers']}" if row["answers"] else None
        rows_shown.append(row_shown | {"right answers": right, "faults": row["faults"]})
    return rows_shown


def breakage_rows(rows: ClassRows) -> list[Row]:
    """Broken rules that nothing excuses first, then what was done most often."""
    order = {"rule violated": 0, "fault": 1, "fault, unknown by whom": 2, "rule": 3}
    named = {"fault": "fault injected", "rule": "rule broken, excused"}
    table = sorted(
        rows.tables["class_breakage"],
        key=lambda row: (row["learner"], order.get(row["what"], 4), -row["times"], row["name"]),
    )
    return [{**row, "what": named.get(row["what"], row["what"])} for row in table]


def _table(title: str, note: str, rows: list[Row]) -> list[str]:
    if not rows:
        return []
    text = table(list(rows[0]), [list(row.values()) for row in rows])
    return [f'<h3>{title}</h3><p class="note">{note}</p>{text}']
