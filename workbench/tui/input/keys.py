"""What each key does, and in which kind of run. One table: actions, footer and help are drawn from it."""

from __future__ import annotations

from typing import NamedTuple

LAB, REPLAY, LESSON = "lab", "replay", "lesson"
NO_KEY = "no key"
"""Label of what a user took all keys from; the footer does not list it."""
LIVE, ALL = (LAB, LESSON), (LAB, REPLAY, LESSON)


class Key(NamedTuple):
    """One key or a pair of keys that belong together."""

    keys: tuple[tuple[str, str, str], ...]
    """(Textual key, action, id) each."""
    shown: str
    """As written in footer and help."""
    short: str
    """In the footer; empty keeps it out of there."""
    long: str
    group: str
    """Heading in the help."""
    modes: tuple[str, ...] = ALL
    simulated: bool = False
    """Only in a simulated run."""
    alike: tuple[str, ...] = ()
    """Ids of other rows whose keys it answers too."""
    label: str = ""
    """Written instead of `shown`, once a user gave it other keys."""

    @property
    def text(self) -> str:
        """The keys as written in footer and help."""
        return self.label or self.shown


TABLE = (
    Key((("space", "hold", "view.pause"),), "space", "hold view",
        "hold or follow the view; the cluster runs on; a recorded run, and what is directed: play or stop", "View"),
    Key((("O", "again", "direct.again"),), "O", "once more",
        "what happened last once more, a step at a time; the cluster runs on", "View"),
    Key((("less_than_sign", "hurry(-1)", "direct.slower"), ("greater_than_sign", "hurry(1)", "direct.faster")), "< >",
        "", "directed: each step longer or shorter, 0.3 to 2 s", "View"),
    Key((("left_square_bracket", "mark(-1)", "scrub.mark.previous"), ("right_square_bracket", "mark(1)",
        "scrub.mark.next")), "[ ]", "marks",
        "previous or next mark: fault, vote, epoch, truncation, ISR, rebalance", "View"),
    Key((("ctrl+o", "jump", "jump"),), "ctrl+o", "jump", "all marks as a list: enter goes there, a digit to a pane",
        "View"),
    Key((("M", "type('mark ')", "mark.own"),), "M", "", "a mark of your own at the event in view, kept with the run",
        "View"),
    Key((("full_stop", "step(1)", "step.on"), ("comma", "step(-1)", "step.back")), ". ,", "step",
        "one event on or back, one step while directed", "View"),
    Key((("left", "sideways(-1)", "left"), ("right", "sideways(1)", "right")), "\u2190 \u2192", "",
        "another node; held or replay: 1 % along the run", "View"),
    Key((("shift+left", "scrub(-10)", "scrub.back10"), ("shift+right", "scrub(10)", "scrub.on10")),
        "shift \u2190 \u2192", "", "10 % along the run", "View"),
    Key((("home", "start", "scrub.start"), ("end", "live", "scrub.live")), "home end", "", "start, newest event",
        "View"),
    Key((("up", "upward(-1)", "up"), ("down", "upward(1)", "down")), "\u2191 \u2193", "select",
        "another node, event or line", "View"),
    Key((("pageup", "upward(-10)", "page.up"), ("pagedown", "upward(10)", "page.down")), "pgup pgdn", "",
        "ten events or lines, or a page of the lesson", "View"),
    Key((("tab", "swap", "focus.swap"),), "tab", "", "arrows act on nodes, events or the lesson; on the map while "
        "time is halted or the view is held: a message on its way, to read, drop, hold, delay or let through", "View"),
    Key((("enter", "enter", "enter"),), "enter", "why", "why the selected event happened", "View", (LAB, REPLAY)),
    Key((), "enter", "do",
        "run the step, go on from a moment that is held; on events: why it happened", "Lesson", (LESSON,),
        alike=("enter",)),
    Key((("t", "log(1)", "log.next"), ("T", "log(-1)", "log.previous")), "t T", "log", "next or previous log",
        "View"),
    Key((("f", "filter", "filter"),), "f", "", "the story, its details, all events; then filters of the events",
        "View"),
    Key((("slash", "type('/')", "search"),), "/", "", "search the events; then n and N go on to the next and back",
        "View"),
    Key((("N", "next_found(-1)", "found.previous"),), "N", "", "the previous event found by a search", "View"),
    Key((("1", "number(1)", "pane.1"), ("2", "number(2)", "pane.2"), ("3", "number(3)", "pane.3"),
        ("4", "number(4)", "pane.4"), ("5", "number(5)", "pane.5"), ("6", "number(6)", "pane.6")), "1-6", "",
        "one pane alone, again for all", "View"),
    Key((("7", "clients", "pane.7"),), "7", "clients", "clients and groups: beside the map, then alone, then away",
        "View"),
    Key((("G", "group(1)", "group.next"),), "G", "", "the next consumer group", "View"),
    Key((("v", "next_view", "view.next"),), "v", "views", "next pane alone; on a small screen the next large one",
        "View"),
    Key((("g", "halt", "time.halt"),), "g", "halt", "halt virtual time, or let it go: the whole cluster stands still",
        "Time", LIVE, simulated=True),
    Key((("minus", "pace(-1)", "time.slower"), ("plus,equals_sign", "pace(1)", "time.faster")), "- +", "speed",
        "slower, faster: x0.01 to x50, then as fast as it goes", "Time", LIVE, simulated=True),
    Key((("0", "pace_at('1')", "time.steady"),), "0", "", "as fast as real time", "Time", LIVE, simulated=True),
    Key((("e", "advance('event')", "time.event"), ("E", "advance('mark')", "time.mark")), "e E", "",
        "on to the next event, to the next mark; then time is halted", "Time", LIVE, simulated=True),
    Key((("B", "branch", "branch"),), "B", "branch", "a new run that begins at the event in view", "Time", ALL,
        simulated=True),
    Key((("C", "compare", "compare"),), "C", "", "this run beside the one it came from, or was compared with last",
        "Time", ALL),
    Key((("H", "type('whatif ')", "whatif"),), "H", "what if",
        "this run once more, simulated, with one thing changed, and both beside each other", "Time", ALL),
    Key((("k", "node('kill')", "node.kill"),), "k", "kill", "kill the node (SIGKILL)", "Node", LIVE),
    Key((("r", "node('restart')", "node.restart"),), "r", "restart",
        "start it again; one that runs is killed first", "Node", LIVE),
    Key((("z", "node('pause')", "node.pause"),), "z", "pause", "pause or resume it (SIGSTOP)", "Node", LIVE),
    Key((("S", "node('stop')", "node.stop"),), "S", "", "let it leave in order", "Node", LIVE),
    Key((("K", "node('power-loss')", "node.powerloss"),), "K", "", "power loss", "Node", LIVE),
    Key((("s", "disk", "disk.fsync"),), "s", "", "its disk: lie, be slow, behave", "Node", LIVE),
    Key((("i", "node('isolate')", "net.isolate"),), "i", "", "cut all its links", "Node", LIVE),
    Key((("L", "client_fault", "client.fault"),), "L", "", "its Kafka clients: answers lost, slow, nothing passes",
        "Node", LIVE),
    Key((("m", "mark_node", "net.mark"),), "m", "", "mark it as one end of a link; select the other", "Link", LIVE),
    Key((("x", "link('>')", "net.cut.one"), ("X", "link('-')", "net.cut.both")), "x X", "",
        "cut the link one way, both ways; again heals", "Link", LIVE),
    Key((("y", "delay", "net.delay"),), "y", "", "delay the link", "Link", LIVE),
    Key((("p", "type('partition ')", "net.partition"),), "p", "", "cut the network in groups", "Cluster", LIVE),
    Key((("h", "send('heal')", "net.heal"),), "h", "heal", "undo all faults; a node that is down stays down", "Cluster",
        LIVE),
    Key((("u", "send('undo')", "fault.undo"),), "u", "undo", "undo the newest fault", "Cluster", LIVE),
    Key((("w", "write", "client.write"),), "w", "write", "write a record, or make a topic", "Cluster", LIVE),
    Key((("Z", "freeze", "cluster.freeze"),), "Z", "", "freeze or thaw all nodes", "Cluster", LIVE),
    Key((("l", "lesson", "lesson.toggle"),), "l", "lesson",
        "the lesson, or the missions of a lab, alone; again for all", "Lesson", (LAB, LESSON)),
    Key((("n", "lesson_step(1)", "lesson.next"), ("b", "lesson_step(-1)", "lesson.back")), "n b", "next, back",
        "next step (skips one that failed), step before", "Lesson", (LESSON,)),
    Key((("a", "answer('a')", "lesson.a"), ("c", "answer('c')", "lesson.c"), ("d", "answer('d')", "lesson.d")),
        "a-d 1-4", "predict", "predict, while a question is open", "Lesson", (LESSON,)),
    Key((("o", "would", "lesson.would"),), "o", "", "after a wrong answer: a world in which it would be right",
        "Lesson", (LESSON,)),
    Key((("j", "terms", "lesson.terms"),), "j", "terms", "the terms of this step, a sentence each", "Lesson",
        (LESSON,)),
    Key((("R", "retry", "lesson.retry"),), "R", "", "try a failed step again", "Lesson", (LESSON,)),
    Key((("colon", "type('')", "cmd"),), ":", "command",
        "command bar (tab completes, \u2191 \u2193 history)", "Other"),
    Key((("ctrl+p", "palette", "palette"),), "ctrl+p", "find",
        "find anything by its name: commands, keys, nodes, events, lessons, colours", "Other"),
    Key((("F", "console", "fault.console"),), "F", "faults",
        "all faults and links as a table: cut several links as one fault, do all once more, save it as a script",
        "Other"),
    Key((("P", "present", "presenter.mode"),), "P", "",
        "presenter mode: a banner for the event in view, answers hidden, the mouse points; b answers, or blanks",
        "Other"),
    Key((("A", "answers", "presenter.answers"),), "A", "", "presenter mode: show or hide the answers", "Other"),
    Key((("W", "votes", "class.votes"),), "W", "", "a class that votes: close the vote and see it, then vote again",
        "Lesson", (LESSON,)),
    Key((), "click", "", "a node: select it (right button or twice: faults); a message: touch it; an event: why; "
        "the timeline: go there; an option, the button, a key below: as if pressed; a pane twice: alone", "Mouse"),
    Key((), "wheel", "", "turns the pane below the pointer: text, events, offsets, votes, time", "Mouse"),
    Key((("V", "verdicts", "verdicts"),), "V", "verdicts", "what the checker says: each rule, and what broke it",
        "Other"),
    Key((("D", "analyse", "analyse"),), "D", "", "tables and figures of this run, made by Spark", "Other"),
    Key((("question_mark,f1", "help", "help"),), "?", "help",
        "how the pane in focus is read, and this page; for other keys: workbench config",
        "Other"),
    Key((("I", "theme", "theme"),), "I", "", "other colours: dark, light, contrast, the terminal's own; kept",
        "Other"),
    Key((("ctrl+s", "picture", "screenshot"),), "ctrl+s", "", "save a picture (SVG)", "Other"),
    Key((("escape", "close", "close"),), "esc", "", "close what is open; end a search, forget a marked node", "Other"),
    Key((("q", "leave", "quit"),), "q", "quit",
        "quit, as ctrl+c and ctrl+q; a cluster of processes ends with a second q, y leaves it up", "Other"),
    Key((("ctrl+z", "no_suspend", "suspend"),), "ctrl+z", "", "says why the screen cannot wait in the background",
        "Other"),
)  # fmt: skip
FOOTER = {
    LAB: ("k", "r", "z", "space", "O", "enter", "t T", "l", "v"),
    LESSON: ("enter", "n b", "a-d 1-4", "l", "j", "v", "space", "t T"),
    REPLAY: ("space", "[ ]", ". ,", "enter", "O", "t T", "v"),
}
"""What stands first in the footer; a narrow one shows no more than these."""
FOOTER_SIMULATED = {
    LAB: ("g", "- +", "B"),
    LESSON: ("enter", "n b", "g", "a-d 1-4", "- +", "B"),
    REPLAY: ("space", "[ ]", ". ,", "B"),
}
"""Before those, in a simulated run."""
FOOTER_SMALL = {
    LAB: ("k", "r", "v", "l", "space", "O"),
    LESSON: ("enter", "n b", "v", "l"),
    REPLAY: ("space", "[ ]", "v", ". ,"),
}
"""Before those, on a screen that shows only a part of the panes at a time."""
ALWAYS_SHOWN = (":", "ctrl+p", "?", "q")
"""Stand at the right of the footer, whatever its width."""


