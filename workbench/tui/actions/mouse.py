"""What a click and the wheel do. Everything they do a key does too."""

from __future__ import annotations

from workbench.tui.actions.anew import AnewActions
from workbench.tui.drawing.layout import PANES
from workbench.tui.drawing.spots import Pointed, Spot

RIGHT_BUTTON = 3
LINES = 3
"""That one notch of the wheel moves a text."""
OFFSETS = 5
"""That one notch moves the lanes."""


class MouseActions(AnewActions):
    """Mixed into the main screen."""

    def point(self, pointed: Pointed) -> None:
        """Carry out one event of the mouse."""
        ui = self.ui
        if pointed.what == "click" and not self._is_quit(pointed):
            ui.asks_leave = False
        if ui.presenting and pointed.what == "move":
            ui.pointer = pointed.x, pointed.y
        elif ui.blank and pointed.what == "click":
            ui.blank = False
        elif ui.typing or ui.starting or ui.ending or ui.loading or ui.blank:
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
        if self.ui.overlay and not any(spot.kind == "overlay" for spot in pointed.spots):
            if not self._first(pointed, ("key",)):
                self.action_close()
        else:
            self._first(pointed, ("key", "cell", "row", "choice", "do", "event", "node", "time", "pane"))

    def _first(self, pointed: Pointed, kinds: tuple[str, ...]) -> bool:
        """Act on the innermost spot of one of the kinds; false when there is none."""
        for spot in pointed.spots:
            if spot.kind in kinds:
                getattr(self, f"_hit_{spot.kind}")(spot, pointed)
                return True
        return False

    def _hit_key(self, spot: Spot, _pointed: Pointed) -> None:
        self.perform(str(spot.value[0]))

    def _hit_cell(self, spot: Spot, _pointed: Pointed) -> None:
        row, column = spot.value
        assert isinstance(row, int) and isinstance(column, int)
        if self.ui.cell == (row, column):
            self.toggle_cell()
        self.ui.cell = row, column
        self.move_cell(0, 0)

    def _hit_row(self, spot: Spot, _pointed: Pointed) -> None:
        place = spot.value[0]
        assert isinstance(place, int)
        if self.ui.overlay_scroll == place:
            self.action_enter()
        else:
            self.ui.overlay_scroll = place

    def _hit_choice(self, spot: Spot, _pointed: Pointed) -> None:
        self.ui.focus = "lesson"
        self.action_answer(str(spot.value[0]))

    def _hit_do(self, _spot: Spot, _pointed: Pointed) -> None:
        self.ui.focus = "lesson"
        self.action_do()

    def _hit_event(self, spot: Spot, _pointed: Pointed) -> None:
        place, incident = spot.value
        assert isinstance(place, int) and isinstance(incident, int)
        self.ui.focus = "events"
        self.ui.events.choose(place, incident)
        self.show_why(place)

    def _hit_node(self, spot: Spot, pointed: Pointed) -> None:
        node = spot.value[0]
        assert isinstance(node, int)
        self.ui.node, self.ui.focus = node, "map"
        if pointed.button == RIGHT_BUTTON or pointed.times > 1:
            self.action_console()

    def _hit_time(self, spot: Spot, pointed: Pointed) -> None:
        recording = self.ui.recording
        if not recording.entries:
            return
        if pointed.x >= spot.x + spot.width - 1:
            recording.go_live()
            return
        span = recording.timeline.end_ns - recording.timeline.start_ns
        recording.seek_time(recording.timeline.start_ns + span * (pointed.x - spot.x + 1) // max(1, spot.width))

    def _hit_pane(self, spot: Spot, pointed: Pointed) -> None:
        name = str(spot.value[0])
        if pointed.times > 1:
            self.action_zoom(name)
        elif name in ("map", "events") or name == "lesson" and self.ui.lesson:
            self.ui.focus = name

    def _wheel(self, pointed: Pointed) -> None:
        """Over an overlay it turns that, over a pane what the pane shows."""
        ui, by = self.ui, pointed.times
        over = next((spot for spot in pointed.spots if spot.kind in ("overlay", "pane")), None)
        name = str(over.value[0]) if over is not None and over.kind == "pane" else ""
        if ui.overlay == "faults":
            self.move_cell(by, 0)
        elif ui.overlay:
            ui.overlay_scroll = max(0, ui.overlay_scroll + by * (1 if ui.overlay in ("verdicts", "jump") else LINES))
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
            self.action_scrub(by)
        elif name == "map" and name in PANES:
            self.select(by)
