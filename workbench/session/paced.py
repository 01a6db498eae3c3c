"""Whether the time of a lab is virtual, asked by those who may show processes alone."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.session.paced_lab import PacedLab


def paced(lab: object) -> PacedLab | None:
    """The lab when its time is virtual. Who shows processes never loads the simulation: it is a third of the code."""
    module = sys.modules.get(f"{__package__}.paced_lab")
    return lab if module is not None and isinstance(lab, module.PacedLab) else None
