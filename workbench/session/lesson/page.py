"""What the lesson pane shows: one step of a lesson, its last page, or the hints of the free lab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

KEYS = {
    "enter": "enter", "lesson.next": "n", "lesson.back": "b", "lesson.retry": "R", "lesson.would": "o",
    "lesson.terms": "j", "lesson.c": "c", "quit": "q",
}  # fmt: skip
"""Id -> the key that a lesson names for it, unless its screen has others."""


NO_CHALLENGE = "this lesson has no challenge"


class Piece(NamedTuple):
    """A paragraph, a figure or a line of a page, as safe text."""

    kind: str
    """prose, figure, document, quote, heading, right, wrong, keep, line or dim: how it is drawn."""
    text: str
    """Emphasis is still marked in prose; lines of a figure are kept."""


@dataclass(slots=True)
class LessonPage:
    """What the pane shows of the step in view."""

    title: str
    step: int = 0
    """From 1; 0 without steps, one more than there are on the last page."""
    steps: int = 0
    heading: str = ""
    prose: str = ""
    """Of a page without pieces: the free lab, a replay."""
    before: tuple[Piece, ...] = ()
    """What is read first."""
    button: str = ""
    """What enter does; empty when there is nothing to do."""
    question: str = ""
    choices: tuple[str, ...] = ()
    """Shown as a, b, c, d."""
    answered: str = ""
    """Letter chosen, empty before."""
    asks: bool = False
    """The step has not run yet."""
    right: str = ""
    """Letter of the right answer, computed from the trace; empty before the step has run."""
    verdict: str = ""
    """Whether the learner was right, in words."""
    whys: tuple[Piece, ...] = ()
    """The reason of the wrong option that was chosen, then of the right one."""
    task: tuple[Piece, ...] = ()
    """What the learner is to do, and the hints so far."""
    look: str = ""
    """Where the view is held: what to see."""
    look_at: str = ""
    """In which pane; empty while the view is not held at a moment."""
    held: str = ""
    """1 of 2."""
    after: tuple[Piece, ...] = ()
    """Shown once the step has run."""
    script: tuple[tuple[str, str], ...] = ()
    """(done, undone, now, failed, open; text) of each command of the step, and how many expectations held."""
    status: str = ""
    """Waiting for ..., or what was not reached and what was seen."""
    names_keys: bool = False
    """The prose names keys by their ids, in braces, since a user may have given them others."""
    is_lab: bool = False
    """The hints of a free lab: where there are missions, these stand in their place."""
    has_failed: bool = False
    """The step was not reached: retry, skip or quit."""
    awaits_cluster: bool = False
    """The step begins a cluster that is not there yet: what the panes could show is the one before."""
    figure_width: int = 0
    """Columns of its widest figure; 0 without one."""

    @property
    def place(self) -> str:
        """Where in the lesson it stands."""
        return f"step {self.step}/{self.steps}" if self.step <= self.steps else "last page"

    @property
    def is_open(self) -> bool:
        """Whether a prediction can be made or changed: until the step runs."""
        return bool(self.question) and self.asks


FREE_LAB = LessonPage(
    title="Free lab",
    heading="A living cluster",
    is_lab=True,
    names_keys=True,
    prose=(
        "Every node here is a real process. Pick one with the arrow keys and break it.\n\n"
        "Try this:\n"
        "1  pick the node with the star: it leads the quorum\n"
        "2  {node.kill} kills it (SIGKILL); watch the pre-votes, the votes, the new epoch\n"
        "3  {node.restart} starts it again; it follows the new leader, and its log of metadata catches up\n"
        "4  {client.write} writes a record to orders, with acks=all\n"
        "5  kill the broker that leads orders-0, write, bring it back: who is in the ISR, what is cut off?\n"
        "6  {net.mark} marks a node, pick another, {net.cut.one} cuts the link one way, {net.cut.both} both ways; "
        "{net.heal} heals all\n\n"
        "{cmd} opens the command bar: tab completes, every fault is there.\n\n"
        "{view.pause} holds the view while the cluster runs on. {focus.swap} lets the arrows act on the events; "
        "{enter} on an "
        "event shows why it happened."
    ),
)
REPLAY = LessonPage(
    title="Replay",
    heading="A recorded run",
    names_keys=True,
    prose=(
        "Everything here is read from the trace.\n\n"
        "{scrub.mark.previous} and {scrub.mark.next} jump between marks, {step.on} and {step.back} step one event, "
        "{left} and {right} scrub, {scrub.start} and {scrub.live} go to the start and the end.\n\n"
        "{jump} lists all marks, {mark.own} sets one of your own: it stays with the recording. {cmd} opens the command "
        "bar: seek 00:41.2, seek next vote.\n\n"
        "{focus.swap} lets the arrows act on the events; {enter} on an event shows why it happened."
    ),
)
WATCHING = LessonPage(
    title="Watching",
    heading="A run that somebody else leads",
    names_keys=True,
    prose=(
        "You see what happens; no key of yours does anything to the cluster.\n\n"
        "{view.pause} holds your view while the cluster runs on, {scrub.live} follows it again. "
        "{scrub.mark.previous} and {scrub.mark.next} jump between marks, {step.on} and {step.back} step one event.\n\n"
        "{focus.swap} lets the arrows act on the events; {enter} on an event shows why it happened. {quit} leaves: the "
        "run goes on."
    ),
)

SIMULATED_LAB = LessonPage(
    title="Simulated lab",
    heading="A cluster in virtual time",
    is_lab=True,
    names_keys=True,
    prose=(
        "The protocol code is the one that real processes run. Network, disks, clocks and chance are simulated: the "
        "same seed and the same commands give the same run, to the byte.\n\n"
        "{time.halt} halts time, the whole cluster stands still; {time.slower} and {time.faster} make it slower or "
        "faster, {time.steady} is as fast as real time. {time.event} goes on to the next event, {time.mark} to the "
        "next mark.\n\n"
        "{view.pause} holds only the view.\n\n"
        "Try this:\n"
        "1  pick the node with the star, {node.kill} kills it\n"
        "2  {scrub.mark.previous} goes back to the moment before\n"
        "3  {branch} branches there: a new run with the same past\n"
        "4  cut a link instead, {time.halt} lets time go\n"
        "5  {compare} shows both runs side by side\n\n"
        "{verdicts} shows the verdict of each rule; {enter} on a broken one shows what broke it."
    ),
)

HUNT_PAGE = LessonPage(
    title="Bug hunt",
    heading="One rule is wrong",
    is_lab=True,
    names_keys=True,
    prose=(
        "This cluster has one bug: one of its rules, or what carries it out, is not the real one. Which rule of the "
        "checker does it break?\n\n"
        "The checker says nothing here. Break the cluster and look at what the nodes do: votes, epochs, logs, high "
        "watermarks, the ISR, what clients are told. {enter} on an event tells why it happened.\n\n"
        "{time.halt} halts time, {time.event} goes on to the next event, {branch} branches at the event in view. "
        "{cmd} takes any command, {fault.console} lists all faults.\n\n"
        "What shows the bug has at most eight commands. Write them into a file and hand it in, with the rule:\n"
        "workbench hunt NAME RULE SCRIPT.txt"
    ),
)
