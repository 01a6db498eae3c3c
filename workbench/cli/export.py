"""The `export` command: a recorded run as JSON lines; JSON escapes make text from outside safe."""

from __future__ import annotations

import json
from pathlib import Path

from msgspec.structs import asdict

from cluster.model.entry import Entry, UnknownEvent
from cluster.trace.reader import TraceError, read_all
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text


def as_json(entry: Entry) -> str:
    """One entry as one line of ASCII JSON; times in nanoseconds."""
    event = entry.event
    fields = {"raw": repr(event)} if isinstance(event, UnknownEvent) else asdict(event)
    line = {
        "run": entry.run,
        "node": entry.node,
        "incarnation": entry.incarnation,
        "seq": entry.seq,
        "t_ns": entry.t_ns,
        "lamport": entry.lamport,
        "cause": list(entry.cause) if entry.cause else None,
        "trigger": entry.trigger,
        "rule": entry.decision.rule if entry.decision else None,
        "event": event.name,
        "fields": fields,
    }
    return json.dumps(line, ensure_ascii=True)


def print_json_lines(run: Path) -> int:
    """Print every event. Returns the exit code. Refusal when the trace turns out to be damaged."""
    try:
        entries = read_all(run / "trace")
    except TraceError as error:
        raise Refusal(BAD_DATA, f"cannot read the recording: {safe_text(str(error), 400)}") from error
    if not entries:
        raise Refusal(BAD_DATA, f"'{safe_text(str(run), 200)}': its trace holds no events")
    for entry in entries:
        print(as_json(entry))
    return 0
