"""One user, one password."""

from __future__ import annotations

import pytest

from cluster.kafka.credentials import Credentials


@pytest.mark.parametrize(
    ("user", "password", "fit"),
    [
        ("u", "p", True),
        ("u", "P", False),
        ("U", "p", False),
        ("", "", False),
        ("u", "\ud800", False),
        ("\u00fc", "p", False),
    ],
)
def test_both_must_fit(user: str, password: str, fit: bool) -> None:
    assert Credentials("u", "p").fit(user, password) is fit
