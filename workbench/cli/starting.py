"""A run that is to stay: owned until it takes commands and somebody was told of it, and only then left alone."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from cluster.runtime.lab.client import LabClient
from cluster.runtime.run.client_login import read_login
from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import RunError, read_facts
from workbench.runs.find import called
from workbench.session.bootstrap import login_of, moved_ports, paste_lines
from workbench.support.refusal import ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text

TOLD_MAX = 1200
"""Characters: with room for the longest path of a run."""


async def leave_up(lab: LabClient, first: str, cannot: str, *, as_json: bool) -> None:
    """Let a run stay once it has carried out its first command. Whoever interrupts the start leaves nothing behind.

    Refusal, which begins with `cannot`, when it does not come up or when nobody can be told of it; then it is over.
    """
    try:
        answer = await lab.send(first)
        if not answer.ok:
            ran = read_facts(lab.run_folder).ports is not None
            seen = f"; workbench replay {called(lab.run_folder)} shows what happened" if ran else ""
            raise Refusal(ENVIRONMENT, f"{cannot}: {safe_text(answer.text, TOLD_MAX)}{seen}")
        text = started_text(lab.run_folder, as_json=as_json)
        ports = "" if as_json else moved_ports(read_facts(lab.run_folder))
        await lab.stay()
        try:
            print(text, flush=True)
        except OSError as error:
            await lab.leave(in_order=False)
            why = os.strerror(error.errno or 0)
            raise Refusal(ENVIRONMENT, f"{cannot}: nobody can be told of it, stdout says: {why}") from error
        if ports:
            print(f"workbench: {ports}", file=sys.stderr)
        if first == "status" and "down: none" not in answer.text:
            print(f"workbench: not all nodes are up: {safe_text(answer.text, TOLD_MAX)}", file=sys.stderr)
    except EOFError as error:
        why = safe_text(lab.failure, TOLD_MAX) or _ending(lab.run_folder)
        raise Refusal(ENVIRONMENT, f"{cannot}: {why}") from error
    finally:
        await lab.close()


def started_text(folder: Path, *, as_json: bool) -> str:
    """What somebody needs who has just started a run that stays; safe to print."""
    facts = read_facts(folder)
    login = login_of(folder, facts)
    if as_json:
        plain: dict[str, Any] = {"run": facts.id, "bootstrap": list(facts.bootstrap), "folder": str(folder)}
        if login is not None:
            credentials = read_login(folder)
            plain["client_auth"] = {"user": credentials.user, "password": credentials.password, "file": str(login)}
        return json.dumps(plain)
    run = called(folder)
    words = ("attach", run), ("inject", run, f"'kill {facts.nodes[-1]}'"), ("down", run)
    commands = "   ".join(" ".join(("workbench", *plain)) for plain in words)
    lines = paste_lines(facts.bootstrap, login=login)
    return "\n".join((f"{safe_text(facts.id, 80)} is up: {size_of(facts)}", *lines, commands))


def _ending(folder: Path) -> str:
    """Why a lab went away that said nothing."""
    try:
        facts = read_facts(folder)
    except RunError:
        return "its folder was taken away"
    if facts.state != "ended":
        return f"its lab died; what it said is in {safe_text(str(folder / 'logs' / 'lab.log'), TOLD_MAX)}"
    if facts.duration_s is not None:
        return f"its --duration of {facts.duration_s:g} s was over before it was up"
    return "somebody ended it meanwhile"


def size_of(facts: RunFacts) -> str:
    """How many nodes of which role."""
    if set(facts.controllers) & set(facts.brokers):
        return many(len(facts.nodes), "combined node")
    if facts.is_zookeeper:
        return f"1 coordinator in ZooKeeper's place, {many(len(facts.brokers), 'broker')}"
    return f"{many(len(facts.controllers), 'controller')}, {many(len(facts.brokers), 'broker')}"


def many(count: int, what: str, plural: str = "s") -> str:
    """As "1 broker" or "3 brokers"."""
    return f"{count} {what}" + ("" if count == 1 else plural)
