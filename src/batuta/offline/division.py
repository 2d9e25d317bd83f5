"""A request that asks for several things, divided where each piece is a request."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from batuta.language.annotation import annotated
from batuta.language.choices import words_with_places
from batuta.language.dates import find_dates
from batuta.language.dialogue import refers_back
from batuta.language.expressions import find_expression, is_one_sum, needs_last_result
from batuta.language.findings import Language, TextSpan
from batuta.language.folding import composed, fold, stem
from batuta.language.interpretation import Interpretation
from batuta.language.matching import without_pronoun
from batuta.language.slots import slot_spans
from batuta.language.stance import orders_by_verb, stance_of, text_at_hand
from batuta.language.times import find_times
from batuta.language.vocabulary import CHANGE_VERBS, CONCEPTS, filler_stems
from batuta.offline.amendments import LONGEST_PRONOUN
from batuta.offline.context import is_bare

_STRONG = re.compile(
    r"(?<=[?!;])\s+(?=\S)|(?<!\bDr)(?<!\bDra)(?<!\bSr)(?<!\bSra)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bProf)(?<!\bSt)\.\s+(?=[A-ZÁÉÍÓÚÑ¿¡])|\n+|"
    r"\s*[,;.]?\s+(?:and\s+then|and\s+after\s+that|after\s+that|then|y\s+luego|y\s+despu[eé]s|y\s+entonces|luego|despu[eé]s)[,:]?\s+(?!del?\b)|"
    r"\s*[,.]?\s+(?:and\s+also|as\s+well\s+as|also|y\s+tambi[eé]n|y\s+adem[aá]s|adem[aá]s|tambi[eé]n)[,:]?\s+",
    re.IGNORECASE,
)
"""Between requests."""
_WEAK = re.compile(r"\s*,?\s+(?:and|y|e)\s+(?!(?:media|cuarto)\b)|\s*,\s+(?=\w+\s+\w+)", re.IGNORECASE)
"""May join words as well as requests: it divides only where both sides are requests."""
SEQUENCE = re.compile(r"\b(?:then|after\s+that|luego|despu[eé]s|entonces)\b", re.IGNORECASE)
_HOW_MUCH = re.compile(
    r"[^\w\d]*(?:\w+\s*){0,3},\s*(?:how\s+much|what\s+(?:do|does|will|would|is)|cuanto|a\s+cuanto|que)\b(?:\s+\w+){0,4}\W*"
)
"""After the last number of a sum: it asks for its result, and for nothing else."""
_INSTEAD = re.compile(r"\s+(?:instead|en\s+su\s+lugar|en\s+lugar\s+de\s+es[oae])\W*$")
_OBJECT_AGAIN = re.compile(r"\W*(?:(?:then|luego|despues|mejor)\s+)*(?:\w+\s+(?:it|that)\b|\w{3,}l[oa]s?\b)")
_OBJECTS_AGAIN = re.compile(r"\b(?:and|y)\s+(?:\w+\s+them\b|\w{3,}l[oa]s\b)")
_OBJECT = r"(?:(?:the|my|our|el|la|los|las|lo|mi|mis)\s|(?-i:(?=[A-ZÁÉÍÓÚÑ])))(?:(?!\b(?:to|al|a|para|and|y)\b).)+?\s+(?:to|al|a|para(?:\s+el)?)\s+"
_SHARED_VERB = re.compile(
    rf"(?P<opening>\W*(?:(?:please|pls|por\s+favor|can\s+you|could\s+you|puedes)\W+)*)(?P<verb>\w+)\s+(?P<first>{_OBJECT}(?P<when>.+?))"
    rf"\s*,?\s+(?:and|y)\s+(?P<second>{_OBJECT}(?P<then>.+?))\W*$",
    re.IGNORECASE,
)
_CHANGING = frozenset((*CHANGE_VERBS["en"], *CHANGE_VERBS["es"], *CHANGE_VERBS["es_infinitive"]))
_ANY_DAY = datetime(2026, 1, 15, 12, tzinfo=UTC)
_TWO_SUBJECTS = re.compile(
    r"(?P<opening>.*\b(?:for|on|about|of|para|sobre|de|en)\s+)(?:(?:the|los|las|el|la)\s+)?(?P<first>[^\W\d]+)"
    r"\s+(?:and|y|e)\s+(?:(?:for|on|about|of|para|sobre|de|en)\s+)?(?:(?:the|los|las|el|la)\s+)?(?P<second>[^\W\d]+)\W*$",
    re.IGNORECASE,
)
"""One question about two things: "how much for hotels and meals?"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPart:
    """A piece of a request and what it means; `follows` if it needs the piece before it."""

    text: str
    meaning: Interpretation
    follows: bool = False


def strong_pieces(text: str) -> list[tuple[str, bool]]:
    """The requests of a text, and whether each needs the one before it."""
    if text_at_hand(text):
        return [(text, False)]
    if both := _both_at_their_time(text):
        return [(each, False) for each in both]
    pieces: list[tuple[str, bool]] = []
    start, follows = 0, False
    for match in _STRONG.finditer(text):
        piece = text[start : match.start()].strip(" ,;")
        if piece:
            pieces.append((piece, follows))
            start, follows = match.end(), SEQUENCE.search(match.group()) is not None
    rest = text[start:].strip(" ,;")
    return [*pieces, (rest, follows)] if rest else pieces


def _both_at_their_time(text: str) -> list[str]:
    """Two orders that share their verb, each with its day or time: "move the demo to Friday and the call to Monday"."""
    found = _SHARED_VERB.match(composed(text))
    if found is None or without_pronoun(fold(found["verb"])) not in _CHANGING:
        return []
    if not all(
        find_dates(f"el {found[side]}", now=_ANY_DAY) or find_times(f"at {found[side]}") for side in ("when", "then")
    ):
        return []
    return [f"{found['opening']}{found['verb']} {found[side]}" for side in ("first", "second")]


