"""What Kafka clients of a run with a password must say: one private file in its folder, which clients can read too.

It has the names of librdkafka's configuration, so `kcat -F` takes it as it is and no password need stand on a command
line, where every account of the machine could read it.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from cluster.kafka.credentials import Credentials

LOGIN = "client.conf"
USER = "workbench"
FILE_BYTES_MAX = 4096


class LoginError(Exception):
    """The file cannot be used. The message says why."""


def make_login(folder: Path) -> None:
    """Choose a password. OSError when the disk refuses, or there is one."""
    handle = os.open(folder / LOGIN, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write("\n".join(f"{name}={value}" for name, value in _settings(secrets.token_urlsafe(18)).items()) + "\n")


def read_login(folder: Path) -> Credentials:
    """Whom the brokers of this run serve. LoginError when that cannot be known: then nobody may be served."""
    try:
        with os.fdopen(os.open(folder / LOGIN, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            lines = file.read(FILE_BYTES_MAX).decode().splitlines()
        fields = dict(line.split("=", 1) for line in lines if line)
        credentials = Credentials(fields["sasl.username"], fields["sasl.password"])
    except (OSError, ValueError, KeyError) as error:
        raise LoginError(f"{LOGIN} cannot be used ({type(error).__name__})") from error
    if not credentials.user or not credentials.password:
        raise LoginError(f"{LOGIN} has no user or no password")
    return credentials


def _settings(password: str) -> dict[str, str]:
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": USER,
        "sasl.password": password,
    }
