"""A connection checked stage by stage: sign-in, routing, company, permission. The first that fails is said, and why.

sign_in      do the credentials give a token, and is it accepted?
routing      does the address lead to the API?
company      is there a company to work with?
permission   may its records be read?
"""

import re
from collections.abc import Awaitable, Callable, Sequence

from batuta.connectors.erp import Diagnosis, DiagnosisStage, ErpCompany
from batuta.connectors.faults import FaultKind, fault_in_words, fault_of
from batuta.kernel.errors import BatutaError

STAGES: tuple[DiagnosisStage, ...] = ("sign_in", "routing", "company", "permission")

_FAILED_STAGE: dict[FaultKind, DiagnosisStage] = {
    "sign_in": "sign_in",
    "permission": "permission",
    "company": "company",
}
"""The stage that a fault belongs to; every other one keeps the service from being reached as it should."""


_REFERS_HERE = re.compile(r"; `batuta doctor` [^.]*")
"""What sends people elsewhere to this diagnosis."""


async def diagnosed(
    sign_in: Callable[[], Awaitable[object]],
    companies: Callable[[], Awaitable[Sequence[ErpCompany]]],
    probe: Callable[[ErpCompany], Awaitable[object]],
) -> list[Diagnosis]:
    """Check the stages in order. `sign_in` gets a token, `probe` reads something of a company."""
    try:
        await sign_in()
    except BatutaError as error:
        return [_failed("sign_in", error)]
    try:
        found = await companies()
    except BatutaError as error:
        return _up_to(_FAILED_STAGE.get(fault_of(error) or "refused", "routing"), error)
    passed = [_passed("sign_in", "the sign-in is accepted"), _passed("routing", "the address leads to the API")]
    if not found:
        words = "no company is visible to this connection; give the app access to one in the ERP"
        return [*passed, Diagnosis(stage="company", is_ok=False, message=words)]
    try:
        await probe(found[0])
    except BatutaError as error:
        stage = _FAILED_STAGE.get(fault_of(error) or "refused", "company")
        return _up_to(stage, error, prefix=f"{found[0].display_name}: ")
    names = ", ".join(company.display_name for company in found)
    return [
        *passed,
        _passed("company", f"{len(found)} visible: {names}"),
        _passed("permission", f"records of {found[0].display_name} can be read"),
    ]


_PASSED_WORDS: dict[DiagnosisStage, str] = {
    "sign_in": "the sign-in is accepted",
    "routing": "the address leads to the API",
    "company": "there is a company",
    "permission": "records can be read",
}


def _up_to(stage: DiagnosisStage, error: BatutaError, prefix: str = "") -> list[Diagnosis]:
    before = STAGES[: STAGES.index(stage)]
    return [*(_passed(one, _PASSED_WORDS[one]) for one in before), _failed(stage, error, prefix)]


def _passed(stage: DiagnosisStage, message: str) -> Diagnosis:
    return Diagnosis(stage=stage, is_ok=True, message=message)


def _failed(stage: DiagnosisStage, error: BatutaError, prefix: str = "") -> Diagnosis:
    words = _REFERS_HERE.sub("", fault_in_words(error, "en"))
    return Diagnosis(stage=stage, is_ok=False, message=prefix + words)
