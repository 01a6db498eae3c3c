"""Which machines a Spark master URL names: this one alone, or others too."""

from __future__ import annotations

import socket
from contextlib import closing
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from workbench.support.refusal import ENVIRONMENT, USAGE, Refusal
from workbench.support.safe_text import safe_text

CONNECT, STANDALONE = "sc://", "spark://"
REACH_S = 10.0
"""How long a cluster's masters get, all together, to take a connection: Spark itself would ask for a minute."""


def check_master(master: str | None) -> None:
    """Refusal for what no session of ours can be made on; whatever else is wrong with it Spark says."""
    if master is None:
        return
    if not master.strip():
        raise Refusal(USAGE, "--master: empty; leave it out for this machine, or name one, as spark://HOST:PORT")
    if master.lower().startswith(CONNECT):
        why_not = "Spark Connect is not supported, the driver has to be here; name the cluster's own master"
        raise Refusal(USAGE, f"--master: '{safe_text(master, 100)}': {why_not}, as spark://HOST:PORT")


def is_local(master: str) -> bool:
    """Threads of this very process, or of one that it starts itself."""
    return master.startswith("local")


def stays_here(master: str) -> bool:
    """Whether nothing of the session has to be reached from another machine.

    A standalone master that is named by a loopback address, or by a name that leads to nothing else, has its workers
    on this machine too: from elsewhere nobody would find it by that name.
    """
    if is_local(master):
        return True
    if not master.startswith(STANDALONE):
        return False
    hosts = [_host(part) for part in master.removeprefix(STANDALONE).split(",")]
    return all(host is not None and _is_here(host) for host in hosts)


def check_reachable(master: str) -> None:
    """Refusal when none of the standalone masters takes a connection, before Java is started for it."""
    parts = master.removeprefix(STANDALONE).split(",") if master.startswith(STANDALONE) else []
    why = ""
    for part in parts:
        try:
            place = urlsplit(f"//{part}")
            if place.hostname is None or place.port is None:
                return  # Spark has its own words for that
            with closing(socket.create_connection((place.hostname, place.port), REACH_S / len(parts))):
                return
        except ValueError:
            return
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    if parts:
        way_out = "start it, or leave --master out for this machine"
        raise Refusal(ENVIRONMENT, f"--master: nothing answers at '{safe_text(master, 100)}' ({why}): {way_out}")


def _host(part: str) -> str | None:
    """HOST:PORT or [HOST]:PORT."""
    try:
        return urlsplit(f"//{part}").hostname
    except ValueError:
        return None


def _is_here(host: str) -> bool:
    try:
        addresses = {str(item[4][0]) for item in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return False
    return all(map(_is_loopback, addresses))


def _is_loopback(address: str) -> bool:
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped.is_loopback
    return parsed.is_loopback
