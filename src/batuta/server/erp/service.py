"""Records of the ERP for people who follow a figure to where it comes from. Reading only, with the caller's rights.

rights = ErpRightsSource(database, erp_policy(settings))
rights.of(workspace_id)        the `ErpRights` of a turn, a request, the refresh of a tile
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.naming import entity_label, field_label
from batuta.agents.erp.previews import field_text
from batuta.agents.erp.rights import (
    ACTION_TOOL,
    WRITING_TOOLS,
    ErpPermission,
    ErpPolicy,
    ErpRight,
    check_right,
    check_sources,
    readable_companies,
    right_to,
)
from batuta.connectors.business_central.catalogue import CatalogueEntity
from batuta.connectors.erp import ErpCompany, ErpRecord, RecordQuery
from batuta.connectors.odata.filters import Compare
from batuta.events.datasets import Provenance
from batuta.kernel.errors import (
    AccessDeniedError,
    BatutaError,
    ConfigurationError,
    ConnectorRejectedError,
    MissingRecordError,
    ToolFailedError,
    ToolRefusedError,
)
from batuta.language.findings import Language
from batuta.server.config import Settings
from batuta.server.database.engines import Database
from batuta.server.database.tables import users
from batuta.server.problems import ForbiddenProblem, NotFoundProblem
from batuta.server.security.ownership import Caller
from batuta.server.security.preferences import PreferenceReader


def erp_policy(settings: Settings) -> ErpPolicy:
    """The permissions that the settings name."""
    roles = {
        role: ErpPermission(may=frozenset(given.may), companies=given.companies)
        for role, given in settings.erp_roles.items()
    }
    return ErpPolicy(roles=roles, amount_limit=settings.erp_amount_limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceErpRights:
    """The `ErpRights` of a turn: roles are read whenever they are asked for, in the workspace of the turn alone."""

    database: Database
    """One that shows all users: the approver is another user."""
    workspace_id: str
    policy: ErpPolicy

    async def roles_of(self, user_id: str) -> frozenset[str]:
        """The roles of a user who is not disabled."""
        query = sa.select(users.c.roles).where(
            users.c.user_id == user_id, users.c.workspace_id == self.workspace_id, users.c.is_disabled.is_(False)
        )
        stored = await self.database.read(lambda connection: connection.execute(query).scalar())
        return frozenset(json.loads(stored)) if stored else frozenset()


@dataclass(frozen=True, slots=True)
class ErpRightsSource:
    """Makes the rights that hold in a workspace: one source for turns, HTTP, boards and tables."""

    database: Database
    """One that shows all users."""
    policy: ErpPolicy

    def of(self, workspace_id: str) -> WorkspaceErpRights:
        """The rights in a workspace."""
        return WorkspaceErpRights(database=self.database, workspace_id=workspace_id, policy=self.policy)


MAX_LINES = 200
UNKNOWN_COMPANY = ErpCompany(id="", name="", display_name="")
"""Of a call that names none, or one that is not there: a right in certain companies does not cover it."""
_NO_SUCH_KEY = {
    "en": "“{key}” is no key of {entity}: records are addressed by their id, not by their number.",
    "es": "«{key}» no es una clave de {entity}: los registros se piden por su id, no por su número.",
}
NAME_FIELDS = ("displayName", "customerName", "vendorName", "name", "description")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordField:
    """One field of a record, as it is shown."""

    name: str
    type: str
    value: Any
    label: str
    """What the reader's language calls it."""
    text: str
    """The value as the reader's language writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCard:
    """A record with its lines."""

    entity: str
    title: str
    """What the reader's language calls such records."""
    purpose: str
    company: ErpCompany
    number: str
    name: str
    fields: Sequence[RecordField]
    lines_entity: str = ""
    lines: Sequence[Sequence[RecordField]] = field(default_factory=tuple)


