"""The one user that a listener with a password serves."""

from __future__ import annotations

import hmac

from msgspec import Struct


class Credentials(Struct, frozen=True):
    """The one user that Kafka clients sign in as, by SASL/PLAIN."""

    user: str
    password: str
    """Never to be shown in a trace or a log."""

    def fit(self, user: str, password: str) -> bool:
        """Whether these are the ones, in a time that does not tell how much of them fits."""
        same_user = hmac.compare_digest(user.encode("utf-8", "replace"), self.user.encode())
        same_password = hmac.compare_digest(password.encode("utf-8", "replace"), self.password.encode())
        return same_user and same_password

    def __repr__(self) -> str:
        return f"Credentials({self.user!r}, ...)"
