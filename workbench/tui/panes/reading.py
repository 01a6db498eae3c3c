"""How each pane is read: what the help tells of the pane that has the focus."""

from __future__ import annotations

READING = {
    "lesson": (
        "[1] Lesson",
        "What the lesson says, its question, the commands of the step and what came of them. Without a lesson: hints.",
    ),
    "map": (
        "[2] Cluster",
        "A box for each node, controllers above brokers: whether its process runs, its role, what it suffers from. "
        "\u2605 leads the quorum. Lines and walls between boxes are links that a fault touches. Below them: "
        "the faults in force.",
    ),
    "quorum": (
        "[3] Quorum",
        "Above, a line for each candidate: who said yes (\u25a0), who refused (\u2717), who is silent (\u25a1), and "
        "whether that is enough. Below, the same as arrows between the nodes, with the time since the first.",
    ),
    "logs": (
        "[4] Logs",
        "A row for each replica of one log; {log.next} shows another log. A cell is an offset; its digit and colour "
        "say in which leader epoch it was written. All to the left of the bar \u258c, the high watermark, is "
        "committed. Underlined is not yet on disk, struck out was cut off.",
    ),
    "isr": (
        "[5] ISR & timeline",
        "Time goes to the right, the whole run in one row. For each replica: in the ISR, lagging, out, down. size is "
        "that of the ISR, marked below min.insync.replicas. Then the marks, and how much happened. \u2503 is the event "
        "in view.",
    ),
    "events": (
        "[6] Events",
        "What nodes, lab and clients reported, in order of time, up to the event in view: seconds since the run "
        "began, who, what. {enter} tells why, back to a command or a timer.",
    ),
    "clients": (
        "[7] Clients",
        "Kafka clients that are connected: with which software, to which nodes, what they ask. Below, a consumer "
        "group: its members, what each has, its rebalances; {group.next} shows the next group.",
    ),
}
"""Pane -> (title, how it is read); keys stand there by their ids."""
