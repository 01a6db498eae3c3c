"""Folders that are named by an address, in any file system that Spark reaches: brought here, and taken there.

A trace is read and tables are kept in folders of this machine, which can be locked and renamed. What is asked for by
address is copied from there first, and what was made is copied there at the end, by Hadoop's own file systems.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.support.refusal import ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ANSWER_SECONDS = 12
"""How long a file system gets for its first answer; some would try again for minutes."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""s3a://bucket, hdfs:/folder, file:///folder."""


def is_address(named: str | None) -> bool:
    """Whether it names a folder by the address of a file system, not by a path of this machine."""
    return named is not None and _ADDRESS.match(named) is not None


class Elsewhere:
    """A folder in a file system of Hadoop."""

    def __init__(self, session: SparkSession, address: str) -> None:
        """Refusal when there is no such file system, or when it does not answer."""
        self._shown = safe_text(address, 200)
        jvm: Any = session._jvm
        self._hadoop = jvm.org.apache.hadoop.fs
        self._folder = self._told(self._hadoop.Path, address)
        configuration: Any = session.sparkContext._jsc.hadoopConfiguration()

        def first() -> Any:
            system = self._folder.getFileSystem(configuration)
            return system, bool(system.exists(self._folder))

        pool = ThreadPoolExecutor(1)
        try:
            answer = pool.submit(first)
            self._system, self.exists = self._told(answer.result, ANSWER_SECONDS)
        except TimeoutError as error:
            raise Refusal(ENVIRONMENT, f"'{self._shown}': no answer within {ANSWER_SECONDS} s") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def fetch(self, folder: Path) -> None:
        """Copy what is there to a folder of this machine, in place of what that held. Refusal when there is nothing."""
        if not self.exists:
            raise Refusal(ENVIRONMENT, f"'{self._shown}': there is no such folder")
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        here = self._here(folder)
        self._told(self._system.copyToLocalFile, False, self._folder, here, True)

    def put(self, root: Path, made: Iterable[Path]) -> None:
        """Copy files and folders below root there, each in place of the one of its name."""
        for path in made:
            target = self._hadoop.Path(self._folder, path.relative_to(root).as_posix())
            here = self._here(path)
            self._told(self._replace, here, target)

    def _here(self, path: Path) -> Any:
        """Hadoop takes each sign of a name for itself: nothing is written as %3D."""
        return self._hadoop.Path(f"file://{path}")

    def _replace(self, here: Any, target: Any) -> None:
        self._system.delete(target, True)
        self._system.mkdirs(target.getParent())
        self._system.copyFromLocalFile(False, True, here, target)

    def _told(self, work: Callable[..., Any], *given: Any) -> Any:
        """What the work gives; what Hadoop says against it becomes a Refusal in one sentence."""
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        try:
            return work(*given)
        except (Py4JJavaError, PySparkException) as error:
            exception: Any = getattr(error, "java_exception", None)
            lines = str(error if exception is None else exception.toString()).strip().splitlines()
            raise Refusal(ENVIRONMENT, f"'{self._shown}': {safe_text(lines[0], 300)}") from error
