"""What is said of a run, line by line: words where the screen has glyphs, and nothing that a terminal would obey."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.session.explanation import explanation
from workbench.session.live_verdicts import LATE, LiveVerdicts
from workbench.session.recording import Recording
from workbench.session.story.rows import Row, rows_at
from workbench.session.why import root
from workbench.support.safe_text import safe_text
from workbench.telling.tell import who
from workbench.tui.drawing.canvas import ascii_text

TIME = re.compile(r"[0-9]{1,7}(\.[0-9]{1,3})?")
MILLISECOND = 1_000_000
SPOKEN = (
    ("\u2192", " to "),
    ("\u2605 ", ""),
    ("\u25d4 ", ""),
    ("\u2702 ", "cut: "),
    ("\u2717", " failed"),
    ("\u2713", " done"),
)
"""A glyph and the word for it: a reader reads glyphs out by their names, or not at all."""


def spoken(text: str) -> str:
    """One line in ASCII, glyphs as words."""
    text = safe_text(text)
    for glyph, word in SPOKEN:
        text = text.replace(glyph, word)
    return ascii_text(text.replace(" \u2026", "..."))


def moment_lines(recording: Recording, first: int = 0) -> Iterator[str]:
    """Seconds and headline of each moment from that one on. One that goes on with the one before says what is new."""
    before = recording.story.moments[first - 1].text if first else ""
    for moment in recording.story.moments[first:]:
        fresh = moment.text.removeprefix(before).lstrip() if before.endswith(".") else ""
        yield spoken(f"{recording.seconds(moment.t_ns):9.3f} {fresh or moment.text}")
        before = moment.text


class Headlines:
    """Tells of a living run what is new since it was asked last; of a cluster that takes its place, all."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._run, self._count = recording.run_count, 0

    def new_lines(self) -> Iterator[str]:
        """The headlines that nobody was told."""
        recording = self._recording
        if self._run != recording.run_count:
            self._run, self._count = recording.run_count, 0
        yield from moment_lines(recording, self._count)
        self._count = len(recording.story.moments)

    def pass_over(self, but: int = 0) -> None:
        """Those from before are not told, but for the newest."""
        self._run, self._count = self._recording.run_count, max(0, len(self._recording.story.moments) - but)


def story_lines(recording: Recording, level: str) -> Iterator[str]:
    """Every incident, the newest last, with what followed and what it cost."""
    rows = rows_at(
        recording.story, recording.cursor, recording.t_ns, recording.timeline.start_ns, opened=lambda _: True,
        level=level,
    )  # fmt: skip
    incidents: list[list[Row]] = []
    for row in rows:
        if row.kind == "head":
            incidents.append([])
        incidents[-1].append(row)
    for row in (row for rows_of in reversed(incidents) for row in rows_of):
        yield spoken(f"{row.time:>9} {row.text}" if row.kind == "head" else f"{row.time:>18} {row.text}")


def find_event(recording: Recording, text: str) -> int | None:
    """Index of the newest headline's event, or of the first one of a time as printed, and of a node: `3.055 n1`.

    What the story tells of comes first, then any other event of that time.
    """
    time, _, node = " ".join(text.split()).partition(" ")
    entries, moments = recording.entries, recording.story.moments
    if not time:
        return moments[-1].place if moments else None
    if not TIME.fullmatch(time):
        return None
    candidates = []
    for index in range(
        recording.cursor_at(recording.timeline.start_ns + int(float(time) * 1e9) - MILLISECOND), len(entries)
    ):
        shown = f"{recording.seconds(entries[index].t_ns):.3f}"
        if float(shown) > float(time):
            break
        if float(shown) == float(time) and node in ("", who(entries[index]).strip()):
            candidates.append(index)
    places = {moment.place for moment in moments}
    return next((index for index in candidates if index in places), candidates[0] if candidates else None)


def why_lines(recording: Recording, index: int) -> Iterator[str]:
    """The event, the sentence, then the proof: its causes, what each rule compared, and what set it off."""
    explained = explanation(recording, index)
    chain = list(explained.chain)
    for place, link in enumerate(chain):
        time = f"{recording.seconds(link.entry.t_ns):.3f} s"
        yield spoken(f"{'why' if place == 0 else '  because'}: {time} {link.sentence}")
        if place == 0:
            yield spoken(f"  {explained.sentence}")
        if link.rule:
            numbers = f" ({', '.join(link.numbers)})" if link.numbers else ""
            yield spoken(f"    rule {link.rule}{numbers}")
        if link.source:
            yield spoken(f"    source: {link.source}")
    yield spoken(f"  set off by {root(recording, chain)}")


def verdict_lines(verdicts: LiveVerdicts) -> Iterator[str]:
    """The sum, then each rule that was broken and by what; all that is there is judged first."""
    while verdicts.turn():
        pass
    yield spoken(verdicts.line[0])
    for line in verdicts.table:
        for violation in line.violations[:3]:
            expected = "broken" if violation.broken is None else "broken, as expected"
            how = LATE if line.info.id in verdicts.late else expected
            yield spoken(f"  {line.info.id} {line.info.title}: {how}: {violation.sentence}")
