"""What a question leaves out: "sales without Spain", "todos los clientes excepto Ana"."""

import re
from collections.abc import Sequence

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.questions.question import FigureQuestion
from batuta.language.choices import index_of
from batuta.language.findings import Finding, TextSpan
from batuta.language.folding import aligned, composed
from batuta.language.understanding import Synonyms

EXCLUSION_WORDS: Synonyms = {
    "except": (
        "except", "except for", "excepting", "excluding", "exclude", "not counting", "not including", "leaving out",
        "leave out", "ignoring", "if we leave out", "taking out", "other than", "apart from", "aside from",
        "but not", "but without", "outside", "outside of", "excepto", "a excepción de", "con excepción de", "salvo",
        "sin contar", "sin contar con", "sin incluir", "no incluyas", "aparte de", "descontando", "quitando",
        "quita", "quitamos", "si quitamos", "descontamos", "sacando", "dejando fuera", "excluyendo", "excluye",
        "pero no", "fuera de", "que no sea", "que no sean", "que no son", "menos", "without", "sin",
    )
}  # fmt: skip
"""What stands before a name that does not count."""
_ALSO_OTHERWISE = frozenset({"menos", "without", "sin", "outside", "fuera de"})
"""Words that mean something else where no name follows them."""
_UP_TO_A_NAME = re.compile(
    r"\W*(?:(?:the|those|ones|customers?|clients?|vendors?|suppliers?|items?|products?|countr(?:y|ies)|in|from|of|for|to|a|al|los?|las?|"
    r"el|de|del|en|clientes?|proveedor(?:es)?|productos?|articulos?|pais(?:es)?|categorias?|vendedor(?:es)?|ventas|compras|contar|incluir)\W+)*"
)
_AND_ALSO = re.compile(r"\W*(?:(?:y|e|o|ni|and|or|nor)\W+)?(?:(?:the|el|la|los|las|a|de|del|in|en)\W+)*")


def settle_exclusions(question: FigureQuestion, access: ErpAccess) -> None:
    """Keep names that do not count apart from those that do; a word for leaving out that leads to none is unknown."""
    question.values.pop("except", None)
    names, said = excluded_names(question.text, access)
    accounts, also = _excluded(question.text, index_of(access.names("account")).find(question.text))
    said += also
    if accounts:
        left = [name for name in question.values.get("account") or () if name not in accounts]
        question.values["without"] = [f"account: {name}" for name in accounts]
        question.values |= {"account": left} if left else {}
        if not left:
            question.values.pop("account", None)
    wanted: Sequence[str] = question.values.get("only") or ()
    question.excluding += [each.span for each in said]
    if names:
        kept = [name for name in wanted if name not in names]
        question.values["without"] = [*question.values.get("without", ()), *names]
        question.values |= {"only": kept} if kept else {}
        if not kept:
            question.values.pop("only", None)
        if any(each.text.casefold().endswith("menos") for each in said):
            question.values.pop("ranking", None)
    said += question.qualifier_findings  # "excluding VAT"
    question.unknown += [each.text for each in unused_exclusions(question.text, said)]


def excluded_names(text: str, access: ErpAccess) -> tuple[list[str], list[Finding[str]]]:
    """The names that a text says do not count, and the words that say it."""
    return _excluded(text, index_of(access.all_names(), is_names=True).find(text, takes_parts=True))


def _excluded(text: str, named: Sequence[Finding[str]]) -> tuple[list[str], list[Finding[str]]]:
    plain = aligned(composed(text))
    words = index_of(EXCLUSION_WORDS).find(text)
    names: list[str] = []
    said: list[Finding[str]] = []
    end = -1
    for each in named:
        before = next((word for word in words if _leads_to(plain, word.span, each.span)), None)
        if before is not None:
            said.append(before)
        elif end < 0 or not _AND_ALSO.fullmatch(plain[end : each.span.start]):
            continue
        names.append(each.value)
        end = each.span.end
    return list(dict.fromkeys(names)), said


def _leads_to(plain: str, word: TextSpan, name: TextSpan) -> bool:
    return word.end <= name.start and _UP_TO_A_NAME.fullmatch(plain[word.end : name.start]) is not None


def unused_exclusions(text: str, said: Sequence[Finding[str]]) -> list[Finding[str]]:
    """The words for leaving out that lead to no name, of those that mean nothing else."""
    spans = [each.span for each in said]
    return [
        each
        for each in index_of(EXCLUSION_WORDS).find(text)
        if not any(each.span.overlaps(span) for span in spans) and aligned(composed(each.text)) not in _ALSO_OTHERWISE
    ]