LIST_KEYS = {"j": 1, "k": -1}
"""Down and up in what lies over the panes: whoever is used to these kills no node there."""
CONSOLE_KEYS: dict[str, tuple[str, tuple[object, ...]]] = {
    "left": ("move_cell", (0, -1)), "right": ("move_cell", (0, 1)), "up": ("move_cell", (-1, 0)),
    "down": ("move_cell", (1, 0)), "enter": ("toggle_cell", ()), "space": ("apply_staged", ()),
    "backspace": ("clear_staged", ()), "S": ("save_script", ()), "R": ("repeat", ()),
}  # fmt: skip
"""Keys of the open fault console alone, and what they do: command and arguments."""
COMPARISON_KEYS: dict[str, tuple[str, tuple[object, ...]]] = {
    "shift+left": ("along", (-10,)), "shift+right": ("along", (10,)), "home": ("along", (-100,)),
    "end": ("along", (100,)), "left_square_bracket": ("next_row", (-1, False)),
    "right_square_bracket": ("next_row", (1, False)), "n": ("next_row", (1, True)), "N": ("next_row", (-1, True)),
}  # fmt: skip
"""The same of two worlds that are compared."""
TOUCH_KEYS: dict[str, tuple[str, tuple[object, ...]]] = {
    "d": ("pluck", ("drop",)), "h": ("pluck", ("hold",)), "t": ("pluck", ("200",)), "p": ("pluck", ("pass",)),
    "tab": ("touch_next", ()), "U": ("without_plucks", ()),
}  # fmt: skip
"""The same of a message that is chosen."""
CONSOLE_IDS = ("node.kill", "node.restart", "node.pause", "node.powerloss", "fault.undo", "net.heal")
"""Mean there what they mean elsewhere, and leave the console open."""


