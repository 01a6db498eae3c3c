"""Commands on two worlds: this run beside another, or beside itself with one thing changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cluster.runtime.run.folder import RunError, find_run, read_facts
from cluster.trace.reader import TraceError
from workbench.session.changes import Changes, WhatIfError, changes_of
from workbench.session.comparison import Row, World, Worlds, borrowed_world, read_world, two_worlds
from workbench.session.paced import paced
from workbench.support.places import home_of
from workbench.support.platform import in_background
from workbench.support.safe_text import safe_text
from workbench.tui.answer import Answer, bad, dim, info, warn
from workbench.tui.commands.context import Context, Group, Said, command
from workbench.tui.modes import Comparison, Watching

NOT_REAL = (
    "A is of real processes. B is simulated: the same commands at the same times in the simulated world. Who wins a "
    "vote and how long things take differ by chance, too."
)

BESIDE = "Both live on one virtual clock and get the same commands at the same time."


class WorldCommands(Group):
    """The run on screen is scrubbed with the comparison: whoever closes it stands at the moment that was in view."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._is_busy = False

    @command
    def compare(self, text: str = "") -> Said:
        """Open or close the comparison: with a run that is named, the one compared last, the one it came from."""
        ui = self.ui
        if isinstance(ui.mode, Comparison):
            ui.mode, ui.stays_beside = Watching(), False
            return None
        if not self.session.run_folder.name:
            return warn("no run is here yet")
        if ui.worlds is not None and ui.worlds.are_gone:
            ui.drop_worlds()
        if not text and ui.worlds is None and self.show_beside():
            return None
        if not text and ui.worlds is not None:
            self._open(ui.worlds)
            return None
        return self._with_another(text) if text else self._with_parent()

    def _with_another(self, text: str) -> Said:
        try:
            folder = find_run(home_of(self.session.run_folder), text)
        except RunError as error:
            return bad(safe_text(f"{text}: {error}", 300))
        self.show_runs(self.session.run_folder, folder)
        return dim(f"reading {safe_text(folder.name, 80)} ...")

    def _with_parent(self) -> Said:
        folder, worded = self.session.run_folder, self.ui.keyboard.said
        try:
            facts = read_facts(folder)
        except RunError as error:
            return bad(safe_text(str(error), 300))
        if not facts.parent:
            back = worded("{step.back} or {scrub.mark.previous}, then {branch}, makes one, ") if self.ui.seed else ""
            return warn(worded(f"this run is no branch: {back}compare RUN takes any run, {{whatif}} changes this one"))
        parent, since_ns = folder.parent / Path(facts.parent).name, round(facts.branch_s * 1e9)
        self.show_runs(parent, folder, ("as it was", "the branch"), parted_ns=since_ns)
        return dim(f"reading {safe_text(facts.parent, 80)} ...")

    def show_runs(
        self, left: Path, right: Path, titles: tuple[str, str] = ("", ""), caption: str = "", *, parted_ns: int = -1,
        length_ns: int = 0,
    ) -> None:  # fmt: skip
        """Read two recorded runs beside the screen and show them side by side.

        Args:
            titles: what each of them is, in a few words; its id when empty.
            caption: why they are shown, in a sentence.
            parted_ns: since the beginning, when the second left the first as its branch does; -1 for never.
            length_ns: how much of the second is read; 0 for all.
        """
        readers = self._reader(left, titles[0]), self._reader(right, titles[1], length_ns)
        self.host.spawn(self._show(lambda: two_worlds(readers[0], readers[1], caption, parted_ns)))

    def _reader(self, folder: Path, title: str, length_ns: int = 0) -> Callable[[], World]:
        if folder == self.session.run_folder:
            return partial(borrowed_world, folder, title, self.ui.recording)
        return partial(read_world, folder, title, length_ns)

    async def _show(self, read: Callable[[], Worlds]) -> None:
        """Show what is read beside the screen, unless another run is on it by then."""
        ui, run_count = self.ui, self.ui.recording.run_count
        try:
            worlds = await in_background(read)
        except (RunError, TraceError, OSError) as error:
            ui.answer = bad(f"it cannot be compared: {safe_text(str(error), 300)}")
            return
        if ui.recording.run_count != run_count:
            worlds.close()
            return
        ui.drop_worlds()
        ui.worlds, ui.answer = worlds, Answer()
        self._open(worlds)

    def show_beside(self) -> bool:
        """Show the cluster on screen and the one that lives beside it; False when none does."""
        lab = paced(self.session.lab)
        twin = lab.beside if lab is not None else None
        if twin is None or lab is None:
            return False
        kind = f"simulated, seed {lab.spec.seed}"
        one = World(lab.run_folder.name, "as it is", self.ui.recording, kind, is_borrowed=True)
        other = World(twin.run_folder.name, f"with {twin.changes.words}", twin.recording, kind, is_borrowed=True)
        self.ui.drop_worlds()
        self.ui.worlds = Worlds(one, other, BESIDE)
        self._open(self.ui.worlds)
        return True

    def _open(self, worlds: Worlds) -> None:
        """At the first difference; a living run is followed until somebody goes along the time."""
        worlds.look()
        lab = paced(self.session.lab)
        twin = lab.beside if lab is not None else None
        self.ui.stays_beside = twin is not None and worlds.right.recording is twin.recording
        difference = worlds.difference
        place = next((at for at, row in enumerate(worlds.rows) if difference and _is_of(row, difference)), 0)
        lives = not self.ui.replay and not self.ui.ended
        is_live = lives and any(world.is_borrowed and world.recording.follows for world in worlds.both)
        if difference is None or is_live:
            for world in worlds.both:  # the run on screen stood wherever it was looked at; one that lives is followed
                if not is_live or not (world.is_borrowed or self.ui.stays_beside):
                    world.recording.seek_time(world.at(world.length_ns))
            self.ui.open(Comparison(), scroll=place)
        else:
            worlds.seek(difference.since_ns)
            self.ui.open(Comparison(difference.since_ns), scroll=place)

    @command
    def along(self, percent: int) -> None:
        """Both along the time, by a share of what is drawn."""
        worlds, shown = self.ui.worlds, self.ui.mode
        if worlds is None or worlds.are_gone or not isinstance(shown, Comparison):
            return
        at_ns = shown.at_ns if shown.at_ns >= 0 else worlds.length_ns
        step_ns = (worlds.length_ns - worlds.from_ns) * percent // 100
        self._go(worlds, max(0, min(worlds.length_ns, at_ns + step_ns)))

    def _go(self, worlds: Worlds, at_ns: int) -> None:
        worlds.seek(at_ns)
        self.ui.mode = Comparison(at_ns)

    @command
    def next_row(self, direction: int, differs: bool) -> Said:  # noqa: FBT001
        """Both to the next headline, or to the next one that only one of them has."""
        ui, worlds = self.ui, self.ui.worlds
        if worlds is None or worlds.are_gone:
            return None
        place = ui.overlay_scroll + direction
        while 0 <= place < len(worlds.rows):
            row = worlds.rows[place]
            if not differs or row.left is None or row.right is None:
                ui.overlay_scroll = place
                return self.show_row()
            place += direction
        return dim("no more this way")

    @command
    def show_row(self) -> Said:
        """Both to the chosen headline; what it says in whole."""
        ui, worlds = self.ui, self.ui.worlds
        if worlds is None or worlds.are_gone or not worlds.rows:
            return None
        row = worlds.rows[min(ui.overlay_scroll, len(worlds.rows) - 1)]
        self._go(worlds, row.since_ns)
        headlines = [(sign, moment.text) for sign, moment in (("A", row.left), ("B", row.right)) if moment is not None]
        is_one = len({text for _, text in headlines}) < len(headlines)
        headline = (
            f"both: {headlines[0][1]}" if is_one else "   ".join(f"{sign}: {headline}" for sign, headline in headlines)
        )
        return info(f"{row.since_ns / 1e9:.3f} s, {headline}")

    @command
    def whatif(self, text: str) -> Said:
        """This run once more in a simulated world, with one thing or several changed."""
        if self._is_busy:
            return warn("another world is being played: one at a time")
        if not self.session.run_folder.name or not self.ui.recording.entries:
            return warn("nothing has happened yet that could be played again")
        try:
            changes = changes_of(text)
        except WhatIfError as error:
            return bad(safe_text(str(error), 400))
        if (virtual := paced(self.session.lab)) is not None:
            virtual.flush()
        self._is_busy = True
        self.host.spawn(self._play(changes, self.session.run_folder))
        return dim(f"the same once more, with {changes.words} ...")

    async def _play(self, changes: Changes, folder: Path) -> None:
        from workbench.session.whatif import LONGEST_NS, play_again, play_of

        ui, stopped = self.ui, threading.Event()
        own = World("", "", ui.recording)
        length_ns, says = own.length_ns, f"the same once more, with {changes.words}"

        def tell(share: float) -> bool:
            ui.answer = dim(f"{says}: {100 * share:.0f} % played   {ui.keyboard.sign('close')} stops")
            return not stopped.is_set()

        ui.stops = stopped
        try:
            play = await in_background(play_of, folder, length_ns)
            made = await in_background(play_again, home_of(folder), play, changes, tell)
        except (WhatIfError, OSError, ValueError) as error:
            ui.answer = bad(safe_text(f"{says}: {error}", 300))
            return
        finally:
            self._is_busy, ui.stops, was_stopped = False, None, stopped.is_set()
            stopped.set()
        if was_stopped:
            ui.answer = info(f"{says}: stopped")
            return
        caption = NOT_REAL if play.is_real else ""
        if length_ns > LONGEST_NS:
            caption = f"{caption} Only the first {LONGEST_NS // 1_000_000_000} s were played again.".strip()
        self.show_runs(folder, made, ("as it was", f"with {changes.words}"), caption)


def _is_of(row: Row, difference: Row) -> bool:
    """Whether the row tells one side of a difference."""
    is_left = row.left is not None and row.left == difference.left
    return is_left or row.right is not None and row.right == difference.right