def weak_joints(text: str, now: datetime, language: Language) -> list[re.Match[str]]:
    """Where a text may be divided: not within a sum, nor a period such as "between the 1st and the 15th of May"."""
    if text_at_hand(text):
        return []
    source = annotated(text, now=now, reader=language)
    whole = [each.span for each in source.findings.get("any_period", ())]
    numbers = [each.span for each in source.findings.get("number", ())]
    if numbers and is_one_sum(text, source.expression, language=source.language):
        is_asked_after = _HOW_MUCH.fullmatch(fold(text[numbers[-1].end :])) is not None
        end = TextSpan(start=numbers[0].start, end=len(text)) if is_asked_after else numbers[-1]
        whole.append(numbers[0].joined(end))
    return [
        match
        for match in _WEAK.finditer(text)
        if not any(span.start < match.start() and match.end() <= span.end for span in whole)
    ]


def two_subjects(text: str) -> list[str]:
    """A question about two different things as two questions; nothing where it is one."""
    two = _TWO_SUBJECTS.match(text)
    if two is None:
        return []
    groups = [
        {name for name, words in CONCEPTS.items() if fold(two[side]) in words.split()} for side in ("first", "second")
    ]
    are_two = all(groups) and not groups[0] & groups[1]
    return [f"{two['opening']}{two[side]}" for side in ("first", "second")] if are_two else []


def continues_a_sum(part: RequestPart) -> bool:
    """Whether a sum goes on from the result before it."""
    has_expression = any(slot.type == "expression" for slot in part.meaning.intent.slots)
    return has_expression and "expression" not in part.meaning.values and needs_last_result(part.text)


def is_read_whole(meaning: Interpretation) -> bool:
    """Whether an intent's own reader took the whole request: what an `and` joins there is its business."""
    return meaning.is_sure and any(slot.is_conclusive and slot.name in meaning.values for slot in meaning.intent.slots)


def without_instead(text: str) -> str:
    """What is asked for in the place of what was cancelled, without the word that says so; nothing where it does not."""
    said = _INSTEAD.search(fold(text))
    return text[: said.start()].rstrip(" ,") if said else ""


def completes(whole: Interpretation, left: Interpretation) -> bool:
    """Whether a whole says more of an intent than its left side: "… at 9 Rome time, what time is that here?"."""
    if whole.label != left.label or not whole.is_sure or whole.missing:
        return False
    kept = [slot.name for slot in whole.intent.slots if slot.type.startswith("zone")]
    return any(whole.values.get(name) != left.values.get(name) for name in kept)


def shares_object(whole: Interpretation, left: Interpretation, right: Interpretation) -> bool:
    """Whether both sides are said of what only the right one names: "the cost and the price of item 1007"."""
    is_read = whole.intent.reads_every_word and whole.is_sure and not whole.missing and not whole.unknown
    return is_read and whole.label == right.label != left.label


def adds_a_name(whole: Interpretation, left: Interpretation, right: str, now: datetime) -> bool:
    """Whether a side only names another of what the whole is about: "sales of Ana, Luis and Marta"."""
    is_read = whole.intent.reads_every_word and not whole.missing and not whole.unknown and whole.label == left.label
    source = annotated(right, now=now)
    slots = [slot for slot in whole.intent.slots if slot.is_narrowing and slot.is_many] if is_read else []
    spans = [span for slot in slots for span in slot_spans(slot, source)]
    return bool(spans) and all(
        stem(word) in filler_stems() or any(span.start <= start and end <= span.end for span in spans)
        for word, start, end in words_with_places(source.text)
    )


def says_nothing(right: Interpretation) -> bool:
    """Whether a side brings its intent no value and works on no result, or gets a set reply: "…, in euros" asks for no
    exchange rate.
    """
    return (not right.values and right.intent.takes is None) or right.intent.reply is not None


def is_sum(text: str) -> bool:
    """Whether a side is a sum by itself, without a word that asks for it: "and 3 * 3"."""
    return bool(set(find_expression(text) or "") & set("+-*/"))


def changes_it(text: str, meaning: Interpretation) -> bool:
    """Whether a short order says by a pronoun what is to be changed: "…, cancel it" goes with what it follows."""
    return meaning.intent.effect == "change" and len(text.split()) <= LONGEST_PRONOUN and refers_back(text)


def replaces_it(left: Interpretation, text: str, meaning: Interpretation) -> bool:
    """Whether a side makes anew, by a pronoun, what the side before it takes away: "cancel the call and put it on Friday"
    is one change.
    """
    both = (left.intent, meaning.intent)
    return (
        all(intent.effect == "change" for intent in both)
        and left.agent_id == meaning.agent_id
        and (_OBJECT_AGAIN.match(fold(text)) or _OBJECTS_AGAIN.search(fold(text))) is not None
    )


def names_only(left: Interpretation, right: str, meaning: Interpretation) -> bool:
    """Whether a side names another thing that its left side is to change, and asks for nothing: "cancel the lunch and the
    call" lists no calls.
    """
    is_of_same = left.agent_id == meaning.agent_id and left.intent.effect == "change" != meaning.intent.effect
    return is_of_same and stance_of(right) == "order" and not orders_by_verb(right)


def says_only_when(text: str, now: datetime, language: Language) -> bool:
    """Whether a message is a day, a time or how long, and nothing that could be done then: "tomorrow at 5"."""
    found = annotated(text, now=now, reader=language).findings
    says_when = bool({"date", "time", "duration"} & found.keys()) and "person" not in found
    return says_when and is_bare(text, now, language) and not orders_by_verb(text)
