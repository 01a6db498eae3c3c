"""The one widget: shows a canvas, repaints only rows that changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.filter import ANSIToTruecolor, LineFilter
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from workbench.tui.drawing.canvas import Canvas
from workbench.tui.drawing.spots import Pointed, spots_at
from workbench.tui.drawing.strips import row_of
from workbench.tui.lateness import UNREAD_MAX
from workbench.tui.theme.palette import TEXT
from workbench.tui.theme.themed import ThemedApp
from workbench.tui.theme.themes import DARK, dressed


class Grid(Widget):
    """Line API over a canvas. `draw(width, height)` makes a frame; `tick` shows it."""

    can_focus = True
    AGAIN_S = 0.1
    """After so long a frame is tried again for which the terminal had no room."""

    def __init__(
        self,
        draw: Callable[[int, int], Canvas],
        take_key: Callable[[events.Key], bool],
        take_mouse: Callable[[Pointed], None],
    ) -> None:
        super().__init__()
        self._take_mouse = take_mouse
        self._draw = draw
        self._take_key = take_key
        self._shown: Canvas | None = None
        self._is_put_off = False
        self._strips: dict[int, Strip] = {}
        """Rows of that frame as they were rendered; Textual asks for all between two that changed."""
        self._rendered_for: tuple[str, Size] = "", Size()
        """The theme that they wear, and the size that they are for."""

    @property
    def shown(self) -> Canvas | None:
        """The frame that is shown; None before the first."""
        return self._shown

    def on_key(self, event: events.Key) -> None:
        """Keys of an open command bar end here; all others become actions."""
        if self._take_key(event):
            event.stop()
            event.prevent_default()

    def on_click(self, event: events.Click) -> None:
        """A button was pressed and let go at one place."""
        event.stop()
        self._point("click", event.x, event.y, event.button, event.chain)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The pointer moved; with a button held it drags."""
        event.stop()
        self._point("drag" if event.button else "move", event.x, event.y, event.button)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """One notch of the wheel."""
        event.stop()
        self._point("wheel", event.x, event.y, 0, -1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """One notch of the wheel."""
        event.stop()
        self._point("wheel", event.x, event.y, 0, 1)

    def _point(self, what: str, x: int, y: int, button: int, count: int = 1) -> None:
        spots = spots_at(self._shown.spots, x, y) if self._shown is not None else []
        self._take_mouse(Pointed(what, x, y, spots, button, count))

    def tick(self) -> int:
        """Draw a frame; returns how many rows changed.

        While the terminal has not taken those before, none is drawn: a write that waits would stop keys and all else.
        """
        width, height = self.size
        if width < 1 or height < 1:
            return 0
        if isinstance(self.app, ThemedApp) and self.app.unread > UNREAD_MAX:
            if not self._is_put_off:
                self._is_put_off = True
                self.set_timer(self.AGAIN_S, self._try_again)
            return 0
        canvas = self._draw(width, height)
        rows = canvas.changed_rows(self._shown)
        self._shown = canvas
        for y in rows:
            self._strips.pop(y, None)
        if len(rows) == height:
            self.refresh()
        elif rows:
            self.refresh(*(Region(0, y, width, 1) for y in rows))
        return len(rows)

    def _try_again(self) -> None:
        self._is_put_off = False
        self.tick()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Without the one that turns a terminal's own colours into others: a canvas says which it means."""
        return [item for item in super().get_line_filters() if not isinstance(item, ANSIToTruecolor)]

    def render_lines(self, crop: Region) -> list[Strip]:
        """Rows as the canvas has them: it has no border, so that Textual's way through its styles would add nothing."""
        if self._rendered_for != (self.worn, self.size):
            self._strips, self._rendered_for = {}, (self.worn, self.size)
        strips = [self._strips.get(y) or self._strips.setdefault(y, self.render_line(y)) for y in crop.line_range]
        for item in self.get_line_filters():
            strips = [row_of(strip.apply_filter(item, self.background_colors[1])) for strip in strips]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        """Row y of the frame shown. What fills it up has a style too: Textual's NO_COLOR filter needs one."""
        canvas, blank = self._shown, dressed(TEXT, self.worn)
        if canvas is None or y >= canvas.height:
            return Strip.blank(self.size.width, blank)
        strip = canvas.strip(y, self.worn)
        return strip if canvas.width == self.size.width else strip.adjust_cell_length(self.size.width, blank)

    @property
    def worn(self) -> str:
        """Name of the theme that the app wears."""
        return self.app.worn if isinstance(self.app, ThemedApp) else DARK.name

    def text_rows(self) -> list[str]:
        """Plain rows of the frame shown."""
        return self._shown.text_rows() if self._shown else []
