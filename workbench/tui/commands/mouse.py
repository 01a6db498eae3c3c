"""What a click and the wheel do. Everything they do a key does too."""

from __future__ import annotations

from cluster.model.entry import EventId
from workbench.tui import modes
from workbench.tui.commands.commands import Commands
from workbench.tui.commands.dispatch import Dispatch
from workbench.tui.drawing.spots import Pointed, Spot

RIGHT_BUTTON = 3
LINES = 3
"""That one notch of the wheel moves a text."""
OFFSETS = 5
"""That one notch moves the lanes."""


class Mouse:
    """Turns clicks, drags and the wheel into commands, by what was drawn where."""

    def __init__(self, commands: Commands, dispatch: Dispatch) -> None:
        self.commands, self.ui = commands, commands.ui
        self._dispatch = dispatch
        self._hits = {
            "key": self._hit_key, "cell": self._hit_cell, "row": self._hit_row, "choice": self._hit_choice,
            "do": self._hit_do, "event": self._hit_event, "node": self._hit_node, "time": self._hit_time,
            "pane": self._hit_pane, "message": self._hit_message,
        }  # fmt: skip

    def point(self, pointed: Pointed) -> None:
        """Carry out one event of the mouse."""
        ui = self.ui
        if not self.commands.context.is_seen:
            return
        if pointed.what == "click" and isinstance(ui.mode, modes.AskingToLeave) and not self._is_quit(pointed):
            ui.mode = ui.mode.behind
        if ui.presenting and pointed.what == "move":
            ui.pointer = pointed.x, pointed.y
        elif isinstance(ui.mode, modes.Blank) and pointed.what == "click":
            ui.mode = ui.mode.behind
        elif isinstance(ui.mode, modes.Typing | modes.Starting | modes.Ending | modes.Loading | modes.Blank):
            return
        elif pointed.what == "wheel":
            self._wheel(pointed)
        elif pointed.what == "drag":
            self._first(pointed, ("time",))
        elif pointed.what == "click":
            self._click(pointed)

    def _is_quit(self, pointed: Pointed) -> bool:
        """Whether it is on the key that leaves, below."""
        keys = (str(spot.value[0]) for spot in pointed.spots if spot.kind == "key")
        return any(self.ui.keyboard.is_on("quit", key) for key in keys)

    def _click(self, pointed: Pointed) -> None:
        if self.ui.overlay is not None and not any(spot.kind == "overlay" for spot in pointed.spots):
            if not self._first(pointed, ("key",)):
                self.commands.run("close")
        else:
            self._first(pointed, tuple(self._hits))

    def _first(self, pointed: Pointed, kinds: tuple[str, ...]) -> bool:
        """Act on the innermost spot of one of the kinds; false when there is none."""
        for spot in pointed.spots:
            if spot.kind in kinds:
                self._hits[spot.kind](spot, pointed)
                return True
        return False

    def _hit_key(self, spot: Spot, _pointed: Pointed) -> None:
        self._dispatch.perform(str(spot.value[0]))

    def _hit_cell(self, spot: Spot, _pointed: Pointed) -> None:
        row, column = spot.value
        assert isinstance(row, int) and isinstance(column, int)
        if self.ui.cell == (row, column):
            self.commands.run("toggle_cell")
        self.ui.cell = row, column
        self.commands.run("move_cell", 0, 0)

    def _hit_row(self, spot: Spot, _pointed: Pointed) -> None:
        place = spot.value[0]
        assert isinstance(place, int)
        if self.ui.overlay_scroll == place:
            self.commands.run("enter")
        else:
            self.ui.overlay_scroll = place

    def _hit_choice(self, spot: Spot, _pointed: Pointed) -> None:
        self.ui.focus = "lesson"
        self.commands.run("answer", str(spot.value[0]))

    def _hit_do(self, _spot: Spot, _pointed: Pointed) -> None:
        self.ui.focus = "lesson"
        self.commands.run("do")

    def _hit_event(self, spot: Spot, _pointed: Pointed) -> None:
        place, incident = spot.value
        assert isinstance(place, int) and isinstance(incident, int)
        self.ui.focus = "events"
        self.ui.events.choose(place, incident)
        self.commands.view.show_why(place)

    def _hit_message(self, spot: Spot, _pointed: Pointed) -> None:
        told_by = spot.value[0]
        assert isinstance(told_by, EventId)
        self.ui.focus = "map"
        self.commands.run("touch", told_by)

    def _hit_node(self, spot: Spot, pointed: Pointed) -> None:
        node = spot.value[0]
        assert isinstance(node, int)
        self.ui.node, self.ui.focus = node, "map"
        if pointed.button == RIGHT_BUTTON or pointed.times > 1:
            self.commands.run("console")

    def _hit_time(self, spot: Spot, pointed: Pointed) -> None:
        recording = self.ui.recording
        if not recording.entries:
            return
        if pointed.x >= spot.x + spot.width - 1:
            recording.go_live()
            return
        span = self.ui.axis_end_ns - recording.timeline.start_ns
        recording.seek_time(recording.timeline.start_ns + span * (pointed.x - spot.x + 1) // max(1, spot.width))

    def _hit_pane(self, spot: Spot, pointed: Pointed) -> None:
        name = str(spot.value[0])
        if pointed.times > 1:
            self.commands.run("show_pane", name)
        else:
            self.commands.view.give_keys_to(name)

    def _wheel(self, pointed: Pointed) -> None:
        """Over an overlay it turns that, over a pane what the pane shows."""
        ui, by = self.ui, pointed.times
        over = next((spot for spot in pointed.spots if spot.kind in ("overlay", "pane")), None)
        name = str(over.value[0]) if over is not None and over.kind == "pane" else ""
        if isinstance(ui.overlay, modes.Faults):
            self.commands.run("move_cell", by, 0)
        elif ui.overlay is not None:
            is_list = isinstance(ui.overlay, modes.Verdicts | modes.Jump | modes.Palette | modes.Comparison)
            self.commands.run("upward", by if is_list else by * LINES)
        elif name == "lesson":
            ui.page_scroll = max(0, ui.page_scroll + by * LINES)
        elif name == "events":
            ui.events.update(ui.recording)
            ui.events.move(ui.recording.cursor, by * LINES)
        elif name == "logs":
            ui.log_back = max(0, ui.log_back - by * OFFSETS)
        elif name == "quorum":
            ui.rows_back = max(0, ui.rows_back - by)
        elif name == "clients":
            ui.group_back = max(0, ui.group_back - by)
        elif name == "isr":
            self.commands.run("scrub", by)
        elif name == "map":
            self.commands.show(self.commands.view.select(by))
