"""An order whose beginning was recognised, and the rest of its words, taken off one clause after another."""

import re
from dataclasses import dataclass, field

from batuta.agents.erp.changes.patterns import (
    FIELD_CLAUSE,
    LEFT_AS_IT_IS,
    SAYS_NOTHING,
    SPANISH,
    THEN,
)
from batuta.agents.erp.changes.tokens import Line
from batuta.agents.erp.changes.vocabulary import FIELDS, NOUNS
from batuta.language.findings import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedOrder:
    """An order whose beginning was recognised."""

    line: Line
    found: re.Match[str]
    language: Language

    @property
    def entity(self) -> str:
        return entity_of(self.found.groupdict().get("noun") or "")

    def scan(self) -> "OrderScan":
        """The rest of the order, what is to follow cut off its end."""
        start = self.found.start("rest")
        rest = self.found["rest"]
        then = ["pay" if step["pay"] else "post" for step in THEN.finditer(rest)]
        then = [step for step, before in zip(then, ["", *then], strict=False) if step != before]
        cut = THEN.sub("", rest)
        cut = LEFT_AS_IT_IS.sub("", cut)
        return OrderScan(line=self.line, start=start, plain=cut if rest.startswith(cut) else rest, then=tuple(then))


@dataclass
class OrderScan:
    """A stretch of words, taken off from its beginning."""

    line: Line
    start: int
    """Where it begins in the line."""
    plain: str
    then: tuple[str, ...] = ()
    unknown: list[str] = field(default_factory=list)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What stands at the beginning, if it fits."""
        self._strip()
        found = pattern.match(self.plain)
        if found is not None and found.end():
            self._advance(found.end())
            return found
        return None

    def written(self, found: re.Match[str], group: str, consumed_at: int) -> str:
        """What was written for a group of a match that was taken at a place."""
        return self.line.original(consumed_at + found.start(group), consumed_at + found.end(group))

    def skip_word(self) -> None:
        """Leave a word out; one that says something is remembered."""
        self._strip()
        word = self.plain.split(" ", 1)[0]
        if word and word not in SAYS_NOTHING:
            self.unknown.append(self.line.original(self.start, self.start + len(word)) or word)
        self._advance(len(word))

    def _strip(self) -> None:
        self._advance(len(self.plain) - len(self.plain.lstrip()))

    def _advance(self, count: int) -> None:
        self.start += count
        self.plain = self.plain[count:]


def take_field(scan: OrderScan, entity: str, language: Language) -> dict[str, str] | None:
    """A field and its value, if one is named next."""
    at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
    for name, pattern in FIELD_CLAUSE.items():
        if entity in FIELDS[name].entities and (found := scan.take(pattern)) is not None:
            return {name: scan.line.original(at + found.start("value"), at + found.end("value"))}
    return None


def record_in_words(scan_line: Line, plain: str, start: int) -> str:
    """A record in words: the registered name where it is known, else what was written."""
    named = scan_line.named(plain)
    return named.value if named else scan_line.original(start, start + len(plain))


def entity_of(noun: str) -> str:
    return next((entity for entity, words in NOUNS.items() if noun in words.split("|")), "")


def language_of_verb(verb: str) -> Language:
    """The language of an order: that of its verb. Names of records say nothing, though they have accents."""
    return "es" if verb in SPANISH else "en"


def is_past(line: Line, found: re.Match[str]) -> bool:
    """Whether the verb is a past form but for its accent: "registré" is no order, "registre" is."""
    end = found.end("verb")
    return any(
        word.at + len(word.plain) >= end > word.at and line.text[word.span.start : word.span.end][-1:] in "éóÉÓ"
        for word in line.words
    )
