"""Who may do what in the ERP: reading, writing, posting, by company and up to an amount.

    authorize(args, call)               a tool: before a person is asked, and again before the effect
    check_right(rights, person, …)      every other way to a record: HTTP, tables of a conversation
    check_sources(access, rights, …)    rows that were read earlier
    company_for(access, name, call)     the company that a call is about

Rights come from the roles a person holds at that moment. Above the amount limit a change needs the decision of a
person who holds the approver role. A person who decides about the change of another needs the right to make it.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, Protocol

from batuta.agents.erp.access import ErpAccess, language_of
from batuta.agents.erp.measures.records import BooksReader
from batuta.agents.erp.wording import amount_in_words
from batuta.connectors.erp import ChangePreview, ErpCompany, RecordChange
from batuta.events.datasets import Provenance
from batuta.kernel.errors import BatutaError, ToolFailedError, ToolRefusedError
from batuta.language.folding import fold
from batuta.orchestration.approvals import POLICY, SESSION_POLICY
from batuta.tools.context import ToolContext
from batuta.tools.policy import APPROVAL_REASON, Authorize

ErpRight = Literal["read", "write", "post"]
ERP_RIGHTS_SERVICE = "erp_rights"
"""The name under which a run may bring its `ErpRights`; a run without any may do everything behind approval."""
COMPANY_SERVICE = "erp_company"
"""The name under which a run brings the company (its id) that its user has chosen."""
APPROVER_ROLE = "approver"
ACTION_TOOL = "run_action"
WRITING_TOOLS = frozenset({"create_record", "update_record", "delete_record", ACTION_TOOL})
"""The tools that change records; `writing` makes them."""
ALL_RIGHTS: frozenset[ErpRight] = frozenset(("read", "write", "post"))
HARMLESS_ACTIONS = frozenset({"makeOrder", "makeInvoice", "makeCorrectiveCreditMemo", "send"})
"""Actions that leave the books as they are: writing is enough for them."""
LEDGER_SUFFIX = "LedgerEntries"
"""What the entities end in whose new rows are entries in the books."""
BOOKING_FIELDS: Mapping[str, tuple[str, str]] = {"items": ("inventory", "unitCost")}
"""Fields that an ERP books where they are set, with what one of them is worth: it need not be rehearsed to be known."""
_AMOUNTS = (
    "totalAmountIncludingTax", "amountIncludingTax", "totalAmountExcludingTax", "amount", "debitAmount", "creditAmount",
    "costAmountActual", "costAmountExpected", "salesAmountActual",
)  # fmt: skip

_CURRENCY = "currencyCode"
_RATES_ENTITY = "currencyExchangeRates"

_WORDS = {
    "en": {
        "read": "you may not read the ERP{where}",
        "write": "you may not change records in the ERP{where}",
        "post": "you may not post documents in the ERP{where}",
        "where": " in the company {company}",
        "role": "{amount} is above the limit of {limit}: a user with the role {role} has to approve it",
        "decider": "nothing was done: the person who approved it has no right to decide about this change{where}",
        "unseen": "what it would book cannot be found out: {error}",
        "hint": ". Nothing was done; ask an administrator for the right",
    },
    "es": {
        "read": "no tienes permiso para leer el ERP{where}",
        "write": "no tienes permiso para cambiar registros del ERP{where}",
        "post": "no tienes permiso para registrar documentos en el ERP{where}",
        "where": " en la empresa {company}",
        "role": "{amount} supera el límite de {limit}: tiene que aprobarlo alguien con el rol {role}",
        "decider": "no se ha hecho nada: quien lo ha aprobado no tiene permiso para decidir sobre este cambio{where}",
        "unseen": "no se puede saber qué registraría: {error}",
        "hint": ". No se ha hecho nada; pide el permiso a un administrador",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErpPermission:
    """What holders of a role may do."""

    may: frozenset[ErpRight] = ALL_RIGHTS
    companies: tuple[str, ...] = ()
    """Names of companies, or parts of them; none for every company."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErpPolicy:
    """The permissions of an ERP by role. Without any, every user may do everything behind approval."""

    roles: Mapping[str, ErpPermission] = field(default_factory=dict)
    amount_limit: Decimal | None = None
    """In the currency of the books; what moves more is decided by a holder of the approver role."""

    def allows(self, held: frozenset[str], right: ErpRight, company: ErpCompany | None) -> bool:
        """Whether one of the roles gives a right, in a company if one is named."""
        if not self.roles:
            return True
        given = [self.roles[role] for role in held if role in self.roles]
        return any(right in one.may and _covers(one.companies, company) for one in given)


