"""Tools out of Kafka's own jars, fetched by Maven into the user's cache when it is first needed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.support.clients.driver import Unable, one_at_a_time
from tests.support.clients.driver_java import INSTALL_S, QUICK

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "kraft-workbench" / "kafka-tools-4.1.0"
POM = Path(__file__).with_name("tools") / "pom.xml"
COMMAND = "org.apache.kafka.tools.MetadataQuorumCommand"
TOOL_S = 60


class QuorumTool:
    """Runs one command against one cluster: kafka-metadata-quorum, unless another is named."""

    def __init__(self, bootstrap: str, command: str = COMMAND) -> None:
        """Unable where Java, Maven or the jars are not to be had."""
        self._bootstrap, self._command = bootstrap, command
        java, maven = shutil.which("java"), shutil.which("mvn")
        if java is None or maven is None:
            raise Unable("no java and mvn on this machine")
        self._java = java
        with one_at_a_time(CACHE):
            if not (CACHE / "done").exists():
                CACHE.mkdir(parents=True, exist_ok=True)
                fetch = [maven, "-q", "-B", "-f", str(POM)]
                fetch += ["dependency:copy-dependencies", f"-DoutputDirectory={CACHE}"]
                done = subprocess.run(fetch, capture_output=True, text=True, timeout=INSTALL_S, check=False)
                if done.returncode != 0:
                    raise Unable(f"Maven cannot fetch kafka-tools: {done.stdout[-200:]}")
                (CACHE / "done").touch()

    def run(self, *words: str) -> tuple[int, str]:
        """Exit code, and what it printed."""
        command = [self._java, *QUICK, "-cp", f"{CACHE}/*", self._command, "--bootstrap-server", self._bootstrap]
        command += words
        done = subprocess.run(command, capture_output=True, text=True, timeout=TOOL_S, check=False)
        return done.returncode, done.stdout + done.stderr
