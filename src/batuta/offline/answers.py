"""Answers in words: from tool results, from the results of a plan, and titles."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from batuta.kernel.messages import ToolCallBlock, ToolResultBlock
from batuta.language.detection import tells_language
from batuta.language.findings import Language
from batuta.language.folding import fold, stems_of, words_of
from batuta.language.lexicon import MONTH_NAMES, WEEKDAY_NAMES
from batuta.language.vocabulary import STOP_WORDS
from batuta.offline.evidence import cited_answer, is_evidence
from batuta.offline.phrases import phrase, says_nothing, unknown_words
from batuta.offline.requests import StepOutcome, Task, content_of
from batuta.offline.tables import chart_in_words, is_chart, is_table, table_in_words

MAX_TITLE_CHARS = 60
MAX_TITLE_WORDS = 7
MAX_LISTED = 20
MAX_SUMMARY_CHARS = 600

_NOT_APPROVED = re.compile(r"was not approved(?:: (?P<reason>.*))?$", re.DOTALL)
_FAILURE = re.compile(r"^[\w-]+ (?:failed|refused): ", re.IGNORECASE)
_SOURCE_NUMBER = re.compile(r"\s*\[\d+\]$")
_KNOWN_FAILURES = (
    (re.compile(r"is no arithmetic"), "no_arithmetic"),
    (re.compile(r"division by zero"), "division_by_zero"),
)
"""What a calculator says, by the phrase that says it in the language of the request."""
_STOPS = {language: frozenset(words.split()) for language, words in STOP_WORDS.items()}


def answer_from(results: list[tuple[ToolCallBlock, ToolResultBlock]], task: Task) -> str:
    """What the newest results say, in the language of the request."""
    values = [content_of(result) for _, result in results]
    if values and all(is_evidence(value) for value in values):
        searches = [
            (str(call.args.get("query", task.text)), tuple(call.args.get("other_wordings") or ()), value)
            for (call, _), value in zip(results, values, strict=True)
        ]
        return cited_answer(searches, task.language)
    said = [_in_words(call, result, task) for call, result in results]
    return "\n".join(dict.fromkeys(said))


def has_changed(result: ToolResultBlock) -> bool:
    """Whether a result says that something was changed: that is said, whatever came of the calls after it."""
    value = content_of(result)
    return not result.is_error and isinstance(value, Mapping) and value.get("is_changed") is True


def conclusion(task: Task) -> str:
    """The results of a plan, each with the numbers of its sources. Of several agents that were asked the same, those
    that know nothing are left out.
    """
    lines = []
    outcomes = _known_ones(task.results)
    if len(outcomes) == 1 and len(task.results) > 1 and not outcomes[0].is_missing:
        text = outcomes[0].text
        return _SOURCE_NUMBER.sub("", text) if says_nothing(text) else text
    for outcome in outcomes:
        if outcome.is_missing:
            reason = outcome.text.partition(") ")[2] or outcome.text
            text = phrase("step_missing", task.language, task=outcome.task or outcome.agent, reason=reason)
            lines.append(f"- {text}")
        else:
            lines.append(f"- {outcome.text}")
    return "\n".join(lines) or phrase("nothing_found", task.language)


def _known_ones(outcomes: Sequence[StepOutcome]) -> list[StepOutcome]:
    """Of agents that were asked the same, the ones that know it; where none does, the last one that says so."""
    return [each for each in outcomes if not any(_gives_way(each, to=other) for other in outcomes)]


def _gives_way(outcome: StepOutcome, *, to: StepOutcome) -> bool:
    """Whether what one agent says is no use beside another's: it does not know, or not about the words that count."""
    if outcome.task != to.task or outcome is to or to.is_missing:
        return False
    if says_nothing(outcome.text):
        return outcome.number < to.number if says_nothing(to.text) else _is_about(to.text, unknown_words(outcome.text))
    return says_nothing(to.text) and not _is_about(outcome.text, unknown_words(to.text))


def _is_about(text: str, words: str) -> bool:
    """Whether a text has what another agent did not understand: its numbers, else one of its words; all texts have none."""
    wanted = words_of(words)
    numbers = [word for word in wanted if word.isdigit()]
    said = set(words_of(text))
    if numbers:
        return said.issuperset(numbers)
    return not wanted or bool(stems_of(words) & stems_of(text))


