"""The first page of the site, made from the course: what there is, and a link that opens each in the tab."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from workbench.challenges.catalogue import CHALLENGES, HUNT, Listed
from workbench.challenges.hunt import LEVELS
from workbench.challenges.own_rule.kinds import KINDS
from workbench.challenges.quiz.questions import CHOSEN
from workbench.course.content import Lesson
from workbench.course.incidents import Incident, all_incidents
from workbench.course.library import all_lessons
from workbench.support.safe_text import safe_text
from workbench.web import links

NAME = "KRaft Workbench"
WHAT_IT_IS = (
    "A small Kafka-like cluster that you break to see how replication works: kill a node, cut a link, take a disk's "
    "power, and watch votes, epochs, logs and in-sync replicas change. Every event answers “why?”, with the numbers "
    "that were compared."
)
IN_A_TAB = (
    "Here it runs in your browser: nothing to install, nothing leaves this page. The cluster is simulated, by the "
    "same code that real nodes run."
)
NOT_IN_A_TAB = "Real processes, Kafka clients and Spark need the installed tool: two commands."
TWO_COMMANDS = "make run     # makes .venv, installs the tool, opens a cluster\nmake test    # proves it"
PICTURES = ("docs/pictures/06-the-cut-of-a-log.svg", "docs/pictures/07-the-same-in-a-bright-room.svg")
"""Of the screen, for a dark and for a bright page; they come with the documentation."""
IN_A_SHELL = "Only in the installed tool."
GRADED_IN_A_SHELL = "The installed tool grades it."


class Item(NamedTuple):
    """One thing that can be opened."""

    title: str
    about: str
    fragment: str
    """What stands behind the # of the tab's address; empty for what a tab does not open."""
    note: str = ""


class Section(NamedTuple):
    """Things of one kind."""

    id: str
    title: str
    lead: str
    items: tuple[Item, ...]


def home_page(*, has_docs: bool) -> str:
    """The whole page. It needs no script.

    Args:
        has_docs: the documentation stands beside it, in docs/.
    """
    sections = all_sections()
    contents = "".join(f'<a href="#{section.id}">{_text(section.title)}</a>' for section in sections)
    documentation = '<a href="docs/index.html">Documentation</a>' if has_docs else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'self\'">\n'
        f'<meta name="description" content="{_text(WHAT_IT_IS)}">\n<meta name="color-scheme" content="dark light">\n'
        f'<title>{NAME}: learn replication by breaking it</title>\n<link rel="icon" href="icon.svg">\n'
        '<link rel="stylesheet" href="home.css">\n'
        '</head>\n<body>\n<a class="skip" href="#lessons">To the lessons</a>\n'
        f"<header>\n<h1>{NAME}</h1>\n<p class=\"lead\">{_text(WHAT_IT_IS)}</p>\n<p>{_text(IN_A_TAB)}</p>\n"
        '<p class="begin"><a class="button" href="tab.html#lab">Try it now</a>'
        '<a class="button quiet" href="tab.html#lesson=1">Begin with lesson 1</a></p>\n'
        f'<nav aria-label="Contents">{contents}{documentation}</nav>\n</header>\n<main>\n'
        f"{_picture() if has_docs else ''}{''.join(map(_section, sections))}"
        f'<section id="install" aria-labelledby="install-title">\n<h2 id="install-title">Not in a tab</h2>\n'
        f"<p>{_text(NOT_IN_A_TAB)}</p>\n<pre>{_text(TWO_COMMANDS, keep_lines=True)}</pre>\n</section>\n"
        "</main>\n</body>\n</html>\n"
    )  # fmt: skip


