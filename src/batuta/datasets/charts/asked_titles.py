"""The title that a request gives a chart: "call it Northern sales", "ponle el título «Ventas del norte»"."""

import re

from batuta.language.folding import aligned, composed

_ALONE = r"(?<![^ ,;] )"
"""Before a word that opens what is said."""
_NAMING = re.compile(
    r"(?:^|(?<=\s))(?:"
    r"(?:call|name|rename|title) (?:it|this|the chart)(?: (?:to|as))?|(?:entitled|titled)|"
    rf"(?:(?:(?:give it|with|add|set|use|change|put|and) )+|{_ALONE})(?:the |a |as |its )*title"
    r"(?: (?:to|as|should be|is|of))?|"
    r"(?:llamalo|llamala|titulalo|titulala|titulad[oa]|que se llame|renombral[oa](?: como)?)|"
    rf"(?:(?:(?:ponle|pon|ponlo|dale|con|anade|usa|cambia|cambiale|y) )+|{_ALONE})(?:de |como |el |un |por )*titulo"
    r"(?: (?:a|de|que diga))?"
    r")\s*[:=]?\s+(?P<quote>[\"'«“‘]?)(?P<title>.+)$"
)
_CLOSING = {'"': '"', "'": "'", "«": "»", "“": "”", "‘": "’"}
_KINDLY = re.compile(r"[\s,]*(?:please|por favor)?[\s.!]*$")
MAX_CHARS = 120


def asked_title(text: str) -> tuple[str, str]:
    """The title that a text asks for, as it was written, and the text without it; empty where it asks for none."""
    text = composed(text)
    match = _NAMING.search(aligned(text))
    if match is None:
        return "", text
    start, end = match.span("title")
    if match["quote"]:
        closing = text.find(_CLOSING[text[match.start("quote")]], start)
        end = closing if closing > start else end
        rest = text[end + 1 :]
    else:
        end = start + len(_KINDLY.sub("", text[start:end]))
        rest = ""
    title = text[start:end].strip()
    if not title or len(title) > MAX_CHARS:
        return "", text
    return title, f"{text[: match.start()]} {rest}"
