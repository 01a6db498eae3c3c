"""What was remembered of a user by another version of the tool, and means nothing to this one."""

from __future__ import annotations

from pathlib import Path

from workbench.challenges.catalogue import CHALLENGES
from workbench.course.progress import PROGRESS, finished_missions
from workbench.session.missions.board import MISSIONS, WITH_ZOOKEEPER
from workbench.support.safe_text import safe_text
from workbench.support.state_files import read_state, state_folder
from workbench.tui.theme.themes import DARK, FILE, THEMES


def strange(folder: Path | None = None) -> str:
    """A sentence for the first thing that is not known; empty when there is none. The rest of what was kept holds."""
    folder = folder or state_folder()
    names = {mission.name for mission in (*MISSIONS, *WITH_ZOOKEEPER)}
    names |= {f"challenge-{listed.number}" for listed in CHALLENGES}
    missions = sorted(set(finished_missions(folder)) - names)
    if missions:
        more = f" (and {len(missions) - 1} more)" if len(missions) > 1 else ""
        where = safe_text(str(folder / PROGRESS), 200)
        return f"{where}: there is no mission '{safe_text(missions[0], 40)}'{more} in this version; the rest counts"
    theme = read_state(folder / FILE).get("theme", DARK.name)
    if not isinstance(theme, str) or theme not in THEMES:
        where = safe_text(str(folder / FILE), 200)
        return f"{where}: there is no theme '{safe_text(str(theme), 40)}' in this version; it is {DARK.name}"
    return ""