class ErpRecords:
    """Looks records up. Where no ERP is connected there are none."""

    def __init__(self, access: ErpAccess | None, rights: ErpRightsSource, preferences: PreferenceReader) -> None:
        self._access = access
        self._rights = rights
        self._preferences = preferences

    async def companies(self, caller: Caller) -> Sequence[ErpCompany]:
        """The companies of the ERP whose records the caller may read."""
        if self._access is None:
            return ()
        rights = self._rights.of(caller.workspace_id)
        return await readable_companies(rights, caller.user_id, await self._access.companies())

    async def working_company(self, caller: Caller) -> str | None:
        """The id of the company that the caller's questions are about: the chosen one, else the first they may read.

        None where there is none, or where the ERP does not answer now: a message is never held up by it.
        """
        if self._access is None:
            return None
        try:
            chosen = (await self._preferences.get(caller.user_id)).company
            ids = [one.id for one in await self.companies(caller)]
        except BatutaError:
            return None
        return chosen if chosen in ids else next(iter(ids), None)

    async def check_sources(self, caller: Caller, sources: Iterable[Provenance]) -> None:
        """See `SourceRights.check_sources`."""
        if self._access is None:
            return
        rights, language = self._rights.of(caller.workspace_id), await self._language(caller)
        try:
            await check_sources(self._access, rights, caller.user_id, sources, language=language)
        except ToolRefusedError as error:
            raise ForbiddenProblem(str(error)) from error

    async def may_see_request(self, caller: Caller, tool_name: str, args: Mapping[str, Any]) -> bool:
        """See `RequestRights.may_see_request`."""
        try:
            await self._check_request(caller, tool_name, args, "read")
        except ForbiddenProblem:
            return False
        return True

    async def may_read_all(self, caller: Caller) -> bool:
        """See `RequestRights.may_read_all`."""
        if self._access is None:
            return True
        try:
            await self._check(caller, "read", UNKNOWN_COMPANY)
        except ForbiddenProblem:
            return False
        return True

    async def check_decision(self, caller: Caller, tool_name: str, args: Mapping[str, Any]) -> None:
        """See `RequestRights.check_decision`. What a change would book is found out when it is carried out."""
        kind = "action" if tool_name == ACTION_TOOL else "change"
        await self._check_request(caller, tool_name, args, right_to(kind, str(args.get("action") or "")))

    async def _check_request(self, caller: Caller, tool_name: str, args: Mapping[str, Any], right: ErpRight) -> None:
        """Raises `ForbiddenProblem` without a right in the company that a writing tool is called for."""
        if self._access is None or tool_name not in WRITING_TOOLS or not self._rights.policy.roles:
            return
        try:
            named = str(args.get("company") or "")
            company = await self._access.company(named) if named else UNKNOWN_COMPANY
        except BatutaError:
            company = UNKNOWN_COMPANY
        await self._check(caller, right, company)

    async def record(self, caller: Caller, entity: str, key: str, company: str = "") -> RecordCard:
        """A record by its key; without a company in the one that the caller works in.

        Raises `NotFoundProblem` for one that there is not, and `ForbiddenProblem` without the right to read there.
        """
        if self._access is None:
            raise NotFoundProblem
        try:
            known = self._access.catalogue.entity(entity)
            chosen = await self._access.company(company or await self.working_company(caller) or "")
            await self._check_reading(caller, chosen)
            record = await self._read(known, chosen, key)
        except (MissingRecordError, ConfigurationError, ToolFailedError) as error:
            raise NotFoundProblem from error
        except ConnectorRejectedError as error:
            if isinstance(error, AccessDeniedError):
                raise
            raise await self._no_such_key(caller, entity, key) from error
        lines_name = next(
            (one.target for one in known.navigation.values() if one.is_collection and one.target.endswith("Lines")
             and one.name != "dimensionSetLines"), "",
        )  # fmt: skip
        language = await self._language(caller)
        return RecordCard(
            entity=known.entity_set,
            title=entity_label(known.entity_set, language),
            purpose=known.purpose,
            company=chosen,
            number=str(
                record.values.get("number") or record.values.get("entryNumber") or record.values.get("code") or ""
            ),
            name=next((str(record.values[name]) for name in NAME_FIELDS if record.values.get(name)), ""),
            fields=_fields(known, record, language),
            lines_entity=lines_name,
            lines=await self._lines(lines_name, chosen, record.id, language) if lines_name else (),
        )

    async def _no_such_key(self, caller: Caller, entity: str, key: str) -> NotFoundProblem:
        """A key that the ERP cannot even look for, such as a number where records have ids."""
        language = await self._language(caller)
        words = _NO_SUCH_KEY[language]
        return NotFoundProblem(words.format(entity=entity, key=key[:60]))

    async def _check_reading(self, caller: Caller, company: ErpCompany) -> None:
        await self._check(caller, "read", company)

    async def _check(self, caller: Caller, right: ErpRight, company: ErpCompany) -> None:
        """Raises `ForbiddenProblem` without a right in a company."""
        try:
            rights = self._rights.of(caller.workspace_id)
            await check_right(rights, caller.user_id, right, company, language=await self._language(caller))
        except ToolRefusedError as error:
            raise ForbiddenProblem(str(error)) from error

    async def _language(self, caller: Caller) -> Language:
        return (await self._preferences.get(caller.user_id)).language

    async def _read(self, known: CatalogueEntity, company: ErpCompany, key: str) -> ErpRecord:
        """By its address, or, for reports whose key is another record's, by that."""
        # a key of several parts is an address of the generic connector; reports of Business Central have one part
        assert self._access is not None
        connector = self._access.connector
        if known.key == ("id",) or len(known.key) > 1:
            return await connector.get(company.id, known.entity_set, key)
        query = RecordQuery(entity=known.entity_set, where=Compare(known.key[0], "eq", key), limit=1)
        async for page in connector.pages(company.id, query):
            if page.records:
                return page.records[0]
        raise MissingRecordError(f"there is no {known.entity_set} {key}")

    async def _lines(
        self, entity: str, company: ErpCompany, document_id: str, language: str
    ) -> list[Sequence[RecordField]]:
        assert self._access is not None
        known = self._access.catalogue.entity(entity)
        parent = next((name for name in ("documentId", "journalId") if name in known.properties), None)
        if parent is None:
            return []
        query = RecordQuery(entity=entity, where=Compare(parent, "eq", document_id), limit=MAX_LINES)
        lines: list[Sequence[RecordField]] = []
        async for page in self._access.connector.pages(company.id, query):
            lines += [_fields(known, record, language) for record in page.records]
        return lines


def _fields(known: CatalogueEntity, record: ErpRecord, language: str) -> list[RecordField]:
    """What is set, without ids and time stamps, which tell people nothing."""
    return [
        RecordField(
            name=name,
            type=one.type,
            value=_shown(value),
            label=field_label(name, language),
            text=field_text(name, record.values, language),
        )
        for name, one in known.properties.items()
        if (value := record.values.get(name)) not in ("", None, "0001-01-01", "_x0020_")
        and one.type not in ("Guid", "DateTimeOffset", "Stream")
        and not isinstance(value, (list, dict))
    ]


def _first(record: ErpRecord, names: Sequence[str]) -> str:
    return next((str(record.values[name]) for name in names if record.values.get(name)), "")


def _shown(value: Any) -> Any:
    return value.replace("_x0020_", " ").strip() if isinstance(value, str) else value