OVERLAY_ACTIONS = frozenset(
    (
        "upward",
        "sideways",
        "palette",
        "close",
        "enter",
        "help",
        "leave",
        "picture",
        "verdicts",
        "compare",
        "console",
        "jump",
        "present",
        "answers",
        "theme",
        "terms",
    )
)
"""What leaves an open overlay open, or closes it itself; anything else is not done behind it but closes it first."""


OPENING = frozenset(("help", "verdicts", "compare", "jump", "palette", "terms"))
"""What opens another overlay in the place of the one that is open."""


PRESENTING = {
    "P": "leave", "A": "answers", "1-6": "spotlight", "space": "", "[ ]": "marks", ". ,": "step",
    "enter": "", "?": "help", "q": "quit",
}  # fmt: skip
"""What the footer lists before a room, some in other words; b, which blanks the screen, stands in the help."""


def footer_of(
    kind: str, *, simulated: bool = False, presenting: bool = False, table: tuple[Key, ...] = TABLE,
    small: bool = False,
) -> list[Key]:  # fmt: skip
    """What the footer lists, the most used first."""
    items = [item for item in keys_of(kind, simulated=simulated, table=table) if item.label != NO_KEY]
    if presenting:
        shown = {item.shown: item for item in items if item.shown in PRESENTING}
        return [
            shown[name]._replace(short=word or shown[name].short) for name, word in PRESENTING.items() if name in shown
        ]
    first = (*FOOTER_SIMULATED[kind], *FOOTER[kind]) if simulated else FOOTER[kind]
    first = (*FOOTER_SMALL[kind], *first) if small else first
    named = [item for item in items if item.short]
    return sorted(named, key=lambda item: first.index(item.shown) if item.shown in first else len(first))


def keys_of(kind: str, *, simulated: bool = False, table: tuple[Key, ...] = TABLE) -> list[Key]:
    """What such a run answers, in the order of the table."""
    return [item for item in table if kind in item.modes and (simulated or not item.simulated)]
