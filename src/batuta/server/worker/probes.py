"""What a worker process answers over HTTP, at `metrics_host` and `metrics_port`, to requests that name an allowed host.

/healthz    the process lives
/readyz     what it depends on answers, and its background work goes on
/metrics    Prometheus
"""

import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.responses import JSONResponse, Response

from batuta.observability.processes import MULTIPROCESS_VARIABLE
from batuta.observability.standard import Observers
from batuta.server.config import Settings
from batuta.server.http.middleware import Receive, Scope, Send
from batuta.server.meta.service import Health
from batuta.server.startup import serving

log = logging.getLogger("batuta.server")


@asynccontextmanager
async def worker_probes(settings: Settings, observers: Observers, health: Health) -> AsyncIterator[str | None]:
    """Answer while the block runs; under which address, if any."""
    try:
        family = socket.AF_INET6 if ":" in settings.metrics_host else socket.AF_INET
        listening = socket.create_server((settings.metrics_host, settings.metrics_port), family=family)
    except OSError as error:
        log.warning(
            "health and metrics are not served on %s:%d (%s); set BATUTA_METRICS_PORT, or share one /metrics by %s",
            settings.metrics_host,
            settings.metrics_port,
            error,
            MULTIPROCESS_VARIABLE,
        )
        yield None
        return
    port = listening.getsockname()[1]
    async with serving(WorkerProbes(observers, health), settings, listening):
        yield f"http://{settings.metrics_host}:{port}"


class WorkerProbes:
    """The application of a worker."""

    def __init__(self, observers: Observers, health: Health) -> None:
        self._metrics = None if observers.metrics is None else observers.metrics.app()
        self._health = health

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["path"] == "/metrics" and self._metrics is not None:
            await self._metrics(scope, receive, send)
        else:
            await (await self._response(scope["path"]))(scope, receive, send)

    async def _response(self, path: str) -> Response:
        if path == "/healthz":
            return JSONResponse({"status": "ok"})
        if path == "/readyz":
            found = await self._health.ask()
            return JSONResponse(found.body(), status_code=200 if found.is_ready else 503)
        return Response(status_code=404)
