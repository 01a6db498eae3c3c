"""The first screen, and what is opened from it, until the learner leaves."""

from __future__ import annotations

import sys
from pathlib import Path

from workbench.challenges.catalogue import CHALLENGES
from workbench.challenges.quiz.asking import ask
from workbench.course.incidents import INCIDENTS, read_incident
from workbench.course.library import LESSONS
from workbench.course.reading.lesson_folder import read_folder
from workbench.runs.played import played
from workbench.runs.wanted import Wanted
from workbench.support.places import home_folder, usable_home
from workbench.support.refusal import INTERRUPTED, Refusal
from workbench.tui.challenge_lab import open_listed
from workbench.tui.launch import (
    open_comparison,
    open_free_lab,
    open_lesson,
    open_replay,
    open_resumed,
    open_running,
    screen_settings,
)
from workbench.tui.screens.home import HomeApp, print_home
from workbench.tui.screens.home_choices import Choice
from workbench.tui.terminal import glyphs


def open_home(home: Path | None = None) -> int:
    """Show lessons, the free lab and recorded runs; open what is chosen until the learner leaves. The exit code."""
    settings = screen_settings()
    folder = home or home_folder()
    if settings.is_plain:
        return print_home(folder)
    notice = ""
    while True:
        screen = HomeApp(folder, glyphs(settings.glyphs), notice, settings)
        choice = screen.show()
        if choice is None:
            return INTERRUPTED if screen.interrupted else 0
        try:
            if carry_out(choice, usable_home(str(folder)) if home else usable_home()) == INTERRUPTED:
                return INTERRUPTED
            notice = ""
        except Refusal as refusal:
            notice = str(refusal)


def carry_out(choice: Choice, home: Path) -> int:
    """Open what was chosen. Returns its exit code."""
    if choice.verb == "lesson":
        return open_lesson(read_folder(LESSONS / choice.name), home)
    if choice.verb == "incident":
        screen_settings()  # without a terminal nothing is played
        incident = read_incident(INCIDENTS / f"{choice.name}.md")
        return open_replay(played(incident.path, home, f"Incident {incident.number}: {incident.title}")[0])
    if choice.verb == "challenge":
        listed = next(listed for listed in CHALLENGES if str(listed.number) == choice.name)
        open_listed(listed, home, screen_settings())
        return 0
    if choice.verb == "quiz":
        screen_settings()  # without a terminal nothing is asked
        ask(choice.name)
        print("enter: back to the list", end=" ", flush=True)
        sys.stdin.readline()
        return 0
    if choice.verb == "attach":
        return open_running(home / "runs" / choice.name)
    if choice.verb == "resume":
        return open_resumed(home / "runs" / choice.name, choice.text.partition("  ")[2])
    if choice.verb == "compare":
        return open_comparison(home / "runs" / choice.text, home / "runs" / choice.name)
    if choice.verb == "replay":
        return open_replay(home / "runs" / choice.name)
    return open_free_lab(Wanted(data_dir=str(home), simulated=choice.verb == "simulated"))
