"""Faults as deeds: who did what, in one sentence."""

from __future__ import annotations

from typing import Final

BY_YOU: Final = "command by "
"""What the trigger of a command begins with; who typed it follows."""
ENDING = ("Kill", "Stop", "PowerLoss")
"""Faults that end a process: nothing heals them but a start."""
TRAP: Final = "CrashPoint"
"""The fault by which a process ends later, when it comes to a place."""
MOMENTARY = ("Wipe", "Tear", "Rot", "SpoilSnapshot", "Reset")
"""Faults that are done at once and for good."""
DEEDS: dict[str, tuple[str, str]] = {
    "Kill": ("you killed {n}", "{n} was killed"),
    "Stop": ("you asked {n} to leave", "{n} was asked to leave"),
    "PowerLoss": ("you cut the power of {n}", "{n} lost power"),
    "CrashPoint": ("you set a trap: {what}", "a trap is set: {what}"),
    "Pause": ("you paused {n}", "{n} was paused"),
    "Stutter": ("you starve {n} of its CPU", "{n} is starved of its CPU"),
    "Freeze": ("you froze every node", "every node was frozen"),
    "Partition": ("you cut {cut}", "the network was cut: {cut}"),
    "Cut": ("you cut {cut}", "the network was cut: {cut}"),
    "CutLinks": ("you cut {cut}", "the network was cut: {cut}"),
    "Isolate": ("you cut {n} off from all others", "{n} was cut off from all others"),
    "Withhold": ("you had some messages held: {what}", "some messages are held: {what}"),
    "Delay": ("you slowed the way between {links}", "the way between {links} got slow"),
    "SlowLink": ("you narrowed the way between {links}", "the way between {links} got narrow"),
    "Reset": ("you broke the connections of {n}", "the connections of {n} were broken"),
    "LoseMessages": ("you had messages get lost: {what}", "messages get lost: {what}"),
    "DuplicateMessages": ("you had messages come twice: {what}", "messages come twice: {what}"),
    "ReorderMessages": ("you had messages overtake each other: {what}", "messages overtake each other: {what}"),
    "FsyncLie": ("you made the disk of {n} lie about what is written", "the disk of {n} lies about what is written"),
    "FsyncLieDir": ("you made the disk of {n} lie about file names", "the disk of {n} lies about file names"),
    "FsyncFail": ("you made the disk of {n} fail", "the disk of {n} fails"),
    "FsyncSlow": ("you made the disk of {n} slow", "the disk of {n} is slow"),
    "DiskFull": ("you filled the disk of {n}", "the disk of {n} is full"),
    "Misread": ("you made the disk of {n} misread", "the disk of {n} misreads"),
    "Wipe": ("you wiped the disk of {n}", "the disk of {n} was wiped"),
    "Tear": ("you tore the end off a log of {n}", "the end of a log of {n} was torn off"),
    "Rot": ("you flipped a bit in a log of {n}", "a bit in a log of {n} has flipped"),
    "SpoilSnapshot": ("you made a snapshot of {n} bad", "a snapshot of {n} has gone bad"),
    "SkewClock": ("you put the clock of {n} wrong", "the clock of {n} is wrong"),
    "DriftClock": ("you made the clock of {n} drift", "the clock of {n} drifts"),
    "ClientCut": ("you cut the clients off {n}", "the clients are cut off {n}"),
    "ClientSlow": ("you made the answers of {n} slow", "the answers of {n} are slow"),
    "ClientDropResponses": ("you had answers of {n} get lost", "answers of {n} get lost"),
    "InjectError": ("you had {n} answer with an error", "{n} answers with an error"),
}
"""What a fault is, by the kind that traces tell: as a deed of the one who looks on, and of somebody else. `{n}` are
its nodes with what they lead, `{links}` the two ends, `{cut}` who cannot reach whom, `{what}` the command."""
GOES_ON = {
    "Pause": "{n} goes on",
    "Stutter": "{n} has its CPU again",
    "Freeze": "every node goes on",
    "Isolate": "{n} is no longer cut off",
    "Partition": "the cut is healed",
    "Cut": "the cut is healed",
    "CutLinks": "the cut is healed",
}
"""How it is when a fault is over; of others the command is named."""


def deed_of(kind: str, *, by_you: bool) -> str:
    """The sentence with its gaps; of a fault that is not known here the command alone."""
    yours, others = DEEDS.get(kind, ("you did {what}", "a fault: {what}"))
    return yours if by_you else others