class ErpRights(Protocol):
    """What the person of a run may do, as it is now."""

    @property
    def policy(self) -> ErpPolicy:
        """The permissions of this ERP."""
        ...

    async def roles_of(self, user_id: str) -> frozenset[str]:
        """The roles a person of the same workspace holds at this moment; none for other users."""
        ...


async def check_right(
    rights: ErpRights, user_id: str, right: ErpRight, company: ErpCompany | None, *, language: str = "en"
) -> None:
    """Raises `ToolRefusedError`, in words for the person, if none of their roles gives the right there."""
    if rights.policy.roles:
        _require(rights.policy, await rights.roles_of(user_id), right, company, language)


async def check_sources(
    access: ErpAccess, rights: ErpRights, user_id: str, sources: Iterable[Provenance], *, language: str = "en"
) -> None:
    """Raises `ToolRefusedError` if rows were read from a company that the person may not read any more.

    A company that the ERP does not show any more is known by the name that the rows keep.
    """
    if not rights.policy.roles:
        return
    for name in sorted({one.company or "" for one in sources if one.connector == access.connector.name}):
        try:
            company = await access.company(name)
        except ToolFailedError:
            company = ErpCompany(id="", name=name, display_name=name)
        await check_right(rights, user_id, "read", company, language=language)


async def readable_companies(rights: ErpRights, user_id: str, companies: Sequence[ErpCompany]) -> list[ErpCompany]:
    """Those of the companies whose records the person may read."""
    if not rights.policy.roles:
        return list(companies)
    held = await rights.roles_of(user_id)
    return [one for one in companies if rights.policy.allows(held, "read", one)]


async def company_for(access: ErpAccess, name: str, context: ToolContext) -> ErpCompany:
    """The company a call is about: the one it names, else the one its user chose, else the first they may read.

    Raises `ToolFailedError` for a name that none has, or several; it names only companies that the user may read.
    """
    known = await companies_for(access, context)
    wanted = name or str(context.services.get(COMPANY_SERVICE) or "")
    if wanted:
        return await access.company(wanted, shown=known)
    return known[0] if known else await access.company()


async def companies_for(access: ErpAccess, context: ToolContext) -> Sequence[ErpCompany]:
    """The companies that the user of a call may read."""
    rights = _rights(context)
    companies = await access.companies()
    return companies if rights is None else await readable_companies(rights, context.user.id or "", companies)


def authorize_reading(access: ErpAccess) -> Authorize:
    """Whether the person may read, in the company that is asked about."""

    async def authorize(args: dict[str, Any], context: ToolContext) -> str | None:
        rights = _rights(context)
        if rights is not None and rights.policy.roles:
            company = await company_for(access, str(args.get("company") or ""), context)
            await check_right(rights, context.user.id or "", "read", company, language=language_of(context))
        return None

    return authorize


ChangeOf = Callable[[Mapping[str, Any], ToolContext], Awaitable[tuple[ErpCompany, RecordChange]]]
"""The change that arguments stand for, and the company it is in."""


def authorize_writing(access: ErpAccess, change_of: ChangeOf) -> Authorize:
    """Whether the person may write or post; the role that a decision about it needs."""

    async def authorize(args: dict[str, Any], context: ToolContext) -> str | None:
        rights = _rights(context)
        if rights is None:
            return None
        company, change = await change_of(args, context)
        user, language, limit = context.user.id or "", language_of(context), rights.policy.amount_limit
        words = _WORDS[language]
        right = right_to(change.kind, change.action)
        await check_right(rights, user, right, company, language=language)
        await _check_decider(rights, context, right, company)
        may_post = rights.policy.allows(await rights.roles_of(user), "post", company)
        if limit is None and may_post:
            return None
        try:
            shown = await access.connector.preview(company.id, change)
            rates = {} if limit is None else await _rates(access, company, shown)
        except BatutaError as error:
            raise ToolRefusedError(words["unseen"].format(error=error)) from error
        if _books(change, shown):
            await check_right(rights, user, "post", company, language=language)
            await _check_decider(rights, context, "post", company)
        amount = _amount(change, shown, rates)
        if limit is None or amount <= limit:
            return None
        said = words["role"].format(
            amount=amount_in_words(amount, "money", None, language),
            limit=amount_in_words(limit, "money", None, language),
            role=APPROVER_ROLE,
        )
        if not context.approved_by:
            context.enrich(**{APPROVAL_REASON: said[0].upper() + said[1:]})
        elif APPROVER_ROLE not in await rights.roles_of(context.approved_by):
            raise ToolRefusedError(said + words["hint"])
        return APPROVER_ROLE

    return authorize


def right_to(kind: str, action: str | None) -> ErpRight:
    """The right that a kind of change needs at least; what it would book is found out by its preview."""
    return "post" if kind == "action" and action not in HARMLESS_ACTIONS else "write"


