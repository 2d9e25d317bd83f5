"""A change as it was asked for, before anything is looked up.

    read_request("cambia el límite de crédito de Hoteles Ribalta a 5.000", names)
        ->  ChangeRequest(act="update", entity="customers", which="Hoteles Ribalta, S.C.", values={"creditLimit": …})

Words that its readers cannot account for are kept in `unknown`: a write that leaves out a word of the request is another
write.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from batuta.agents.erp.changes.vocabulary import Act
from batuta.language.findings import Language
from batuta.language.understanding import Synonyms

Names = Mapping[str, Synonyms]
"""By kind of record, what each is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedLine:
    """So many of an item, in the person's words."""

    quantity: Decimal
    item: str
    price: Decimal | None = None
    """For one of them, where it is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRequest:
    """A change as it was asked for."""

    act: Act
    entity: str = ""
    """The entity set; empty where only a name was given."""
    which: str = ""
    """The number or name of the record it is about; of a new one, its name."""
    party: str = ""
    """The customer or vendor of a document."""
    lines: tuple[RequestedLine, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    amount: Decimal | None = None
    target: str = ""
    """What a document is to become."""
    then: tuple[str, ...] = ()
    """What is to be done with the result, in order: `post`, `pay`."""
    is_last: bool = False
    """About the document that was spoken of last: "post it"."""
    is_payment: bool = False
    """About the payment of the document, not the document."""
    is_another: bool = False
    """Another one of the same name is wanted."""
    unknown: tuple[str, ...] = ()
    language: Language = "en"
