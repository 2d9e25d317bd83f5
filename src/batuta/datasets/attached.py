"""Files that come with a message and hold tables become datasets of the conversation when one is asked for (A-6)."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from batuta.datasets.dataset import Dataset, DatasetError
from batuta.datasets.library import DatasetLibrary, dataset_id_of
from batuta.datasets.mentions import TableMention
from batuta.datasets.upload_problems import UploadRefusedError
from batuta.kernel.users import ATTACHED_TABLES_SERVICE
from batuta.tools.context import ToolContext

UPLOAD_CONNECTOR = "upload"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFile:
    """A file that came with the message."""

    file_id: str
    name: str
    is_document: bool = False
    """Whether it holds tables among other things, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedOutline:
    """What a model's request says of the files of a message, some of which hold tables."""

    names: tuple[str, ...] = ()
    mention: TableMention | None = None
    """What the message names in them; none where they were not looked into."""

    def __str__(self) -> str:
        """As JSON, for `outline_in`."""
        return json.dumps(asdict(self), ensure_ascii=False)


def outline_in(text: str) -> AttachedOutline:
    """The outline that a text holds; an empty one for no text."""
    if not text:
        return AttachedOutline()
    facts = json.loads(text)
    mention = facts["mention"]
    known = None if mention is None else TableMention(**{**mention, "unread": tuple(mention["unread"])})
    return AttachedOutline(names=tuple(facts["names"]), mention=known)


class AttachedTables(Protocol):
    """The files of a message that hold tables: a service of the run, under `ATTACHED_TABLES_SERVICE`."""

    @property
    def files(self) -> Sequence[TableFile]:
        """Those that may hold one, in the order of the message."""
        ...

    async def tables(self, file: TableFile) -> Sequence[Dataset]:
        """The tables of a file, the first sheet first. Raises `DatasetError` that says why there is none."""
        ...


async def take_attached(library: DatasetLibrary, context: ToolContext, language: str = "en") -> list[str]:
    """Keep the tables of the message's files, unless an earlier call did: their names, the first table first."""
    attached: AttachedTables | None = context.services.get(ATTACHED_TABLES_SERVICE)
    if attached is None:
        return []
    kept = await library.store.list(library.owner)
    names: list[str] = []
    for file in attached.files:
        own = dataset_id_of(library.owner.session_id, _key(context, file, 0))
        source = f"file:{file.file_id}"
        before = [
            info.name
            for info in kept
            if info.provenance.connector == UPLOAD_CONNECTOR
            and info.provenance.query.startswith(source)
            and info.dataset_id != own
        ]
        if before and not any(info.dataset_id == own for info in kept):
            names += before
            continue
        try:
            tables = await attached.tables(file)
        except DatasetError as error:
            if file.is_document and (kept or names):
                continue  # what is asked for may be about another table
            raise (error.in_language(language) if isinstance(error, UploadRefusedError) else error) from error
        for number, table in enumerate(tables):
            names.append((await library.introduce(table, context, key=_key(context, file, number))).name)
    return names


def _key(context: ToolContext, file: TableFile, number: int) -> str:
    return f"{context.idempotency_key}:{file.file_id}:{number}"