def title_of(text: str) -> str:
    """A few words that tell a conversation from others."""
    words = text.split()
    while len(words) > 1 and fold(words[0]).strip("¿¡,.") in _STOPS["en"] | _STOPS["es"]:
        words = words[1:]
    title = " ".join(words[:MAX_TITLE_WORDS]).strip(" ¿?¡!.,;:\"'")[:MAX_TITLE_CHARS].strip()
    return title[:1].upper() + title[1:] if title else "Conversation"


def summary_of(text: str) -> str:
    """The beginning of a text, in whole sentences where possible."""
    flat = " ".join(text.split())
    if len(flat) <= MAX_SUMMARY_CHARS:
        return flat or "-"
    cut = flat[:MAX_SUMMARY_CHARS]
    return cut[: cut.rfind(". ") + 1] or f"{cut.rpartition(' ')[0] or cut} …"


def moment_in_words(moment: datetime, language: Language) -> str:
    """A date and time as people write it."""
    weekday, month = WEEKDAY_NAMES[language][moment.weekday()], MONTH_NAMES[language][moment.month - 1]
    if language == "es":
        return f"{moment:%H:%M} del {weekday}, {moment.day} de {month} de {moment.year}"
    return f"{moment:%H:%M} on {weekday}, {moment.day} {month} {moment.year}"


def number_in_words(text: str, language: Language) -> str:
    """What a calculator takes or gives, as people of a language write it."""
    if language == "en":
        return text
    listed = re.sub(r",\s*", "; ", text)
    return re.sub(r"(?<=\d)\.(?=\d)", ",", listed).replace("(rounded)", f"({phrase('rounded', language)})")


def _in_words(call: ToolCallBlock, result: ToolResultBlock, task: Task) -> str:
    if result.is_error:
        return _failed(result.content, task.language)
    value = content_of(result)
    if is_evidence(value):
        return cited_answer([(task.text, (), value)], task.language)
    if isinstance(value, Mapping):
        return _of_facts(value, task)
    if isinstance(value, list):
        return _listed(value, task.language)
    expression = call.args.get("expression")
    text = result.content if not isinstance(value, str) else value
    if not expression:
        return text
    written = [number_in_words(each, task.language) for each in (str(expression), text)]
    return phrase("equals", task.language, argument=written[0], value=written[1])


def _failed(content: str, language: Language) -> str:
    declined = _NOT_APPROVED.search(content)
    if declined is not None:
        reason = declined["reason"]
        name = "not_approved_because" if reason else "not_approved"
        return phrase(name, language, reason=reason)
    known = next((name for pattern, name in _KNOWN_FAILURES if pattern.search(content)), None)
    return phrase(known, language) if known else phrase("failed", language, reason=_FAILURE.sub("", content))


def _of_facts(facts: Mapping[str, Any], task: Task) -> str:
    """A result's own summary where it has one, a time as a time, anything else as a list of its facts.

    Of a summary in several languages the first is taken where the request is in none of them.
    """
    summary, language = facts.get("summary"), task.language
    if is_table(facts):
        return table_in_words(facts, language)
    if is_chart(facts):
        return chart_in_words(facts, language)
    if isinstance(summary, Mapping) and summary:
        asked = summary.get(language) if tells_language(task.text) else None
        return str(asked or next(iter(summary.values())))
    if isinstance(summary, str) and summary:
        return summary
    moment = _moment(facts.get("time"))
    if moment is not None and "zone" in facts:
        return phrase("at_a_time", language, zone=facts["zone"], moment=moment_in_words(moment, language))
    shown = [
        f"- {str(name).replace('_', ' ')}: {_plain(value)}"
        for name, value in facts.items()
        if value not in (None, "", [])
    ]
    return "\n".join(shown[:MAX_LISTED]) or phrase("nothing_found", language)


def _listed(items: list[Any], language: Language) -> str:
    if not items:
        return phrase("nothing_found", language)
    return "\n".join(f"- {_plain(item)}" for item in items[:MAX_LISTED])


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_plain(part)}" for name, part in value.items() if part not in (None, "", []))
    return ", ".join(map(_plain, value)) if isinstance(value, list) else str(value)


def _moment(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
