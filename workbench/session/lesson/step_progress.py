"""How far a step of a lesson is."""

from __future__ import annotations

from dataclasses import dataclass, field

from cluster.scenario.runner import StepReport
from workbench.session.lesson.holds import Held, HoldWatch
from workbench.session.lesson.telling import Told
from workbench.support.safe_text import safe_text

OPEN, RUNNING, DONE, FAILED, SKIPPED = "open", "running", "done", "failed", "skipped"


@dataclass(slots=True)
class StepProgress:
    """One step, as this learner has it."""

    state: str = OPEN
    place: int = 0
    """Script steps that held."""
    answer: int = -1
    """Index of the option as written; -1 for none."""
    seen: str = ""
    """What was seen instead, or why it could not run."""
    failed: dict[int, str] = field(default_factory=dict)
    """By its place: a command that may fail, and why it did."""
    checked: int = 0
    """Expectations that held."""
    told: Told | None = None
    """Once it has run."""
    watch: HoldWatch | None = None
    """Of its run."""
    looks: list[str] = field(default_factory=list)
    """What is to be seen at each hold that was reached."""
    released: int = 0
    """Holds that the learner has gone on from."""
    end: Held | None = None
    """Where its run ended, as long as the view is to stay there."""
    run: str = ""
    """Id of the run that it acted on."""
    hints: int = 0
    """How many of its hints have come."""

    def hear(self, report: StepReport) -> None:
        """What became of the next step of its script."""
        if report.held and report.failed:
            self.failed[self.place] = safe_text(report.seen, 200)
        if report.kind != "cluster":
            self.place += report.held
            self.seen = "" if report.held else safe_text(report.seen, 400)
        self.checked += report.held and report.kind in ("expect", "keep")

    @property
    def held(self) -> Held | None:
        """Where the view is to stand now; None where it follows."""
        if self.watch is None:
            return None
        if self.released < len(self.watch.reached):
            return self.watch.reached[self.released][1]._replace(look=self.looks[self.released])
        return self.end if self.state == DONE else None
