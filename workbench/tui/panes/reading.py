"""How each pane is read: what the help tells of the pane that has the focus."""

from __future__ import annotations

READING = {
    "lesson": (
        "1 Lesson",
        "What the lesson says, its question, the commands of the step and what came of them. Without a lesson: hints.",
    ),
    "map": (
        "2 Cluster",
        "A box for each node, always at the same place, controllers above brokers. \u2605 in a heavy frame "
        "leads the quorum; under it hangs the line on which brokers ask it. \u2606 still leads as it believes, "
        "and was replaced. On the lines between boxes move messages that the trace tells of: the label says "
        "what they ask (?) or bring. Bars are timers that drain. Below, the workload and the faults in force.",
    ),
    "quorum": (
        "3 Close-up",
        "What matters now, time goes down. In quiet times the way of the newest record from its producer to "
        "all replicas. While the quorum has no leader: who asks whom, who said yes (\u25a0), who refused "
        "(\u2717), who is silent (\u25a1), and whether that is enough. After a cut: what the two nodes said "
        "about their logs.",
    ),
    "logs": (
        "4 Logs",
        "A row for each replica of one log; {log.next} shows another log. A cell is an offset; its digit and "
        "colour say in which leader epoch it was written. All to the left of the bar \u258c, the high "
        "watermark, is committed. Underlined is not yet on disk, struck out was cut off. At the right stand HW, "
        "the high watermark, LEO, the end of the log, and where there is room disk: all before it is on disk.",
    ),
    "isr": (
        "5 Timeline",
        "Time goes to the right, the whole run in one row. First who leads the quorum; then for each replica "
        "whether it leads, is in sync, lags, is out or down. acked/s is what clients were told is written; "
        "then the marks. \u2502 is the event in view. While something is shown slowly each step is as wide as "
        "another.",
    ),
    "events": (
        "6 Story",
        "What happened, told as incidents: a cause, what followed, what it cost, when it was over. \u2192 and "
        "\u2190 open and close one. {filter} goes on to details, to all events and to filters. {enter} tells "
        "why, back to a command or a timer.",
    ),
    "clients": (
        "7 Clients",
        "Kafka clients that are connected: with which software, to which nodes, what they ask. Below, a "
        "consumer group: its members, what each has, its rebalances; {group.next} shows the next group. Last, "
        "transactional ids: how each stands, its producer id and epoch, what it writes to, and who keeps it.",
    ),
}
"""Pane -> (title, how it is read); keys stand there by their ids."""
WITH_ZOOKEEPER = READING | {
    "map": (
        "2 Cluster",
        "A box for each node, always at the same place, above the brokers the process that stands for ZooKeeper: "
        "who has /controller, the controller epoch, who has a session. The broker that controls says CONTROLLER, "
        "one that only believes so is a zombie. Messages move on the lines; bars are timers that drain. Below, the "
        "workload and the faults in force.",
    ),
    "quorum": (
        "3 Close-up",
        "What matters now, time goes down. In quiet times the way of the newest record from its producer to all "
        "replicas. While /controller is free, or two brokers take themselves for the controller: each broker's "
        "session, the controller epoch that it has heard, and who controls. After a cut: what the two nodes said "
        "about their logs.",
    ),
    "isr": (
        "5 Timeline",
        "Time goes to the right, the whole run in one row. First who has /controller and lives, with its controller "
        "epoch; then for each replica whether it leads, is in sync, lags, is out or down. acked/s is what clients "
        "were told is written; then the marks. \u2502 is the event in view. While something is shown slowly each "
        "step is as wide as another.",
    ),
}
"""The same in zookeeper mode."""
MISSIONS = (
    "1 Missions",
    "What can be tried in this lab. Below the one with \u25b8 stands what to do; its steps tick themselves off as they "
    "come about. At the right stands what it may take, or how it was done.",
)


def reading(*, zookeeper: bool, missions: bool) -> dict[str, tuple[str, str]]:
    """How the panes of a screen are read. missions: they stand where else a lesson does."""
    panes = WITH_ZOOKEEPER if zookeeper else READING
    return panes | {"lesson": MISSIONS} if missions else panes
