"""The web application, as it was built into the package: files that never change under their name are kept for ever,
and texts are sent packed, as they lie packed beside themselves.
"""

import mimetypes
from dataclasses import dataclass
from pathlib import Path

from fastapi import Request, Response
from fastapi.responses import FileResponse, HTMLResponse

from batuta.server.config import STATIC
from batuta.server.http.dependencies import service_of
from batuta.server.http.guard import new_router
from batuta.server.problems import NotFoundProblem

FOR_EVER = "public, max-age=31536000, immutable"
ALWAYS_ASK = "no-cache"
PACKINGS = {"br": ".br", "gzip": ".gz"}
"""By the name a browser asks for, best first: how a packed file's name ends."""

NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Batuta</title><meta name="viewport" content="width=device-width">
<style>body{font:16px/1.6 system-ui;max-width:36rem;margin:15vh auto;padding:0 1.5rem;color:#1e293b}
code{background:#f1f5f9;padding:.15em .4em;border-radius:.3em}</style></head>
<body><h1>The server runs.</h1><p>The web application is not part of this installation.
Build it with <code>make web</code>, or use the API: <a href="/openapi.json">its description</a>,
<a href="/readyz">its state</a>.</p></body></html>
"""


@dataclass(frozen=True, slots=True)
class StaticFolder:
    """Where the built web application lies."""

    path: Path = STATIC


router = new_router(include_in_schema=False)


@router.get("/api/{path:path}")
async def no_such_api(path: str) -> None:
    """A path of the API that leads nowhere: never the application's page."""
    raise NotFoundProblem


@router.get("/{path:path}")
async def page_or_file(path: str, request: Request) -> Response:
    """A file of the application, or its page for every address it knows itself."""
    root = service_of(request, StaticFolder).path
    found = file_in(root, path)
    if found is not None:
        return _sent(found, request, FOR_EVER if path.startswith("assets/") else ALWAYS_ASK)
    if path.startswith("assets/") or "." in path.rsplit("/", 1)[-1]:
        raise NotFoundProblem
    page = root / "index.html"
    if not page.is_file():
        return HTMLResponse(NOT_BUILT, headers={"Cache-Control": ALWAYS_ASK})
    return _sent(page, request, ALWAYS_ASK)


def _sent(file: Path, request: Request, keep: str) -> Response:
    """A file, packed if it lies so and the browser can unpack it."""
    headers = {"Cache-Control": keep, "Vary": "Accept-Encoding"}
    packing = _packing(file, request.headers.get("accept-encoding", ""))
    if packing is None:
        return FileResponse(file, headers=headers)
    media_type = mimetypes.guess_type(file.name)[0]
    packed = file.with_name(file.name + PACKINGS[packing])
    return FileResponse(packed, headers={**headers, "Content-Encoding": packing}, media_type=media_type)


def _packing(file: Path, accepted: str) -> str | None:
    """The best packing that a browser takes and the file lies in."""
    offers = (offer.partition(";") for offer in accepted.lower().split(","))
    wanted = {name.strip() for name, _, quality in offers if quality.replace(" ", "") not in ("q=0", "q=0.0")}
    there = (name for name, suffix in PACKINGS.items() if file.with_name(file.name + suffix).is_file())
    return next((name for name in there if name in wanted), None)


def file_in(root: Path, path: str) -> Path | None:
    """The file of a path below a folder; nothing outside of it, however the path is written."""
    if not path:
        return None
    try:
        found = (root / path).resolve()
        is_ours = found.is_file() and found.is_relative_to(root.resolve())
    except (OSError, ValueError):  # longer than a name may be, or no name at all: then no file has it
        return None
    return found if is_ours else None
