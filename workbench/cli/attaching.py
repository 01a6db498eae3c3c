"""The `attach` command: a second viewer on a run, or the speaker's own."""

from __future__ import annotations

from workbench.cli.runs import only_living
from workbench.runs.find import folder_of, living_folder_of
from workbench.support.places import home_folder
from workbench.support.refusal import USAGE, Refusal


def attach(run: str | None, data_dir: str | None, *, notes: bool, watch: bool = False) -> int:
    """Show a run that is up, or the notes to the lesson that a screen shows. Returns the exit code."""
    if notes and watch:
        raise Refusal(USAGE, "--notes and --watch are two screens: choose one")
    if notes:
        from workbench.tui.launch import open_notes

        return open_notes(folder_of(run, data_dir).name if run else "", home_folder(data_dir))
    from workbench.tui.launch import open_running

    return open_running(living_folder_of(run or only_living("attach", data_dir), data_dir), watch=watch)
