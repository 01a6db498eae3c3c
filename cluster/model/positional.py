"""The base of all values that travel between nodes or stand in a trace."""

from __future__ import annotations

from msgspec import Struct


class Positional(Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """A value that is encoded as the list of its fields, in the order in which they stand in the class.

    So new fields go last and have a default: what an older writer left out is filled in. A struct rather than a
    dataclass, because a node makes some thousands of them each second and begins with the making of 300 classes.
    None can be part of a cycle, since what it holds is made before it and never changed: so Python's collector of
    cycles need not know of them.
    """
