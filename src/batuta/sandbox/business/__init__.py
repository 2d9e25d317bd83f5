"""The business behind the API: numbers, documents, posting, payments, stock, dimensions and reports.

    from batuta.sandbox.business import business_central

`business_central()` gives the `Behaviour` with everything of this package plugged in.
"""

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business import (
    dimensions,
    documents,
    journals,
    lines,
    master,
    orders,
    posting,
    quotes,
    references,
    reports,
    tables,
)


def business_central() -> Behaviour:
    """A behaviour with all rules and ledgers; references come first, since other hooks rely on what they fill in."""
    behaviour = Behaviour()
    for module in (
        tables,
        references,
        master,
        dimensions,
        documents,
        lines,
        quotes,
        posting,
        orders,
        journals,
        reports,
    ):
        module.register(behaviour)
    return behaviour
