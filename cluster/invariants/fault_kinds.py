"""Kinds of faults that promises depend on, as events name them. The checker imports no fault, so that it trusts nobody.

A test asks of each fault whether it is named here.
"""

ENDS = ("Kill", "Stop", "PowerLoss")
"""End a process and do nothing else to those that live."""
SPLITTING = ("Isolate", "Partition")
"""Leave sides without any way between them. Links that are cut one by one leave other ways."""
SLOWING = ("Pause", "Stutter", "Freeze", "FsyncSlow", "DiskFull")
"""A start may take any time under them."""
MISTIMING = (*SLOWING, "DriftClock")
"""A timer may come at any time under them."""
LOSING = ("LoseMessages", "Pluck")
"""Take single messages from a connection that stays."""
UNKIND = ("DuplicateMessages", "ReorderMessages")
"""Bring what no connection brings: a message twice, or after those behind it."""
REPEATS = ("UnkindNetwork", "DuplicateMessages")
"""A request that was refused may come once more and be taken then. Older traces tell of an unkind network as one."""
DAMAGE = ("Wipe", "Tear", "Rot", "SpoilSnapshot")
"""Take from a disk what it holds."""
LYING = "FsyncLie"
"""Has a disk call durable what is not."""
