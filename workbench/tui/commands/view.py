"""Commands on what is seen: panes, selection, overlays, the mode before a room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from workbench.session.event_list import FILTERS
from workbench.session.explanation import explanation
from workbench.session.views.cluster import process_word
from workbench.support.places import home_of
from workbench.support.safe_text import safe_text
from workbench.telling.words import node_name
from workbench.tui import modes
from workbench.tui.answer import Answer, dim, info
from workbench.tui.commands.branching import BranchCommands
from workbench.tui.commands.console import ConsoleCommands
from workbench.tui.commands.context import Context, Group, Said, command
from workbench.tui.commands.lesson import LessonCommands
from workbench.tui.commands.moments import MomentCommands
from workbench.tui.compose import places_of, told_pane
from workbench.tui.drawing.layout import PANES, is_small
from workbench.tui.panes.cluster_map import rows_of_nodes
from workbench.tui.panes.map_places import by_columns
from workbench.tui.panes.touch import newest_of, touchable


class ViewCommands(Group):
    """What arrows, enter and escape do depends on the mode and on the pane in focus."""

    def __init__(
        self,
        context: Context,
        lesson: LessonCommands,
        moments: MomentCommands,
        console: ConsoleCommands,
        branching: BranchCommands,
        run: Callable[..., Said],
    ) -> None:
        """run: carries out a command of any group, by its name."""
        super().__init__(context)
        self._run = run
        self._lesson, self._moments, self._console, self._branching = lesson, moments, console, branching

    @command
    def help(self) -> None:
        """Keys and grammar."""
        self.ui.toggle(modes.Help())

    @command
    def tour(self) -> None:
        """What there is on the screen, stop by stop."""
        self.ui.zoom = ""
        self.ui.open(modes.Tour())

    @command
    def palette(self) -> None:
        """Find anything by its name."""
        if isinstance(self.ui.mode, modes.Palette):
            self.ui.mode = modes.Watching()
        else:
            self.look_up("")

    def look_up(self, query: str) -> None:
        """Show what fits a query, the best of it chosen."""
        folder = self.session.run_folder
        from workbench.tui.finder import find

        self.ui.open(modes.Palette(query, *find(self.ui, query, home_of(folder) if folder.name else None)))

    @command
    def term(self, name: str) -> Said:
        """What a word of the field means."""
        from workbench.tui.finder import glossary

        entry = next((term for term in glossary() if term.name == name), None)
        if entry is None:
            return dim("no such term")
        source = f"   ({entry.source})" if entry.source else ""
        return info(safe_text(f"{entry.name}: {entry.sentence}{source}", 600))

    def chosen(self, palette: modes.Palette) -> modes.Choice | None:
        """The choice that is marked; None when nothing fits."""
        return palette.found[min(self.ui.overlay_scroll, len(palette.found) - 1)] if palette.found else None

    @command
    def select_node(self, node: int) -> None:
        """Keys act on this node."""
        self.ui.node, self.ui.focus = node, "map"

    @command
    def filter_by(self, name: str) -> None:
        """List these events."""
        self.ui.events.set_filter(name, self.ui.node, self.ui.events.search)

    @command
    def sideways(self, direction: int) -> Said:
        """Open or close an incident, turn the lesson's pages, select a node when live, scrub when held."""
        if isinstance(self.ui.mode, modes.Comparison):
            self._run("along", direction)
            return None
        if isinstance(why := self.ui.mode, modes.Why):
            # -1: the pane knows where the proof begins
            self.ui.mode, self.ui.overlay_scroll = replace(why, is_open=direction > 0), -1 if direction > 0 else 0
            return None
        self.ui.mode = modes.Watching()
        if self.ui.focus == "events" and self.ui.events.turn(direction):
            return None
        if self.ui.focus == "lesson":
            return self._lesson.lesson_step(direction)
        if self.ui.goes_on and not self.ui.replay:
            return self.select(direction)
        self._moments.scrub(direction)
        return None

    @command
    def upward(self, direction: int) -> Said:
        """Scroll an overlay, or select a node or an event."""
        ui = self.ui
        if isinstance(ui.mode, modes.Why) and not ui.mode.is_open:
            self._go_to_step(ui.mode, direction)
        elif ui.overlay is not None:
            ui.overlay_scroll = max(0, ui.overlay_scroll + direction)
        elif ui.focus == "lesson":
            ui.page_scroll = max(0, ui.page_scroll + self._lines(direction))
        elif ui.focus == "events":
            ui.events.update(ui.recording)
            ui.events.move(ui.recording.cursor, direction)
        else:
            return self.select(1 if direction > 0 else -1, down=True)
        return None

    def _lines(self, direction: int) -> int:
        """How far the lesson's text moves: a page begins with the last line of the one before."""
        if abs(direction) == 1 or not self.ui.page_rows:
            return direction
        page = max(1, self.ui.page_rows - 1)
        return page if direction > 0 else -page

    def _go_to_step(self, why: modes.Why, direction: int) -> None:
        """Turn the view to the next step from the cause to the event, or to the one before."""
        steps = why.explained.hops
        chosen = max(0, min(why.chosen + direction, len(steps) - 1))
        self.ui.mode = replace(why, chosen=chosen)
        self.ui.recording.seek(steps[chosen].place + 1)

    def select(self, direction: int, *, down: bool = False) -> Said:
        """The next node, or the one before; `down` the columns where the map is on screen, else by number."""
        groups, pane = rows_of_nodes(self.ui), places_of(*self.host.size, self.ui).get("map")
        nodes = (
            by_columns(groups, pane.width) if down and pane is not None else [node for row in groups for node in row]
        )
        if not nodes:
            return None
        place = nodes.index(self.ui.node) + direction if self.ui.node in nodes else 0
        self.ui.node = nodes[place % len(nodes)]
        if self._shows("map"):
            return None
        selected = self.ui.view.nodes[self.ui.node]
        text = f"{process_word(selected)} {safe_text(selected.quorum_role, 20)}".rstrip()
        return dim(f"{node_name(self.ui.node)} selected: {text}")

    @command
    def swap(self) -> Said:
        """A message that is on its way on a map that stands; else arrows act in the next pane."""
        if self.ui.focus == "map" and self._shows("map") and self.ui.stands and touchable(self.ui):
            return self._run("touch_next")
        panes = ("lesson", "map", "events") if self.ui.lesson else ("map", "events")
        place = panes.index(self.ui.focus) + 1 if self.ui.focus in panes else 0
        self.ui.focus = panes[place % len(panes)]
        if not self._shows(self.ui.focus):
            self.ui.main = self.ui.focus
            self.ui.zoom = self.ui.focus if self.ui.zoom else ""
        return None

    @command
    def enter(self) -> Said:
        """Take what is chosen, do the lesson's step, or say why the selected event happened."""
        match self.ui.mode:
            case modes.Verdicts():
                return self._branching.show_broken()
            case modes.Jump():
                return self._moments.jump_there()
            case modes.Faults():
                return self._console.toggle_cell()
            case modes.Palette():
                choice = self.chosen(self.ui.mode)
                self.ui.mode = modes.Watching()
                return self._run(choice.name, *choice.arguments) if choice is not None else None
            case modes.Comparison():
                return self._run("show_row")
            case modes.Touch(flight):
                index = self.ui.recording.index_of(newest_of(self.ui, flight).told_by)
                if index is not None:
                    self.show_why(index)
            case modes.Starting() | modes.Help() | modes.Why() | modes.Tour() | modes.Terms():
                self.ui.mode = modes.Watching()
            case modes.Watching() if self.ui.focus != "events" and self.ui.lesson:
                return self._lesson.do()
            case modes.Watching():
                self._why_selected()
            case modes.Typing() | modes.Loading() | modes.Ending() | modes.Blank() | modes.AskingToLeave():
                pass
            case unknown:
                assert_never(unknown)
        return None

    def _why_selected(self) -> None:
        events, recording = self.ui.events, self.ui.recording
        events.update(recording)
        shown = events.window(recording.cursor, 1)
        index = events.selected if events.selected is not None else (shown[-1] if shown else None)
        if index is not None:
            self.show_why(index)

    def show_why(self, index: int) -> None:
        """Why the event at an index happened."""
        self.ui.open(modes.Why(explanation(self.ui.recording, index)))

    @command
    def close(self) -> Said:
        """Close what is open, innermost first."""
        ui = self.ui
        if isinstance(ui.mode, modes.Faults):
            return self._console.close_console(ui.mode)
        if not isinstance(ui.mode, modes.Watching):
            ui.mode = modes.Watching()
        elif ui.stops is not None:
            ui.stops.set()
        elif ui.zoom:
            ui.zoom = ""
        else:
            ui.events.look_for("")
            ui.events.selected, ui.marked = None, 0
            return Answer()
        return None

    @command
    def present(self) -> None:
        """Before a room, or back."""
        self.ui.presenting = not self.ui.presenting
        self.ui.answers_shown, self.ui.pointer = False, None
        self.host.pace_frames()

    @command
    def answers(self) -> Said:
        """Before a room: show or hide what is right."""
        if not self.ui.presenting:
            return dim(self.ui.keyboard.said("answers are hidden in presenter mode only: {presenter.mode}"))
        self.ui.answers_shown, self.ui.page_scroll = not self.ui.answers_shown, -1
        return None

    @command
    def number(self, number: int) -> Said:
        """Predict while a question is open, else one pane alone."""
        if self._lesson.is_asked and number <= len(self.ui.page.choices):
            return self._lesson.answer("abcd"[number - 1])
        if self.ui.bets.open is not None:
            return self._moments.bet(number)
        self.show_pane(PANES[number - 1])
        return None

    @command
    def show_pane(self, name: str) -> None:
        """One pane alone, or all again."""
        self.ui.zoom = "" if self.ui.zoom == name else name
        self.ui.chosen_ns = self.ui.shown_ns
        self.ui.main = name if name != "lesson" else self.ui.main
        self.give_keys_to(name)

    def give_keys_to(self, name: str) -> None:
        """Arrows act in this pane from now on, if they can."""
        if name in ("map", "events") or name == "lesson" and self.ui.lesson:
            self.ui.focus = name

    @command
    def clients(self) -> None:
        """Clients and groups in the quorum's place, then alone, then away."""
        ui = self.ui
        if is_small(*self.host.size):
            self.show_pane("clients")
        elif ui.zoom == "clients":
            ui.zoom, ui.side = "", "quorum"
        elif ui.side == "clients":
            ui.zoom = "clients"
        else:
            ui.zoom, ui.side = "", "clients"

    @command
    def group(self, count: int) -> Said:
        """Another consumer group."""
        self.ui.group_index, self.ui.group_back = self.ui.group_place + count, 0
        return None if self.ui.view.groups else dim("no consumer group has been heard of yet")

    def _shows(self, name: str) -> bool:
        """Whether a pane is on screen now."""
        return name in places_of(*self.host.size, self.ui)

    @command
    def next_view(self) -> None:
        """The next large pane of a small screen; on a large one the next pane alone, at last all again."""
        ui = self.ui
        if is_small(*self.host.size):
            now = told_pane(ui) or ui.main
            ui.zoom, ui.main, ui.chosen_ns = "", PANES[(PANES.index(now) + 1) % len(PANES)], ui.shown_ns
        else:
            order = ("", *PANES)
            ui.zoom = order[(order.index(ui.zoom) + 1) % len(order)]
        ui.focus = "map"
        self.give_keys_to(ui.zoom or ui.main)

    @command
    def log(self, count: int) -> None:
        """Another log in the lanes."""
        self.ui.log_back = 0
        self.ui.log_index = (self.ui.log_place + count) % max(1, len(self.ui.view.shown_logs()))

    @command
    def filter(self) -> None:
        """The next filter of the event list."""
        place = (FILTERS.index(self.ui.events.filter) + 1) % len(FILTERS)
        self.ui.events.set_filter(FILTERS[place], self.ui.node, self.ui.events.search)
