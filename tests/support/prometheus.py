"""A real Prometheus and its promtool, from Debian's package."""

import json
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from tests.support.debian import Bundle
from tests.support.servers import Server
from tests.support.workplace import Workplace

PROMETHEUS = Bundle(name="prometheus", packages=("prometheus",), program="usr/bin/prometheus")


class PrometheusServer(Server):
    """Scrapes the given targets every 200 ms and knows the given rules."""

    name = "prometheus"
    stop_signal = signal.SIGTERM

    def __init__(self, targets: list[str], rules: Path | None = None, place: Workplace | None = None) -> None:
        super().__init__(place)
        self._installation = self.place.reachable(PROMETHEUS.unpacked())
        self._config = self.directory / "prometheus.yml"
        settings: dict[str, Any] = {
            "global": {"scrape_interval": "200ms", "scrape_timeout": "200ms", "evaluation_interval": "200ms"},
            "scrape_configs": [{"job_name": "batuta", "static_configs": [{"targets": targets}]}],
        }
        if rules is not None:
            copy = self.directory / "rules.yml"
            copy.write_bytes(rules.read_bytes())
            self.place.hand_over(copy)
            settings["rule_files"] = [str(copy)]
        self._config.write_text(json.dumps(settings))
        self.place.hand_over(self._config)

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The vector an expression gives now."""
        answer = self._get(f"/api/v1/query?{urllib.parse.urlencode({'query': expression})}")
        found: list[dict[str, Any]] = answer["data"]["result"]
        return found

    def rules(self) -> list[dict[str, Any]]:
        """Every rule it loaded, with its health."""
        return [rule for group in self._get("/api/v1/rules")["data"]["groups"] for rule in group["rules"]]

    def _get(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as response:
            return json.load(response)

    def _command(self) -> list[str]:
        return [
            str(self._installation / PROMETHEUS.program),
            f"--config.file={self._config}",
            f"--storage.tsdb.path={self.directory / 'data'}",
            f"--web.listen-address=127.0.0.1:{self.port}",
            "--web.console.templates=/nowhere",
            "--web.console.libraries=/nowhere",
        ]

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=1) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def promtool(*arguments: str, text: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Run promtool; what it says about the text is in the result."""
    program = PROMETHEUS.unpacked() / "usr/bin/promtool"
    return subprocess.run([str(program), *arguments], input=text, capture_output=True, timeout=60, check=False)
