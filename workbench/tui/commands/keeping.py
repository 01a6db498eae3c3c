"""Commands that make something to keep: a picture of the screen, tables of the run, other colours."""

from __future__ import annotations

from pathlib import Path

from workbench.support.places import usable_home
from workbench.support.refusal import Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.answer import bad, dim, good, warn
from workbench.tui.commands.context import Group, Said, command
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.svg import canvas_svg, free_name


class KeepingCommands(Group):
    """What they write stands beside the run."""

    @command
    def picture(self) -> Said:
        """Save the screen as SVG beside the run."""
        folder = self.session.run_folder if self.session.run_folder.name else Path.cwd()
        width, height = self.host.size
        path = free_name(folder, "screen", ".svg")
        try:
            drawn = canvas_svg(draw_screen(width, height, self.ui), self.ui.title, self.host.worn)
            path.write_text(drawn, "utf-8")
        except OSError as error:
            return bad(f"cannot save {path.name}: {error.strerror}")
        return good(f"saved {safe_text(str(path), 200)}")

    @command
    def theme(self, name: str = "") -> Said:
        """Other colours: those of a name, else the next."""
        if self.ui.glyphs != "full":
            return warn("no colours here: --ascii or glyphs is set, or NO_COLOR, or this terminal has no UTF-8")
        return dim(safe_text(self.host.wear(name) if name else self.host.wear_next(), 200))

    @command
    def analyse(self) -> Said:
        """Tables and figures of the run on screen, on a screen of their own."""
        folder = self.session.run_folder
        if not folder.name or not (folder / "trace").is_dir():
            return warn("there is no run to analyse yet")
        try:
            home = folder.parent.parent if folder.parent.name == "runs" else usable_home()
        except Refusal as refusal:
            return bad(str(refusal))
        self.host.analyse(folder, (home / "analysis").absolute())
        return None
