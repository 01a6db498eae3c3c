"""How Kafka clients reach a run: lines to paste into a shell. Source: kcat(1), the clients' own documentation."""

from __future__ import annotations

from collections.abc import Sequence

from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.ports import moved
from workbench.runs.wanted import TOPIC
from workbench.safe_text import safe_text


def paste_lines(bootstrap: Sequence[str], topic: str = TOPIC) -> list[str]:
    """The address, and one line each that writes and reads; none without a listener, as in a simulation."""
    if not bootstrap:
        return []
    servers = ",".join(bootstrap)
    python = (
        "from confluent_kafka import Producer; "
        f"p = Producer({{'bootstrap.servers': '{servers}', 'enable.idempotence': True}}); "
        f"p.produce('{topic}', 'hello'); p.flush()"
    )
    return [
        f"Kafka clients: {servers}",
        f"  kcat -b {servers} -L",
        f"  echo hello | kcat -b {servers} -P -t {topic}",
        f"  kcat -b {servers} -C -t {topic} -o beginning -e",
        f'  python -c "{python}"',
    ]


def moved_ports(facts: RunFacts) -> str:
    """That a run which was free to choose has other ports than usual, and why; empty when it has the usual ones.

    Somebody who knows the ports of the last run has to hear that these are others. It looks through /proc.
    """
    ports = [*(facts.ports or {}).values(), *(facts.client_ports or {}).values()]
    return safe_text(moved(ports), 300) if ports and facts.base_port is None else ""
