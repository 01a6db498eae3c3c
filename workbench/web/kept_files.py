"""Tells the service worker of a site which files it keeps, and the digest of each."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

SERVICE_WORKER = "service_worker.js"
NONE = "const FILES = {};"
"""What stands there before."""
LEFT_OUT = ("docs/",)
"""A tab does not need the documentation."""


def list_files(site: Path) -> None:
    """Write the list into the site's service worker: once, when all other files are there."""
    worker = site / SERVICE_WORKER
    names = (path.relative_to(site).as_posix() for path in sorted(site.rglob("*")) if path.is_file())
    kept = [name for name in names if name != SERVICE_WORKER and not name.startswith((*LEFT_OUT, "."))]
    digests = {name: hashlib.sha256((site / name).read_bytes()).hexdigest() for name in kept}
    source = worker.read_text("utf-8")
    assert NONE in source, "a list is written once"
    worker.write_text(source.replace(NONE, f"const FILES = {json.dumps(digests, indent=1)};"), "utf-8")
