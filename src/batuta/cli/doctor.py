"""`batuta doctor`: is everything there that the platform needs?

What a check needs is loaded with the check: most installations need neither the ERP's client nor a database driver.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from batuta.cli.common import ConfigFile, DataDir, settings_from
from batuta.cli.output import out, version
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.kernel.errors import BatutaError, ConfigurationError
from batuta.knowledge.extract.language_data import installed_languages
from batuta.llm.providers import OFFLINE_MODEL, PROVIDERS, default_model
from batuta.server.config import STATIC, Settings
from batuta.server.supervision import NotReadyError

ENOUGH_BYTES = 500_000_000
STARTING_CHECKS, STARTING_WAIT_SECONDS = 30, 0.1
"""What was opened a moment ago may still be connecting."""
Finding = tuple[bool, str]


def doctor(config: ConfigFile = None, data_dir: DataDir = None) -> None:
    """Check versions, database, Redis, keys, models, ERP, disk and web application; exit code 1 if one is wrong."""
    settings = settings_from(config, data_dir=data_dir)
    findings = [
        *_machine(settings),
        *asyncio.run(_stores(settings)),
        *_models(settings),
        asyncio.run(_embeddings(settings)),
        (True, _text_recognition()),
        *asyncio.run(_erp(settings)),
    ]
    for is_well, words in findings:
        out.print(f"{'[green]✓[/]' if is_well else '[red]✗[/]'} {words}", highlight=False)
    raise SystemExit(int(not all(is_well for is_well, _ in findings)))


def _machine(settings: Settings) -> list[Finding]:
    python = ".".join(str(part) for part in sys.version_info[:3])
    free = shutil.disk_usage(_nearest(settings.data_dir)).free
    return [
        (sys.version_info >= (3, 11), f"Python {python}, Batuta {version()}"),
        (free > ENOUGH_BYTES, f"{free / 1e9:.1f} GB free where data is kept ({settings.data_dir})"),
        ((STATIC / "index.html").is_file(), "the web application is built" if STATIC.is_dir() else "run `make web`"),
    ]


async def _stores(settings: Settings) -> list[Finding]:
    kind = "PostgreSQL" if settings.database_url is not None else "SQLite"
    if settings.database_url is None and not settings.database_file.exists():
        return [_can_begin(settings.data_dir)]
    try:
        async with asyncio.timeout(10):
            return await (_embedded(settings) if settings.database_url is None else _distributed(settings))
    except ConfigurationError as error:
        return [(False, f"{kind}: {error}")]
    except Exception as error:
        return [(False, f"{kind} does not answer: {str(error) or type(error).__name__}")]


async def _embedded(settings: Settings) -> list[Finding]:
    async with SqliteEventLog(settings.database_file) as log:
        durable = await log.durability()
    return [(True, f"SQLite answers; acknowledged means {durable.mode}")]


async def _distributed(settings: Settings) -> list[Finding]:
    from batuta.server.backends import open_backends
    from batuta.server.database.upgrade import is_exempt

    async with open_backends(settings) as store:
        durable = await store.log.durability()
        exempt = await store.database.read(is_exempt)
        words = "sees through row-level security: use one that is no superuser"
        return [
            (True, f"PostgreSQL answers; acknowledged means {durable.mode}"),
            *[await _answers(name, check) for name, check in store.checks.items()],
            (not exempt, f"the database role {words if exempt else 'is held to row-level security'}"),
        ]


async def _embeddings(settings: Settings) -> Finding:
    """Whether the embedding model answers, by one word."""
    name = settings.embedding_model
    if name is None:
        return True, "documents are searched by words alone; set BATUTA_EMBEDDING_MODEL to search by meaning too"
    from batuta.knowledge.vectors.arithmetic import numpy
    from batuta.llm.embedding_factory import embedding_client

    try:
        numpy()
        found = await embedding_client(name).embed(["word"], "question")
    except BatutaError as error:
        return False, f"embedding model {name}: {error}"
    return True, f"embedding model {name}: vectors of {len(found.vectors[0])} numbers"


def _text_recognition() -> str:
    languages = installed_languages()
    if languages:
        return f"text recognition: {', '.join(languages)}"
    return (
        "text recognition: none, scans and pictures are not read; "
        'pip install "batuta-ai[ocr]" and apt install tesseract-ocr-eng tesseract-ocr-spa'
    )


_STAGES = {"sign_in": "sign-in", "routing": "address", "company": "company", "permission": "permission"}


async def _erp(settings: Settings) -> list[Finding]:
    """The connection to the ERP, stage by stage up to the first that fails."""
    if settings.erp_url is None:
        words = "none is connected; set BATUTA_ERP_URL" if settings.database_url else "the sandbox of the platform"
        return [(True, f"ERP: {words}")]
    from batuta.server.erp.connection import erp_access

    try:
        access = erp_access(settings)
    except ConfigurationError as error:
        return [(False, f"ERP: {error}")]
    if access is None:
        return []
    try:
        found = await access.connector.diagnose()
    finally:
        await access.connector.close()
    limit = settings.erp_amount_limit
    words = "none is set: any amount is approved by the one who asks" if limit is None else f"{limit:,}"
    amounts = (True, f"ERP limit of amounts (BATUTA_ERP_AMOUNT_LIMIT): {words}")
    return [*((one.is_ok, f"ERP {_STAGES[one.stage]}: {one.message}") for one in found), amounts]


def _can_begin(folder: Path) -> Finding:
    """Whether the first start could make its file there; looking changes nothing."""
    place = _nearest(folder)
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        return False, f"SQLite: {folder} cannot be made or written; choose another with --data-dir or BATUTA_DATA_DIR"
    return True, "SQLite: there is no database yet; the first `batuta serve` makes it"


def _nearest(folder: Path) -> Path:
    """The folder itself, or the first one above it that there is."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())


async def _answers(name: str, check: Callable[[], Awaitable[object]]) -> Finding:
    for is_last in (*[False] * STARTING_CHECKS, True):
        try:
            await check()
        except NotReadyError as error:
            if is_last:
                return False, f"{name}: {error}"
            await asyncio.sleep(STARTING_WAIT_SECONDS)
        except Exception as error:
            return False, f"{name} does not answer (everything works without it, a moment later): {error}"
        else:
            break
    return True, f"{name} answers"


def _models(settings: Settings) -> list[Finding]:
    keys = sorted(
        {name for name, provider in PROVIDERS.items() for key in provider.key_variables if os.environ.get(key)}
    )
    models = ", ".join(settings.models) or default_model()
    words = "the built-in offline model (no key is set)" if models == OFFLINE_MODEL else models
    return [(True, f"model: {words}"), (True, f"keys: {', '.join(keys) or 'none'}")]
