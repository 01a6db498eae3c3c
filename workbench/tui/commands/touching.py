"""Commands on one message on its way: choose it, read it, and say what becomes of it."""

from __future__ import annotations

from cluster.faults.effects_on_links import NEXT
from cluster.faults.plucking import Pluck
from cluster.language.words import Link, NodeName
from cluster.model.entry import EventId
from cluster.model.events import MessagePlucked
from cluster.model.events.lab import HOLD, PASS
from cluster.model.events.network import HELD, LEFT
from cluster.picture.flights import Flight
from workbench.tui.answer import dim, info, warn
from workbench.tui.commands.context import Context, Group, Said, command
from workbench.tui.commands.worlds import WorldCommands
from workbench.tui.modes import Touch, Watching
from workbench.tui.panes.touch import newest_of, touchable

WITHOUT = "plucks=none"


class TouchCommands(Group):
    """A simulation waits while a message is touched; processes do not, and it is the next of its kind that is meant."""

    def __init__(self, context: Context, worlds: WorldCommands) -> None:
        """worlds: shows two runs side by side."""
        super().__init__(context)
        self._worlds = worlds

    @command
    def touch(self, told_by: EventId) -> Said:
        """The message that an event told of last."""
        ways = self.ui.view.flights.flights.values()
        flight = next((flight for way in ways for flight in way if flight.told_by == told_by), None)
        return self._open(flight) if flight is not None else warn("that message is not on the screen any more")

    @command
    def touch_next(self) -> Said:
        """The message that left next; after the last one none."""
        flights = touchable(self.ui)
        mode = self.ui.mode
        if isinstance(mode, Touch):
            place = next((at for at, item in enumerate(flights) if item.same(mode.flight)), -1) + 1
        else:
            place = 0
        if place < len(flights):
            return self._open(flights[place])
        self.ui.mode = Watching()
        return dim("no other message is on its way" if flights else "no message is on its way")

    def _open(self, flight: Flight) -> Said:
        ui = self.ui
        ui.open(Touch(flight))
        if ui.pace is not None and not ui.replay:
            ui.pace.is_halted = True
        return None

    @command
    def pluck(self, fate: str) -> Said:
        """Give the chosen message a fate: drop, hold, pass, or how late it is."""
        ui, mode = self.ui, self.ui.mode
        if not isinstance(mode, Touch):
            return dim("no message is chosen")
        flight, words = newest_of(ui, mode.flight), ui.keyboard.said
        if ui.replay and ui.seed is not None:
            return warn(words("a recording stands as it is: {branch} makes a run that goes on from here"))
        if (refusal := self.context.refusal()) is not None:
            return refusal
        if ui.seed is None:
            number = NEXT
        elif ui.recording.cursor < len(ui.recording.entries):
            return warn(words("this moment is over: {scrub.live} goes to the newest, {branch} goes on from here"))
        elif flight.fate not in (LEFT, HELD):
            return warn(words("it is on its way no more: halt time with {time.halt}, {time.event} goes event by event"))
        else:
            number = flight.correlation
        if fate == PASS and (fault_id := self._held_by(flight)):
            return self._send(f"heal {fault_id}")
        if fate == PASS and number != NEXT and flight.fate != HELD:
            return dim("nothing holds it: it arrives by itself")
        link = Link(NodeName(flight.source), NodeName(flight.target))
        return self._send(str(Pluck(link, flight.message, int(fate) if fate.isdigit() else fate, number)))

    def _send(self, text: str) -> Said:
        self.ui.mode = Watching()
        return self.context.send(text)

    def _held_by(self, flight: Flight) -> int:
        """The fault that holds it because it was plucked; 0 for none."""
        for fault in self.ui.recording.live.faults.values():
            given = dict(fault.parameters)
            is_alike = (flight.source, flight.target) in fault.links and given.get("message") == flight.message
            is_meant = given.get("number") in (str(flight.correlation), str(NEXT))
            if fault.kind == Pluck.__name__ and given.get("fate") == HOLD and is_alike and is_meant:
                return fault.fault_id
        return 0

    @command
    def without_plucks(self) -> Said:
        """This run beside the same one in which nothing was plucked."""
        if not any(isinstance(entry.event, MessagePlucked) for entry in self.ui.recording.entries):
            return info("no message was plucked in this run: choose one on its way first")
        return self._worlds.whatif(WITHOUT)