def all_sections() -> tuple[Section, ...]:
    """Everything that the page lists, in order. LessonError for a lesson or an incident that cannot be read."""
    return (
        Section("lab", "Break a cluster", "A free cluster, without a text beside it.", tuple(_labs())),
        Section(
            "lessons", "Lessons", "After a lesson you can do what stands under its title.",
            tuple(map(_of_lesson, all_lessons())),
        ),
        Section(
            "challenges", "Challenges", "A goal, a cluster and a score. How is yours to find.",
            tuple(_of_challenge(listed) for listed in CHALLENGES if listed is not HUNT),
        ),
        Section("games", "Games", "Free play, for when you know some lessons.", tuple(_games())),
        Section(
            "incidents", "Incidents", "They happened. Each is played again: as it was then, and as it is since.",
            tuple(map(_of_incident, all_incidents())),
        ),
    )  # fmt: skip


def _labs() -> Iterable[Item]:
    yield Item(
        "Free lab", "Three controllers, three brokers, a producer and a consumer. Kill, pause, cut; missions beside it "
        "say what to try.", "lab",
    )  # fmt: skip
    yield Item(
        "Your runs", "What this browser keeps: go on where you stopped, look at a run once more, compare two.", "runs"
    )


def _of_lesson(lesson: Lesson) -> Item:
    number = lesson.number.lstrip("0")
    before = ", ".join(name.partition("_")[0].lstrip("0") for name in lesson.needs)
    note = f"{lesson.minutes} minutes" + (f", after {before}" if before else "")
    return Item(f"{number}. {lesson.title}", lesson.goal, f"lesson={number}", note)


def _of_challenge(listed: Listed) -> Item:
    is_opened = listed.on_screen is not None or listed.record is not None
    about = listed.task if listed.on_screen is not None else f"{listed.task} {GRADED_IN_A_SHELL}"
    fragment = f"challenge={listed.number}" if is_opened else ""
    return Item(f"{listed.number}. {listed.title}", about, fragment, f"Graded: {listed.graded}.")


def _games() -> Iterable[Item]:
    for level in LEVELS:
        yield Item(f"{HUNT.title}, level {level}", HUNT.task, f"hunt={level}", f"Graded: {HUNT.graded}.")
    yield Item(
        "A rule of your own", f"Write one of {len(KINDS)} rules yourself, in Python. Simulated clusters try to refute "
        "it.", "rule",
    )  # fmt: skip
    for when in ("before", "after"):
        about = f"{len(CHOSEN)} questions, no cluster. Answer them before and after, and see what you learned."
        yield Item(f"Quiz {when} the course", about, f"quiz={when}")


def _of_incident(incident: Incident) -> Item:
    summary = " ".join(incident.parts[0][1].split())
    after = f", after lesson {incident.lesson.partition('_')[0].lstrip('0')}" if incident.lesson else ""
    note = f"{incident.year}, {incident.system}{after}"
    return Item(incident.title, summary, f"incident={incident.name}", note)


def _picture() -> str:
    dark, bright = PICTURES
    return (
        f'<picture><source media="(prefers-color-scheme: light)" srcset="{bright}">'
        f'<img src="{dark}" width="1368" height="834" alt="The screen: nodes and what they send each other, '
        'logs, the story of what happened, a line of time"></picture>\n'
    )


def _section(section: Section) -> str:
    items = "".join(map(_item, section.items))
    return (
        f'<section id="{section.id}" aria-labelledby="{section.id}-title">\n<h2 id="{section.id}-title">'
        f"{_text(section.title)}</h2>\n<p>{_text(section.lead)}</p>\n<ul>\n{items}</ul>\n</section>\n"
    )


def _item(item: Item) -> str:
    title = _text(item.title)
    if item.fragment.partition("=")[0] in links.KINDS:
        title, note = f'<a href="tab.html#{escape(item.fragment)}">{title}</a>', item.note
    else:
        note = f"{item.note} {IN_A_SHELL}".strip()
    note = f"<small>{_text(note)}</small>" if note else ""
    return f"<li><h3>{title}</h3><p>{_text(item.about)}</p>{note}</li>\n"


def _text(text: str, *, keep_lines: bool = False) -> str:
    """Made safe for a page."""
    return "\n".join(escape(safe_text(line)) for line in (text.split("\n") if keep_lines else [text]))
