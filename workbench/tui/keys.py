"""What each key does. One table: key, action, what it is called."""

from __future__ import annotations

from textual.binding import Binding

TABLE = (
    ("question_mark,f1", "help", "help"),
    ("colon", "type('')", "cmd"),
    ("space", "hold", "view.pause"),
    ("Z", "freeze", "cluster.freeze"),
    ("full_stop", "step(1)", "step"),
    ("comma", "step(-1)", "step.back"),
    ("left_square_bracket", "mark(-1)", "scrub.mark.previous"),
    ("right_square_bracket", "mark(1)", "scrub.mark.next"),
    ("left", "sideways(-1)", "scrub.back"),
    ("right", "sideways(1)", "scrub.on"),
    ("shift+left", "scrub(-10)", "scrub.back10"),
    ("shift+right", "scrub(10)", "scrub.on10"),
    ("home", "start", "scrub.start"),
    ("end", "live", "scrub.live"),
    ("up", "upward(-1)", "select.up"),
    ("down", "upward(1)", "select.down"),
    ("tab", "swap", "focus.swap"),
    ("enter", "enter", "enter"),
    ("escape", "close", "close"),
    ("1", "zoom('lesson')", "pane.1"),
    ("2", "zoom('map')", "pane.2"),
    ("3", "zoom('quorum')", "pane.3"),
    ("4", "zoom('logs')", "pane.4"),
    ("5", "zoom('isr')", "pane.5"),
    ("6", "zoom('events')", "pane.6"),
    ("v", "next_view", "view.next"),
    ("t", "log(1)", "log.next"),
    ("T", "log(-1)", "log.previous"),
    ("f", "filter", "filter"),
    ("slash", "type('/')", "search"),
    ("k", "node('kill')", "node.kill"),
    ("r", "node('restart')", "node.restart"),
    ("z", "node('pause')", "node.pause"),
    ("K", "node('power-loss')", "node.powerloss"),
    ("p", "type('partition ')", "net.partition"),
    ("s", "type('fsync lie ')", "disk.fsync"),
    ("h", "send('heal')", "net.heal"),
    ("u", "send('undo')", "fault.undo"),
    ("w", "write", "client.write"),
    ("l", "lesson", "lesson.toggle"),
    ("n", "lesson_step(1)", "lesson.next"),
    ("b", "lesson_step(-1)", "lesson.back_b"),
    ("a", "answer('a')", "lesson.a"),
    ("c", "answer('c')", "lesson.c"),
    ("d", "answer('d')", "lesson.d"),
    ("ctrl+s", "picture", "screenshot"),
    ("q,ctrl+q", "leave", "quit"),
)
BINDINGS: list[Binding] = [
    Binding(key, action, name, id=name, show=False, tooltip=name) for key, action, name in TABLE
]
