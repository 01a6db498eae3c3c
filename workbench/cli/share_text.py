"""The commands `share` and `open`: a simulated run as a text, and a text as the run that it is of."""

from __future__ import annotations

import sys
from pathlib import Path

from workbench.runs.find import called
from workbench.session.sharing.retold import play_again, verdict_of
from workbench.session.sharing.shared_run import TEXT_MAX, shared_in, text_of
from workbench.session.sharing.text_of_run import shared_of
from workbench.support.places import usable_home
from workbench.support.platform import run_to_end
from workbench.support.refusal import ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text

SAME, ANOTHER = 0, 1
STDIN = "-"


def share(run: Path) -> int:
    """Print the text of a run, and what to do with it. Refusal when it has none."""
    shared = run_to_end(shared_of(run))
    text = text_of(shared)
    print(text)
    print(
        f"workbench: {len(text)} characters, for program {safe_text(shared.program, 40)}: workbench open TEXT plays "
        f"the same run, and sees that the hash of its trace is {shared.trace_hash.hex()}",
        file=sys.stderr,
    )
    return SAME


def open_text(text: str, data_dir: str | None, *, checks: bool) -> int:
    """Play the run of a text, say whether it is the same to the byte, and show it unless it is only checked."""
    shared = shared_in(sys.stdin.read(TEXT_MAX + 1) if text == STDIN else text)
    try:
        played = run_to_end(play_again(usable_home(data_dir), shared))
    except OSError as error:
        raise Refusal(ENVIRONMENT, f"the run cannot be kept: {error.strerror or error}") from error
    is_same = played.trace_hash == shared.trace_hash
    verdict = verdict_of(shared, played.trace_hash)
    if checks:
        print(f"{called(played.folder)}: {verdict}")
        return SAME if is_same else ANOTHER
    print(f"workbench: {called(played.folder)}: {verdict}", file=sys.stderr)
    from workbench.tui.launch import open_replay

    return open_replay(played.folder, says=verdict) or (SAME if is_same else ANOTHER)
