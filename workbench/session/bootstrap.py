"""How Kafka clients reach a run: lines to paste into a shell. Source: kcat(1), the clients' own documentation."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.runs.wanted import TOPIC


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
