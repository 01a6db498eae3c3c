"""How Kafka clients reach a run: lines to paste into a shell. Source: kcat(1), the clients' own documentation."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from cluster.runtime.run.client_login import LOGIN, LoginError, read_login
from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.ports import moved
from workbench.runs.wanted import TOPIC
from workbench.support.safe_text import safe_text

PATH_MAX = 1200


def login_of(folder: Path, facts: RunFacts) -> Path | None:
    """The file with the user and the password of a run's Kafka clients; None for a run that serves everybody."""
    return folder / LOGIN if facts.settings.get("client_auth") else None


def paste_lines(bootstrap: Sequence[str], topic: str = TOPIC, login: Path | None = None) -> list[str]:
    """The address, one line each that writes and reads, and who may; none without a listener, as in a simulation.

    With a password each line names the file that has it: every account of a machine can read command lines.
    """
    if not bootstrap:
        return []
    servers = ",".join(bootstrap)
    kcat, imports, login_words, file = f"kcat{kcat_options(login)} -b {servers}", "", "", ""
    if login is not None:
        imports, file = "import sys; ", f" {_quoted(login)}"
        login_words = ", **dict(line.strip().split('=', 1) for line in open(sys.argv[1]))"
    python = (
        f"{imports}from confluent_kafka import Producer; "
        f"p = Producer({{'bootstrap.servers': '{servers}', 'enable.idempotence': True{login_words}}}); "
        f"p.produce('{topic}', 'hello'); p.flush()"
    )
    return [
        f"Kafka clients: {servers}",
        f"  {kcat} -L",
        f"  echo hello | {kcat} -P -t {topic}",
        f"  {kcat} -C -t {topic} -o beginning -e",
        f'  python -c "{python}"{file}',
        f"  {who_may(login)}",
    ]


def kcat_options(login: Path | None) -> str:
    """What kcat needs beside the address, with a space before it; empty without a password."""
    return "" if login is None else f" -F {_quoted(login)}"


def _quoted(path: Path) -> str:
    return safe_text(shlex.quote(str(path)), PATH_MAX)


def who_may(login: Path | None) -> str:
    """Whom the brokers of a run serve: loopback is no border between accounts."""
    if login is None:
        return "every account of this machine may use these ports; up --client-auth asks for a password"
    try:
        credentials = read_login(login.parent)
    except LoginError as error:
        return f"nobody is served: {error}"
    return f"SASL_PLAINTEXT, PLAIN: user {credentials.user}, password {credentials.password}, as in the file"


def moved_ports(facts: RunFacts) -> str:
    """That a run which was free to choose has other ports than usual, and why; empty when it has the usual ones.

    Somebody who knows the ports of the last run has to hear that these are others. It looks through /proc.
    """
    ports = [*(facts.ports or {}).values(), *(facts.client_ports or {}).values()]
    return safe_text(moved(ports), 300) if ports and facts.base_port is None else ""
