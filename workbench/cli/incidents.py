"""`workbench incidents`: lists public incidents; tells one, and plays it in either world."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cluster.invariants.all_invariants import INVARIANTS
from workbench.cli.run_script import run_script
from workbench.course.incidents import Incident, UnknownIncident, all_incidents, find_incident
from workbench.course.lesson_error import LessonError
from workbench.runs.launch import WorldChoice
from workbench.support.places import usable_home
from workbench.support.refusal import USAGE, Refusal
from workbench.support.safe_text import safe_text


@dataclass(frozen=True, slots=True)
class Asked:
    """How an incident is to be played."""

    real: bool = False
    seed: int | None = None
    slow: float = 1.0
    as_json: bool = False
    data_dir: str | None = None


def incidents(name: str, asked: Asked) -> int:
    """List all, or tell and play one; 0 when it ended as its files say. Refusal for one that is none."""
    try:
        if not name:
            for incident in all_incidents():
                print(json.dumps(as_plain(incident)) if asked.as_json else row(incident))
            return 0
        incident = find_incident(name)
    except UnknownIncident as error:
        raise Refusal(USAGE, str(error)) from error
    except LessonError as error:
        raise Refusal(error.code, safe_text(str(error), 400)) from error
    home = usable_home(asked.data_dir)
    world = WorldChoice(not asked.real, asked.seed)
    if asked.real and asked.seed is not None:
        raise Refusal(USAGE, "--seed is for simulations; real processes have none")
    if asked.as_json:
        print(json.dumps(as_plain(incident)))
    else:
        print(text_of(incident) + "\n")
        print("On real processes:" if asked.real else f"Simulated, seed {asked.seed or 0}:", flush=True)
    promised = [incident.breaks.get(section, ()) for section in incident.sections]
    return run_script(incident.path, as_json=asked.as_json, home=home, slow=asked.slow, world=world, promised=promised)


def row(incident: Incident) -> str:
    """One line of the list, and where it is from."""
    source = ", ".join(incident.sources)
    first = f"{incident.number}  {incident.title} ({incident.year}, {incident.system})"
    return f"{safe_text(first, 200)}\n    {incident.name}: {safe_text(source, 200)}"


def text_of(incident: Incident) -> str:
    """All that is said of it, and which rules its script breaks."""
    lines = [f"{incident.title} ({incident.year}, {incident.system})", f"Sources: {', '.join(incident.sources)}"]
    for heading, text in incident.parts:
        lines += ["", heading, "", *text.splitlines()]
    lines += ["", *broken_words(incident)]
    return "\n".join(safe_text(line, 400) for line in lines)


def broken_words(incident: Incident) -> list[str]:
    """For each cluster of its script the rules that are broken in it."""
    lines = []
    for section in incident.sections:
        rules = "; ".join(f"{rule} ({INVARIANTS[rule].title})" for rule in incident.breaks.get(section, ()))
        lines.append(f"{section}: breaks {rules or 'nothing'}")
    return lines


def as_plain(incident: Incident) -> dict[str, object]:
    """One object for machines."""
    return {
        "name": incident.name, "title": incident.title, "year": incident.year, "system": incident.system,
        "sources": list(incident.sources), "lesson": incident.lesson, "breaks": incident.breaks,
        "text": dict(incident.parts),
    }  # fmt: skip
