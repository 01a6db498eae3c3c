"""All missions beside one run: told its events, and what the learner has done before."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cluster.model.entry import Entry
from cluster.model.events import FaultApplied, FaultReverted
from workbench.course.progress import finished_missions, record_mission
from workbench.session.missions.mission import Attempt, Mission
from workbench.session.missions.quorum import CutLeaderOff, KillLeader, SplitVote
from workbench.session.missions.replication import (
    FollowRecord,
    LeaveIsr,
    LoseRecord,
    LyingDisk,
    RefuseAcksAll,
)
from workbench.session.missions.zookeeper import KillController, RaceAgain, TwoControllers
from workbench.session.recording import Recording
from workbench.session.views.cluster import ClusterView

MISSIONS: tuple[type[Mission], ...] = (
    FollowRecord, KillLeader, SplitVote, LeaveIsr, CutLeaderOff, RefuseAcksAll, LoseRecord, LyingDisk,
)  # fmt: skip
WITH_ZOOKEEPER: tuple[type[Mission], ...] = (
    FollowRecord, KillController, TwoControllers, RaceAgain, LeaveIsr, RefuseAcksAll, LoseRecord, LyingDisk,
)  # fmt: skip
"""In zookeeper mode, where nobody votes."""
BEHIND_MAX = 20_000
"""Entries taken in at once: of a run that has been up for long only the newest ones."""


class Board:
    """Folds a run for all missions that are open."""

    def __init__(self, progress_folder: Path | None = None) -> None:
        """`progress_folder`: where progress is kept; None for the user's state folder."""
        self.title = "Missions"
        """Of the pane that shows them."""
        self._folder = progress_folder
        self.results = finished_missions(progress_folder)
        """Name of each mission that is done, now or before, and how it was."""
        self.newest = ""
        """Name of the mission that was done last in this run; empty before, and once a new attempt has begun."""
        self.newest_ns = 0
        """When that was."""
        self._run, self._read = -1, 0
        self._begin()

    def _begin(self) -> None:
        self._take(MISSIONS)

    def _take(self, kinds: tuple[type[Mission], ...]) -> None:
        self._kinds = kinds
        self.attempt = Attempt()
        self.missions: tuple[Mission, ...] = tuple(kind(self.attempt) for kind in kinds)
        self.newest = ""

    def _suit(self, picture: ClusterView) -> None:
        """Other missions where nobody votes."""
        kinds = WITH_ZOOKEEPER if picture.zookeeper.is_used else MISSIONS
        if kinds is not self._kinds:
            self._take(kinds)

    def follow(self, recording: Recording, until: int | None = None) -> None:
        """Take in what came since. until: entries that are shown so far, where those behind them are not to be told."""
        if recording.run_count != self._run:
            self._run, self._read = recording.run_count, 0
            self._begin()
        entries = recording.entries
        end = len(entries) if until is None else min(until, len(entries))
        if self._read < end:
            picture = recording.live if end == len(entries) else recording.view
            self.apply(entries[max(self._read, end - BEHIND_MAX) : end], picture)
            self._read = end

    def apply(self, entries: Iterable[Entry], picture: ClusterView) -> None:
        """Take in entries. picture: the cluster with the newest of them."""
        self._suit(picture)
        for entry in entries:
            event = entry.event
            if isinstance(event, FaultApplied | FaultReverted):
                self._on_fault(event)
            kind = type(event)
            for mission in self.missions:
                if kind in mission.watches and mission.name not in self.results:
                    mission.apply(entry, event, picture)
                    if mission.result:
                        self._done(mission, entry.t_ns)

    def _on_fault(self, event: FaultApplied | FaultReverted) -> None:
        self.attempt.apply(event)
        if isinstance(event, FaultApplied) and self.attempt.count == 1:
            self.newest = ""

    def _done(self, mission: Mission, at_ns: int) -> None:
        self.results[mission.name] = mission.result
        self.newest, self.newest_ns = mission.name, at_ns
        record_mission(mission.name, mission.result, self._folder)

    @property
    def current(self) -> Mission | None:
        """The one to do next: the first that is under way, else the first open one."""
        is_open = [mission for mission in self.missions if mission.name not in self.results]
        under_way = [mission for mission in is_open if mission.ticks]
        return next(iter((*under_way[:1], *is_open)), None)

    @property
    def done_count(self) -> int:
        """How many are done."""
        return sum(mission.name in self.results for mission in self.missions)
