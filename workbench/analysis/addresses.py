"""What the commands of Spark do with a folder or file that is named by an address: its copy here, and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.analysis.store.address import Elsewhere, is_address
from workbench.analysis.store.claim import out_folder
from workbench.support.safe_text import safe_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Addresses:
    """What stands at addresses, through one session of Spark; nothing of it is started where none is named."""

    def __init__(self, named: Iterable[str | None], home: Path, master: str | None) -> None:
        """Start Spark if one of these is an address.

        Args:
            named: what was typed.
            home: the data folder; copies are kept in it.
            master: Spark master URL.
        """
        self._home = home
        self.session: SparkSession | None = None
        """For what comes after too."""
        if not any(map(is_address, named)):
            return
        from workbench.analysis.report.console import Progress
        from workbench.analysis.spark import make_session, running_session

        with Progress() as progress:
            progress.tell("starting Spark, some seconds", 0, 1)
            self.session = running_session() or make_session(master)

    def here(self, named: str) -> str:
        """The path on this machine of what is named; copied from its address, if it is one. Refusal when it cannot."""
        if self.session is None or not is_address(named):
            return named
        folder = self._place(named)
        Elsewhere(self.session, named).fetch(folder)
        return str(folder)

    def _place(self, named: str) -> Path:
        digest = sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:12]
        return (self._home / "fetched" / digest / (Path(named).name or "all")).absolute()

    def check(self, named: str | None) -> None:
        """Refusal when it is an address that cannot be reached."""
        if self.session is not None and named is not None and is_address(named):
            Elsewhere(self.session, named)

    def put(self, named: str | None, root: Path, made: Iterable[Path]) -> None:
        """Copy what was made below root to an address, if it is one."""
        if self.session is not None and named is not None and is_address(named):
            Elsewhere(self.session, named).put(root, made)
            print(f"what was made is in {safe_text(named, 200)} too")

    def tables(self, named: str | None) -> Path | None:
        """The output folder of an analysis with those tables of this version that stand at an address, if it is one."""
        from workbench.analysis.store.tables import MARKER
        from workbench.analysis.store.version import this_version

        if self.session is None or named is None or not is_address(named):
            return None
        folder, part = self._place(named), f"{this_version()}/tables"
        Elsewhere(self.session, f"{named.rstrip('/')}/{part}").fetch(folder / part)
        (folder / MARKER).touch()
        return folder

    @contextmanager
    def campaign(self, named: str | None) -> Iterator[Path | None]:
        """The output folder of a campaign; one at an address is brought here, and taken there however the work ends."""
        from workbench.analysis.campaign.store import MARKER

        if self.session is None or named is None or not is_address(named):
            yield out_folder(named)
            return
        folder, far = self._place(named), Elsewhere(self.session, named)
        if far.exists:
            far.fetch(folder)
            (folder / MARKER).touch()
        try:
            yield folder
        finally:
            made = [path for path in folder.glob("*") if path.name != MARKER]
            self.put(named, folder, made)
