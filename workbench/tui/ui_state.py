"""What the panes draw from: the recording and what the learner has selected."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING

from cluster.model.identifiers import INTERNAL_TOPICS, METADATA, NodeId, TopicPartition
from workbench.course.glossary import Term
from workbench.session.bets import Bets
from workbench.session.comparison import Worlds
from workbench.session.director import Director
from workbench.session.event_list import EventList
from workbench.session.lesson.page import FREE_LAB, LessonPage
from workbench.session.live_verdicts import LiveVerdicts
from workbench.session.missions.board import Board
from workbench.session.pace import Pace
from workbench.session.recording import Recording
from workbench.session.story.cells import Cells
from workbench.session.story.headline import cells_at, moment_at
from workbench.session.views.cluster import ClusterView
from workbench.tui.answer import Answer
from workbench.tui.break_point import BreakPoint
from workbench.tui.drawing.kept import Kept
from workbench.tui.input.keyboard import Keyboard
from workbench.tui.input.keys import LAB, LESSON, REPLAY
from workbench.tui.input.line_editor import LineEditor
from workbench.tui.input.suggest import suggest
from workbench.tui.input.words import suggest_words
from workbench.tui.modes import Comparison, Faults, Mode, Overlay, Watching, seen

if TYPE_CHECKING:
    from workbench.classroom.room import Room


@dataclass(slots=True)
class UiState:
    """Everything on screen that is not in the trace."""

    recording: Recording
    replay: bool = False
    """A finished run: nothing can be sent."""
    watches: bool = False
    """A run that is up and only looked at: nothing can be sent."""
    title: str = "KRaft Workbench"
    node: NodeId = 0
    """Selected node; 0 none."""
    marked: NodeId = 0
    """One end of the selected link, the other is the selected node; 0 none."""
    log_index: int | None = None
    """None: the first data partition once there is one."""
    events: EventList = field(default_factory=EventList)
    focus: str = "map"
    """Pane that arrows act in: map, events or lesson."""
    zoom: str = ""
    main: str = "quorum"
    chosen_ns: int = -1
    """The moment in view when a pane was asked for last; -1 for never."""
    page: LessonPage = field(default_factory=lambda: replace(FREE_LAB))
    answer: Answer = Answer()
    """What the last command said."""
    line: LineEditor = field(default_factory=LineEditor)
    """What is typed in the command bar."""
    lesson: bool = False
    """A lesson is played."""
    text_beside: bool = False
    """Its text stands beside the screen: a small screen leaves its room to the cluster."""
    page_scroll: int = 0
    """First line of the lesson's text on screen; -1 for its end."""
    page_rows: int = 0
    """How many lines of it the last frame had room for below a verdict that stays in sight; 0 before the first."""
    is_question_in_sight: bool = False
    """The open question with all its options was on the last frame: only then keys answer it."""
    held_talk: tuple[str, ...] = ()
    """What clients had asked and got until then, the newest last."""
    is_staged: bool = False
    """A lesson holds the view, or will: nothing else moves it by itself."""
    held_nodes: tuple[NodeId, ...] = ()
    """Where a lesson holds the view: whose rows answer."""
    held_ns: int = -1
    """The moment at which a lesson holds the view: the time axis ends there, though processes run on; -1 for none."""
    beliefs: Mapping[str, str] = field(default_factory=dict)
    """The sentence of each misconception, by its name."""
    terms: tuple[Term, ...] = ()
    """Of the lesson's step."""
    mode: Mode = Watching()
    """What the screen is busy with."""
    overlay_scroll: int = 0
    """First line shown; in a list the line that is selected."""
    cell: tuple[int, int] = (0, 0)
    """Row and column of the cursor in the fault console."""
    log_back: int = 0
    """Offsets by which the lanes are turned back from the newest."""
    rows_back: int = 0
    """Arrows by which the chart of votes is turned back."""
    bootstrap: tuple[str, ...] = ()
    """What Kafka clients are pointed at; empty when they cannot connect."""
    kcat_options: str = ""
    """What kcat needs beside the address: the file with the password, where the run has one."""
    moved_ports: str = ""
    """That these are not the usual ports, and why; empty when they are."""
    side: str = "quorum"
    """Pane beside the map: quorum or clients."""
    group_index: int = 0
    """Which consumer group is shown, of all by name."""
    group_back: int = 0
    """Rows by which the chart of a group is turned back."""
    presenting: bool = False
    """A room looks on: a banner for the event in view, the answers hidden."""
    answers_shown: bool = False
    """While presenting: what was predicted and what is right."""
    room: Room | None = None
    """Where a class votes; None while none is here."""
    pointer: tuple[int, int] | None = None
    """While presenting: where the mouse points."""
    kept: Kept = field(default_factory=Kept)
    """Cells of panes that are drawn less often than the rest."""
    fps: int = 30
    slow_because: str = ""
    """Why fewer frames are drawn than could be; empty when nothing is slow."""
    is_late: bool = False
    """The terminal does not take what is written for it: what it shows is old, and nobody sees what a key would do."""
    is_still: bool = False
    """Reduced motion: messages stand in the middle of their link, timers change by quarters."""
    expected: int = 0
    """Nodes that the lab is starting; the workbench is drawn once all are ready and a leader is known."""
    ended: bool = False
    """The lab is gone by itself: what is on screen is the last that was heard."""
    behind: int = 0
    """Events that are there and not shown yet; 0 while that is as usual."""
    silent_s: int = 0
    """How long nothing was heard from the lab; 0 while all is well."""
    reading: str = ""
    """How much of the run is read, while that goes on and what is shown is past; empty once it is read."""
    glyphs: str = "full"
    """full, mono (no colour) or ascii (no colour, no character beyond ASCII)."""
    error: str = ""
    break_point: BreakPoint = field(default_factory=BreakPoint)
    """Where the view is to hold by itself."""
    keyboard: Keyboard = field(default_factory=Keyboard)
    """Which key does what."""
    now_ns: int = 0
    """The present instant on the clock of a living run; 0 where the newest event is all there is."""
    seed: int | None = None
    """Of the simulated run on screen, recorded or not; None for processes."""
    pace: Pace | None = None
    """Of virtual time, while a simulated cluster lives."""
    verdicts: LiveVerdicts | None = None
    """What the checker says of the run on screen."""
    missions: Board | None = None
    """Of a free lab; None where there are none."""
    worlds: Worlds | None = None
    """Two runs that are compared, once both are read."""
    stops: Event | None = None
    """Ends what is played again beside the screen; None while nothing is."""
    stays_beside: bool = False
    """Two clusters that live are on screen: whoever has typed a command sees both again."""
    wants_tour: bool = False
    """A tour begins once the cluster is there: nobody has had one yet."""
    directs: bool = True
    """A direction begins by itself where a leader is lost, a log is cut or records are lost."""
    bets: Bets = field(default_factory=Bets)
    """What was bet on incidents."""
    director: Director = field(init=False)
    _asked: tuple[ClusterView | None, Hashable, tuple[int, TopicPartition, TopicPartition | None]] = (
        None, None, (0, METADATA, None)
    )  # fmt: skip
    """The view and what else decides which logs are shown, and which these are."""

    def __post_init__(self) -> None:
        self.director = Director(self.recording)

    @property
    def shows_missions(self) -> bool:
        """Whether missions stand where a lesson would."""
        return self.missions is not None and self.page.is_lab

    @property
    def overlay(self) -> Overlay | None:
        """What lies over the panes, also while a question is asked; None for nothing."""
        mode = seen(self.mode)
        return mode if isinstance(mode, Overlay) else None

    @property
    def at_rest(self) -> Watching | Comparison:
        """What is seen once the command bar is closed."""
        has_both = self.stays_beside and self.worlds is not None and not self.worlds.are_gone
        return Comparison() if has_both else Watching()

    def drop_worlds(self) -> None:
        """Let go of what was compared."""
        if self.worlds is not None:
            self.worlds.close()
            self.worlds = None

    def leave_class(self) -> bool:
        """Close the room of the class; False when there is none."""
        room, self.room = self.room, None
        if room is not None:
            room.leave()
        return room is not None

    def open(self, overlay: Overlay, *, scroll: int = 0) -> None:
        """Lay something over the panes."""
        self.mode, self.overlay_scroll = overlay, scroll

    def toggle(self, overlay: Overlay, *, scroll: int = 0) -> None:
        """Open it, or close it when one of its kind is open."""
        if isinstance(self.mode, type(overlay)):
            self.mode = Watching()
        else:
            self.open(overlay, scroll=scroll)

    @property
    def beyond(self) -> str:
        """What a held view of a living run does not show; empty while it follows."""
        recording = self.recording
        if recording.follows or self.replay or self.ended:
            return ""
        up, total = recording.live.up_count()
        return f"now {up}/{total} up, +{len(recording.entries) - recording.cursor:,} events"

    @property
    def staged(self) -> frozenset[tuple[NodeId, NodeId]]:
        """Links that the fault console is to cut, as one fault."""
        return self.overlay.staged if isinstance(self.overlay, Faults) else frozenset()

    def suggest(self, text: str) -> tuple[str, ...]:
        """Whole lines of the command bar that continue `text`."""
        words = suggest_words(text, simulated=self.seed is not None, kind=self.kind)
        return words if self.replay or self.watches else (*suggest(text, self.view), *words)

    @property
    def view(self) -> ClusterView:
        """The view at the cursor."""
        return self.recording.view

    @property
    def how_to_select(self) -> str:
        """The keys that select a node now, by their ids: the arrows scrub, turn pages or choose events elsewhere."""
        if self.focus != "lesson" and self.goes_on and not self.replay:
            return "{left} {right}"
        return "{up} {down}" if self.focus == "map" else "{focus.swap}, {up} {down}"

    @property
    def goes_on(self) -> bool:
        """Whether the view follows the cluster, at once or behind a direction."""
        return self.recording.follows or self.director.is_on

    @property
    def stands(self) -> bool:
        """Whether what is seen does not go on: virtual time is halted, the view is held, or what is directed stops."""
        if self.director.is_on:
            return not self.director.is_playing
        return self.pace is not None and self.pace.is_halted or not self.recording.follows

    @property
    def cells(self) -> Cells | None:
        """Where the headline points; None while there is none, and where a lesson says what to look at."""
        recording = self.recording
        if self.page.awaits_cluster or self.page.look_at:
            return None
        return cells_at(recording.story, recording.cursor, self.shown_ns, stays=self.director.is_on)

    @property
    def told_ns(self) -> int:
        """When the event was of which the headline tells; -1 for none."""
        moment = moment_at(self.recording.story, self.recording.cursor)
        return -1 if moment is None else moment.t_ns

    @property
    def present_ns(self) -> int:
        """Where the cluster is, or where the recording ends."""
        return max(self.now_ns, self.recording.timeline.end_ns)

    @property
    def axis_end_ns(self) -> int:
        """Where the time axis ends: with the run, but no later than what a lesson shows."""
        end_ns, seen_ns = self.recording.timeline.end_ns, max(self.recording.t_ns, self.held_ns)
        return end_ns if self.held_ns < 0 else min(end_ns, seen_ns)

    @property
    def shown_ns(self) -> int:
        """The instant on screen: of a living run that is followed the present one, else that of the cursor."""
        recording = self.recording
        if self.director.is_on:
            return self.director.t_ns
        return max(recording.t_ns, self.now_ns) if recording.follows and recording.entries else recording.t_ns

    @property
    def log(self) -> TopicPartition:
        """The log that the lanes show; that of metadata while there is no other, in zookeeper mode as well."""
        return self._logs()[1]

    @property
    def log_place(self) -> int:
        """Index of that log among all; of the topic that was made first until another is chosen."""
        return self._logs()[0]

    def _logs(self) -> tuple[int, TopicPartition, TopicPartition | None]:
        """Place and name of the log in the lanes, and the partition of the ribbon: the same for all of a frame."""
        view = self.view
        told = cells.log if (cells := self.cells) is not None else None
        asked = view.entries, len(view.partitions), view.zookeeper.is_used, self.log_index, told
        if self._asked[0] is not view or self._asked[1] != asked:
            logs, own = view.shown_logs(), view.data_logs()
            place = self._place_among(logs)
            log = logs[place] if logs else METADATA
            self._asked = view, asked, (place, log, (log if log in own else own[0]) if own else None)
        return self._asked[2]

    def _place_among(self, logs: list[TopicPartition]) -> int:
        if self.log_index is not None:
            return self.log_index % max(1, len(logs))
        if (cells := self.cells) is not None and cells.log in logs:
            return logs.index(cells.log)
        first = next((tp for tp in self.view.partitions if tp.topic not in INTERNAL_TOPICS), None)
        return logs.index(first) if first is not None else max(0, min(1, len(logs) - 1))

    @property
    def has_clients(self) -> bool:
        """Whether a consumer group was heard of, or a Kafka client is connected."""
        live = self.recording.live
        return bool(live.groups or live.connections)

    @property
    def group_place(self) -> int:
        """Index of the consumer group that is shown."""
        return self.group_index % max(1, len(self.view.groups))

    @property
    def group(self) -> str:
        """Its name; empty when there is none."""
        names = sorted(self.view.groups)
        return names[self.group_place] if names else ""

    @property
    def kind(self) -> str:
        """lab, replay or lesson: which keys and words mean something."""
        return LESSON if self.lesson else REPLAY if self.replay or self.ended or self.watches else LAB

    @property
    def which_partition(self) -> str:
        """Which of several partitions is shown, and the key for the next; empty where there is one."""
        logs, partition = self.view.data_logs(), self.partition
        if partition is None or len(logs) < 2:
            return ""
        return f"partition {logs.index(partition) + 1} of {len(logs)}, {self.keyboard.sign('log.next')} next"

    @property
    def partition(self) -> TopicPartition | None:
        """The data partition that the ribbon shows."""
        return self._logs()[2]
