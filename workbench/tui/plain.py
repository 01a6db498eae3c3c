"""The run as lines of ASCII, for a terminal that cannot move its cursor: sentences out, commands in."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from cluster.model.entry import Entry
from workbench.refusal import ENVIRONMENT, INTERRUPTED, Refusal
from workbench.safe_text import safe_text
from workbench.session.describe.sentences import describe, tone, who
from workbench.session.describe.tones import DIM
from workbench.session.session import Session
from workbench.tui.drawing.canvas import ascii_text

HINT = "type a command and enter (kill 101, topic orders, produce orders-0 5, status); quit ends the cluster"


def event_line(session: Session, entry: Entry) -> str:
    """Seconds, node, sentence; nothing in it that a terminal would obey."""
    seconds = session.recording.seconds(entry.t_ns)
    return ascii_text(f"{seconds:9.3f} {who(entry):<7}{describe(entry)}")


def print_recording(session: Session) -> int:
    """All notable events of a run."""
    for entry in session.recording.entries:
        if tone(entry) != DIM:
            print(event_line(session, entry))
    return 0


def follow_lab(session: Session, connect: Callable[[], Awaitable[Any]], first_command: str = "") -> int:
    """Start or reach a lab, print what happens, carry out what is typed. Returns the exit code."""
    try:
        return asyncio.run(_follow(session, connect, first_command))
    except KeyboardInterrupt:
        return INTERRUPTED


async def _follow(session: Session, connect: Callable[[], Awaitable[Any]], first_command: str) -> int:
    try:
        lab = await connect()
    except Exception as error:  # whatever it is, one line
        raise Refusal(ENVIRONMENT, f"cannot reach the lab: {ascii_text(safe_text(str(error), 400))}") from error
    session.attach(lab, Path(lab.run_folder))
    take = session.follower.take

    def tell(entries: list[Entry]) -> None:
        take(entries)
        for entry in entries:
            if tone(entry) != DIM:
                print(event_line(session, entry), flush=True)

    session.follower.take = tell
    following = asyncio.ensure_future(session.follower.run())
    print(HINT, flush=True)
    if first_command:
        await session.send(first_command)
    try:
        while (line := await asyncio.to_thread(sys.stdin.readline)) and line.strip() not in ("q", "quit"):
            if line.strip():
                done, text = await session.send(line.strip())
                print(ascii_text(f"{'ok' if done else 'NO'} {text}"), flush=True)
        if session.owns_lab:
            await session.end_lab()
    finally:
        following.cancel()
        await lab.close()
    return 0
