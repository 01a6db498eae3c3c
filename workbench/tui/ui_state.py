"""What the panes draw from: the recording and what the learner has selected."""

from __future__ import annotations

from dataclasses import dataclass, field

from cluster.model.identifiers import NodeId, TopicPartition
from workbench.session.event_list import EventList
from workbench.session.lesson_page import FREE_LAB, LessonPage
from workbench.session.recording import Recording
from workbench.session.view import ClusterView
from workbench.session.why import Because


@dataclass(slots=True)
class UiState:
    """Everything on screen that is not in the trace."""

    recording: Recording
    replay: bool = False
    """A finished run: nothing can be sent."""
    title: str = "KRaft Workbench"
    node: NodeId = 0
    """Selected node; 0 none."""
    log_index: int = 0
    events: EventList = field(default_factory=EventList)
    focus: str = "map"
    """Pane that arrows act in: map or events."""
    zoom: str = ""
    main: str = "quorum"
    page: LessonPage = field(default_factory=lambda: FREE_LAB)
    answer: tuple[str, str] = ("", "dim")
    """(text, tone) of the last command."""
    suggestions: tuple[str, ...] = ()
    typing: bool = False
    """The command bar is open."""
    asks_quit: bool = False
    overlay: str = ""
    """why, help or empty."""
    overlay_scroll: int = 0
    why: list[Because] = field(default_factory=list)
    fps: int = 30
    starting: list[str] = field(default_factory=list)
    """Progress lines while a cluster starts; the workbench is drawn once it is empty."""
    error: str = ""

    @property
    def view(self) -> ClusterView:
        """The view at the cursor."""
        return self.recording.view

    @property
    def log(self) -> TopicPartition:
        """The log that the lanes show."""
        logs = self.view.logs()
        return logs[self.log_index % len(logs)]

    @property
    def partition(self) -> TopicPartition | None:
        """The data partition that the ribbon shows."""
        logs = self.view.logs()
        if len(logs) < 2:
            return None
        return logs[max(1, self.log_index % len(logs))]
