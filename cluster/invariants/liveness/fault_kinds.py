"""Faults that promises of time depend on, by the kind in their events. A new fault that does the same is added here."""

SPLITTING = ("Isolate", "Partition")
"""Leave sides without any way between them. Links that are cut one by one leave other ways."""
SLOWING = ("Pause", "Stutter", "Freeze", "FsyncSlow", "DiskFull")
"""A start may take any time under them."""
MISTIMING = (*SLOWING, "DriftClock")
"""A timer may come at any time under them."""
LOSING = "LoseMessages"
"""Takes single messages from a connection that stays."""
