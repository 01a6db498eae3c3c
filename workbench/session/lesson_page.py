"""What the lesson pane shows: one step of a lesson, or the hints of the free lab."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class LessonPage:
    """One step, as plain safe text."""

    title: str
    step: int = 0
    """From 1; 0 without steps."""
    steps: int = 0
    heading: str = ""
    prose: str = ""
    command: str = ""
    """What `enter` types into the command bar and runs; empty when there is nothing to do."""
    question: str = ""
    choices: tuple[str, ...] = ()
    """Shown as a, b, c, d."""
    answered: str = ""
    """Letter chosen, empty before."""
    reveal: str = ""
    """Shown once answered."""
    status: str = ""
    """One line: waiting for ..., held, not held."""


FREE_LAB = LessonPage(
    title="Free lab",
    heading="A living cluster",
    prose=(
        "Every node here is a real process. Pick one with the arrow keys and break it.\n\n"
        "Try this:\n"
        "1  pick the node with the star: the active controller\n"
        "2  k kills it (SIGKILL); watch the pre-votes, the votes, the new epoch\n"
        "3  r starts it again; watch where its log is cut\n"
        "4  z pauses a node (SIGSTOP), z again resumes it\n\n"
        "This lab knows kill, restart, pause and resume. Brokers register, but hold no partitions yet.\n\n"
        "space holds the view while the cluster runs on.\n\n"
        "enter on an event shows why it happened."
    ),
)
REPLAY = LessonPage(
    title="Replay",
    heading="A recorded run",
    prose=(
        "Everything here is read from the trace.\n\n"
        "[ and ] jump between marks, . and , step one event, left and right scrub, "
        "home and end go to the start and the end.\n\n"
        "enter on an event shows why it happened."
    ),
)
