"""The table of quirks: every row is used, marked, and means what it says in both manners."""

import re
from pathlib import Path

import pytest

from batuta.sandbox import quirks
from batuta.sandbox.errors import SandboxError
from batuta.sandbox.quirks import QUIRKS, Manner, Quirks, QuirkSource, Treatment

CODE = "\n".join(each.read_text(encoding="utf-8") for each in Path(quirks.__file__).parent.rglob("*.py"))
DESCRIBED_ONLY = {
    "null_value",
    "enum_by_caption",
    "vendor_invoice_number_of_an_order",
    "payments_are_posted_by_journals",
}
"""What the codecs and the posting do in both manners; listed so that a session on a tenant can settle it."""


@pytest.mark.parametrize("name", QUIRKS)
def test_every_row_is_met_somewhere(name: str) -> None:
    assert bool(re.search(rf'(meet|refusal)\(\s*"{name}"', CODE)) != (name in DESCRIBED_ONLY)


@pytest.mark.parametrize("name", QUIRKS)
@pytest.mark.parametrize("manner", Manner)
def test_a_row_is_refused_or_ignored_as_the_table_says(name: str, manner: Manner) -> None:
    quirk = QUIRKS[name]
    treatment = quirk.bc if manner is Manner.BC else quirk.teach
    if treatment is Treatment.IGNORE:
        Quirks(manner=manner).meet(name, "x")
        return
    with pytest.raises(SandboxError) as refused:
        Quirks(manner=manner).meet(name, "x")
    assert (refused.value.code, refused.value.status) == (quirk.code, quirk.status)


def test_what_teach_refuses_and_bc_ignores_are_the_silent_traps() -> None:
    traps = {name for name, quirk in QUIRKS.items() if (quirk.bc, quirk.teach) == (Treatment.IGNORE, Treatment.REFUSE)}
    assert traps == {"in_needs_schema_2_1", "lambda"}
    assert all(QUIRKS[name].source is not QuirkSource.UNVERIFIED for name in traps)
