"""The signs of a lesson's figures, and what stands for each where there is no UTF-8: one for one."""

from __future__ import annotations

COLUMNS = 60
ASCII = dict(zip("─│◀▶▲▼●○█░·", "-|<>^v*o#..", strict=True)) | dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯", "+")
_TABLE = str.maketrans(ASCII)


def as_ascii(line: str) -> str:
    """The line of a figure without a sign beyond ASCII; as wide as before."""
    return line.translate(_TABLE)


def strange_sign(line: str) -> str:
    """The first sign of a line that no figure may have; empty when there is none."""
    return next((sign for sign in line if sign not in ASCII and not (sign.isascii() and sign.isprintable())), "")