async def _check_decider(rights: ErpRights, context: ToolContext, right: ErpRight, company: ErpCompany) -> None:
    """Raises `ToolRefusedError` if another person approved a change that they might not make themselves.

    Rules of the program decide for the person who asks, who was checked.
    """
    decider = context.approved_by.removeprefix(SESSION_POLICY)
    if not rights.policy.roles or decider in ("", context.user.id) or decider.startswith(POLICY):
        return
    if not rights.policy.allows(await rights.roles_of(decider), right, company):
        words = _WORDS[language_of(context)]
        raise ToolRefusedError(words["decider"].format(where=_where(company, words)))


def _rights(context: ToolContext) -> ErpRights | None:
    found: ErpRights | None = context.services.get(ERP_RIGHTS_SERVICE)
    return found


def _require(
    policy: ErpPolicy, held: frozenset[str], right: ErpRight, company: ErpCompany | None, language: str
) -> None:
    if policy.allows(held, right, company):
        return
    words = _WORDS[language]
    is_elsewhere = company is not None and policy.allows(held, right, None)
    where = _where(company, words) if is_elsewhere and company is not None else ""
    raise ToolRefusedError(words[right].format(where=where) + words["hint"])


def _covers(names: tuple[str, ...], company: ErpCompany | None) -> bool:
    if not names or company is None:
        return True
    known = fold(f"{company.name} {company.display_name}")
    return any(fold(name) in known for name in names)


def _books(change: RecordChange, shown: ChangePreview) -> bool:
    """Whether entries arise in the books, whatever kind of change brings them."""
    is_set = change.entity in BOOKING_FIELDS and BOOKING_FIELDS[change.entity][0] in change.values
    return is_set or any(row.entity.endswith(LEDGER_SUFFIX) and row.before != row.after for row in shown.rows)


def _where(company: ErpCompany, words: Mapping[str, str]) -> str:
    return words["where"].format(company=company.display_name.rstrip("."))


async def _rates(access: ErpAccess, company: ErpCompany, shown: ChangePreview) -> Mapping[str, Decimal]:
    """What one unit of each foreign currency of the touched records is worth in that of the books, today."""
    kept = [values for row in shown.rows for values in (row.before, row.after) if values]
    codes = {str(values.get(_CURRENCY) or "") for values in kept} - {""}
    if not codes or _RATES_ENTITY not in access.catalogue.entities:
        return {}
    books = await access.books(company.id)
    reader = BooksReader(books)
    return {code: await reader.rate(code, books.today) for code in sorted(codes - {books.currency})}


def _amount(change: RecordChange, shown: ChangePreview, rates: Mapping[str, Decimal]) -> Decimal:
    """How much a change moves: the largest amount that it is given, of the records it touches, and of its entries."""
    dearest = max([*rates.values(), Decimal(1)])
    found = [_largest(change.values) * dearest]
    for row in shown.rows:
        before, after = row.before or {}, row.after or {}
        is_booked = row.entity.endswith(LEDGER_SUFFIX)  # in the currency of the books
        rate = Decimal(1) if is_booked else _rate(before or after, rates, dearest)
        found += [_largest(before) * rate, _largest(after) * rate]
        if row.entity in BOOKING_FIELDS:
            quantity, worth = BOOKING_FIELDS[row.entity]
            moved = abs(_decimal(after.get(quantity)) - _decimal(before.get(quantity)))
            found.append(moved * max(_decimal(before.get(worth)), _decimal(after.get(worth))))
    return max(found)


def _rate(values: Mapping[str, Any], rates: Mapping[str, Decimal], dearest: Decimal) -> Decimal:
    """The rate of a record's own currency; lines keep none, and count as if in the dearest there is."""
    return rates.get(str(values[_CURRENCY]), Decimal(1)) if values.get(_CURRENCY) else dearest


def _largest(values: Mapping[str, Any]) -> Decimal:
    amounts = [_decimal(values.get(name)) for name in _AMOUNTS]
    children = [value for value in values.values() if isinstance(value, list)]
    amounts += [sum((_line(line) for line in lines if isinstance(line, Mapping)), Decimal(0)) for lines in children]
    return max(abs(amount) for amount in amounts)


def _line(line: Mapping[str, Any]) -> Decimal:
    price = line.get("unitPrice", line.get("directUnitCost", line.get("unitCost")))
    return _decimal(line.get("quantity")) * _decimal(price)


def _decimal(value: Any) -> Decimal:
    try:
        found = Decimal(str(value)) if isinstance(value, (int, float, str, Decimal)) else Decimal(0)
    except InvalidOperation:
        return Decimal(0)
    return found if found.is_finite() else Decimal(0)
