"""The last word of a plan: what the supervisor is given, and what its words then cite.

Every source of a result has a number, behind the words that rest on it: `Hotels cost up to 130 euros. [1]`. What a
worker cited from a document stays a citation of that document; a result that cites nothing is a source itself. The
number n names the n-th citation of the answer.

The answer is the model's, its citations are code's: a number that no source has is put before the model once, as a
mistake to correct (it may be no citation at all, `list[12]`, so it then stays); an answer that names no source at all
cites every source that it was written from.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from batuta.events.conversation import AssistantMessage, Citation
from batuta.events.envelope import Event
from batuta.kernel.errors import Rejected
from batuta.orchestration.plans import Plan, PlanStep
from batuta.orchestration.supervisor import RESULTS_HEADING

LONGEST_QUOTE = 500

_NOTE = re.compile(r"^\[\^[\w-]+\]:.*(?:\n(?: {2,}|\t).*)*\n?", re.MULTILINE)
_MARK = re.compile(r"\s*\[\^([\w-]+)\]")
_NUMBER = re.compile(r"\[(\d{1,3})\]")


@dataclass(slots=True)
class Conclusion:
    """What there is to conclude from."""

    prompt: str
    sources: tuple[Citation, ...]
    """By number, from 1."""
    _has_complained: bool = field(default=False, init=False)

    def cite(self, text: str) -> tuple[Citation, ...]:
        """The sources up to the last one that a text names, so that numbers and places agree; all, if it names none."""
        known = [number for number in _numbers_in(text) if number <= len(self.sources)]
        return self.sources[: max(known, default=len(self.sources))]

    def check(self, text: str) -> None:
        """Raise `Rejected` for numbers that no source has, the first time."""
        unknown = sorted({number for number in _numbers_in(text) if number > len(self.sources)})
        if not unknown or self._has_complained:
            return
        self._has_complained = True
        invented = ", ".join(f"[{number}]" for number in unknown)
        there_are = f"the sources are [1] to [{len(self.sources)}]" if self.sources else "there is no source"
        raise Rejected(
            f"the results have no source {invented}; {there_are}",
            hint="Keep the numbers that stand in the results, behind what you take over, and add none.",
        )


def conclusion_of(plan: Plan, names: Mapping[str, str], history: Iterable[Event]) -> Conclusion:
    """Number the sources of a plan's results."""
    cited = {
        (event.source_agent_id, event.content): event.citations
        for event in history
        if isinstance(event, AssistantMessage) and event.citations
    }
    sources = _Sources()
    lines = [f"The request: {plan.query}", "", RESULTS_HEADING]
    for step in plan.steps:
        own = cited.get((step.agent_id, step.result or ""), ())
        outcome = _numbered(step, own or (_of_result(step, names),), sources)
        lines.append(f"Result {step.step_index + 1}, {names[step.agent_id]} ({step.task}): {outcome}")
    return Conclusion("\n".join(lines), tuple(sources.numbers))


def _numbers_in(text: str) -> list[int]:
    return [number for found in _NUMBER.findall(text) if (number := int(found)) > 0]


@dataclass(slots=True)
class _Sources:
    numbers: dict[Citation, int] = field(default_factory=dict)

    def number(self, citation: Citation) -> int:
        """Its number: the same for the same words of the same document."""
        bare = citation.model_copy(update={"raw": None})
        return self.numbers.setdefault(bare, len(self.numbers) + 1)


def _numbered(step: PlanStep, citations: tuple[Citation, ...], sources: _Sources) -> str:
    """What a step came to, with the numbers of its sources: where the worker marked them, else at the end."""
    if step.status != "completed":
        return f"({step.status}) {step.error or ''}".strip()
    numbers = [sources.number(citation) for citation in citations]
    text = _NOTE.sub("", step.result or "").strip()
    marks = list(dict.fromkeys(_MARK.findall(text)))
    if len(marks) != len(numbers):
        return f"{_MARK.sub('', text)} {' '.join(f'[{number}]' for number in dict.fromkeys(numbers))}"
    by_mark = dict(zip(marks, numbers, strict=True))
    return _MARK.sub(lambda mark: f" [{by_mark[mark[1]]}]", text)


def _of_result(step: PlanStep, names: Mapping[str, str]) -> Citation:
    return Citation(source=step.step_id, title=names[step.agent_id], quote=(step.result or "")[:LONGEST_QUOTE])
