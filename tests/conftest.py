"""Every run of the tests tries the same examples: a new failure is the change's own, and can be met again."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")
