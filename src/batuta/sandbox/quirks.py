"""Where Business Central differs from what a reader of OData expects: one table, with a mark of how each is known.

Two manners: `bc` copies the service, also its silent traps; `teach` refuses what the service would silently get wrong
and names the trap. Rows marked `unverified` were not seen on a tenant: one recorded session can settle them here.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from batuta.sandbox.errors import BadRequestError, SandboxError


class Manner(StrEnum):
    BC = "bc"
    TEACH = "teach"


class QuirkSource(StrEnum):
    DOCS = "docs"
    """Stated in Microsoft's documentation."""
    SOURCE = "source"
    """Seen in the source of the API pages."""
    METADATA = "metadata"
    """Seen in a captured metadata document."""
    ISSUE = "issue"
    """Reported in a public issue."""
    UNVERIFIED = "unverified"
    """A guess that a tenant has to settle."""


class Treatment(StrEnum):
    REFUSE = "refuse"
    IGNORE = "ignore"
    """The part of the request has no effect, and nothing says so."""


@dataclass(frozen=True, kw_only=True)
class Quirk:
    source: QuirkSource
    bc: Treatment
    teach: Treatment
    message: str
    code: str = "BadRequest"
    status: int = 400


QUIRKS: Final[dict[str, Quirk]] = {
    "or_over_two_fields": Quirk(
        source=QuirkSource.DOCS, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="Application_FilterErrorException",
        message="'or' joins tests of one field only; these name {detail}. Send two requests, or filter by one field.",
    ),
    "in_needs_schema_2_1": Quirk(
        source=QuirkSource.ISSUE, bc=Treatment.IGNORE, teach=Treatment.REFUSE,
        message="Without $schemaversion=2.1 Business Central ignores 'in' silently and gives every row. Add "
        "$schemaversion=2.1, or write the values with 'or'.",
    ),
    "nested_call_needs_schema_2_1": Quirk(
        source=QuirkSource.DOCS, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="BadRequest_MethodNotImplemented",
        message="A function inside a function needs $schemaversion=2.1.",
    ),
    "lambda": Quirk(
        source=QuirkSource.DOCS, bc=Treatment.IGNORE, teach=Treatment.REFUSE,
        message="Business Central ignores any() and all() silently and gives every row. Filter the child set instead.",
    ),
    "unsupported_function": Quirk(
        source=QuirkSource.DOCS, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="BadRequest_MethodNotImplemented",
        message="The function '{detail}' is not supported; these are: startswith, endswith, contains, substring, "
        "tolower, toupper.",
    ),
    "two_field_comparison": Quirk(
        source=QuirkSource.UNVERIFIED, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="BadRequest_MethodNotImplemented",
        message="A field is compared with a value, not with another field.",
    ),
    "navigation_in_filter": Quirk(
        source=QuirkSource.UNVERIFIED, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="BadRequest_MethodNotImplemented",
        message="The filter names '{detail}': fields of other records cannot be filtered by.",
    ),
    "orderby_on_a_query": Quirk(
        source=QuirkSource.DOCS, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="BadRequest_MethodNotImplemented",
        message="{detail} is a query: its rows come in an order of their own.",
    ),
    "deep_patch": Quirk(
        source=QuirkSource.DOCS, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        message="'{detail}' cannot be changed through its parent: send one request for each record.",
    ),
    "null_value": Quirk(
        source=QuirkSource.UNVERIFIED, bc=Treatment.IGNORE, teach=Treatment.IGNORE,
        message="A null is taken as the unset value of its type, in bodies and in filters.",
    ),
    "enum_by_caption": Quirk(
        source=QuirkSource.UNVERIFIED, bc=Treatment.IGNORE, teach=Treatment.IGNORE,
        message="An enum value may be given by its caption ('Credit Memo', ' ') as well as by its encoded name.",
    ),
    "read_only_field": Quirk(
        source=QuirkSource.DOCS, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="BadRequest_InvalidOperation",
        message="The field '{detail}' is read-only.",
    ),
    "missing_if_match": Quirk(
        source=QuirkSource.DOCS, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="BadRequest_InvalidToken",
        message="A change needs an If-Match header with the ETag of the record, or '*'.",
    ),
    "missing_filter": Quirk(
        source=QuirkSource.SOURCE, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="Application_DialogException",
        message="{detail}",
    ),
    "rolled_back_part": Quirk(
        source=QuirkSource.UNVERIFIED, bc=Treatment.REFUSE, teach=Treatment.REFUSE, status=424,
        message="{detail}",  # OData allows 424 for what was rolled back; what Business Central shows was not seen
    ),
    "customer_payment_sign": Quirk(
        source=QuirkSource.UNVERIFIED, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="Application_DialogException",
        message="{detail}: the amount of a customer's payment must be negative.",
    ),
    "vendor_payment_sign": Quirk(
        source=QuirkSource.UNVERIFIED, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="Application_DialogException",
        message="{detail}: the amount of a payment to a vendor must be positive.",
    ),
    "vendor_invoice_number_of_an_order": Quirk(
        source=QuirkSource.UNVERIFIED, bc=Treatment.IGNORE, teach=Treatment.IGNORE,
        message="A purchase order has no field for the number of the vendor's invoice: the posted invoice gets that of "
        "the order. A tenant with mandatory external document numbers may refuse receiveAndInvoice instead.",
    ),
    "payments_are_posted_by_journals": Quirk(
        source=QuirkSource.SOURCE, bc=Treatment.IGNORE, teach=Treatment.IGNORE,
        message="Payment journals have no action to post: journals({same id})/Microsoft.NAV.post posts them.",
    ),
    "cancel_of_a_paid_document": Quirk(
        source=QuirkSource.UNVERIFIED, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="Application_DialogException",
        message="{detail} cannot be cancelled: it is paid or applied, at least in part.",
    ),
    "second_correction": Quirk(
        source=QuirkSource.UNVERIFIED, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        code="Application_DialogException",
        message="{detail}",
    ),
    "data_access_intent_on_write": Quirk(
        source=QuirkSource.DOCS, bc=Treatment.REFUSE, teach=Treatment.REFUSE,
        message="Data-Access-Intent: ReadOnly goes with GET only.",
    ),
}  # fmt: skip

DEFAULT_FILTERS: Final[dict[str, tuple[str, str]]] = {
    "journals": ("templateDisplayName", "GENERAL"),
}
"""Sets that show only a part of their rows unless the filter names this property or the id (known from the source)."""


@dataclass(frozen=True, kw_only=True)
class Quirks:
    """The table read in one manner."""

    manner: Manner = Manner.TEACH
    has_schema_2_1: bool = False
    """Whether the request says `$schemaversion=2.1`."""

    def meet(self, name: str, detail: str = "") -> None:
        """Refuse what the table refuses in this manner; come back where the request goes on without that part."""
        quirk = QUIRKS[name]
        if (quirk.bc if self.manner is Manner.BC else quirk.teach) is Treatment.REFUSE:
            raise self.refusal(name, detail)

    def refusal(self, name: str, detail: str = "") -> SandboxError:
        return quirk_refusal(name, detail)


def quirk_refusal(name: str, detail: str = "") -> SandboxError:
    """The error of a row that both manners refuse."""
    quirk = QUIRKS[name]
    return BadRequestError(quirk.message.replace("{detail}", detail), code=quirk.code, status=quirk.status)
