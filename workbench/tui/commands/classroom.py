"""Commands of a class that votes: open the room, close a vote, vote again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.classroom.votes import Asked
from workbench.session.lesson.page import LessonPage
from workbench.tui.answer import bad, dim, info, warn
from workbench.tui.break_point import OFF
from workbench.tui.commands.context import Group, Said, command

if TYPE_CHECKING:
    from workbench.classroom.room import Room

NETWORK = "lan"
HOW = "{cmd}class opens a room on this machine, {cmd}class lan for the machines of a class"


class ClassroomCommands(Group):
    """The room belongs to the screen: whoever leaves the lesson closes it."""

    @command
    def open_class(self, where: str) -> Said:
        """Open a room for this machine, or for the network when that is asked by name; or close it."""
        ui = self.ui
        if where == OFF:
            return dim("the class has left" if ui.leave_class() else "no class is here")
        if where not in ("", NETWORK):
            return bad(f"class {where}: say class, class {NETWORK} or class {OFF}")
        if ui.room is not None:
            return warn(f"the class is here already: {ui.room.link}")
        from workbench.classroom import room

        host = room.address_in_the_network() if where == NETWORK else room.LOOPBACK
        if not host:
            return bad("this machine is in no network: nobody else could reach the room")
        try:
            ui.room = room.Room(host)
        except OSError as error:
            return bad(f"no room can be opened on {host}: {error.strerror or error}")
        ask_the_class(ui.room, ui.page)
        if not ui.presenting:
            ui.presenting, ui.answers_shown = True, False
            self.host.pace_frames()
        whose = "whoever is in this network and has the link" if where == NETWORK else "this machine alone"
        return info(ui.keyboard.said(f"the class is open for {whose}; {{class.votes}} closes a vote"))

    @command
    def votes(self) -> Said:
        """Close the vote that is open, or open the second one."""
        room = self.ui.room
        if room is None:
            return dim(self.ui.keyboard.said(f"no class is here: {HOW}"))
        return info(room.votes.next_round())


def ask_the_class(room: Room, page: LessonPage) -> None:
    """Put before the class what the page asks; when its step has run the vote is closed."""
    asked = Asked(page.heading, page.question, page.choices) if page.question and page.choices else None
    room.votes.ask(asked, takes=page.asks)
