"""The built-in model: deterministic, in process, free, and honest about what it does not know (A-40).

It sees what any model sees (system prompt, messages, tools, output structure), and what the specialists say they can be
asked, and takes the part that these ask for.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.messages import Answer, ContentBlock, Delta, TextBlock
from batuta.kernel.usage import Usage
from batuta.llm.model import ModelRequest
from batuta.llm.providers import OFFLINE_NAME, OFFLINE_PROVIDER
from batuta.offline.amendments import context_of
from batuta.offline.answers import answer_from, conclusion, has_changed, summary_of, title_of
from batuta.offline.calling import left_open, next_calls
from batuta.offline.phrases import phrase
from batuta.offline.planning import Planner
from batuta.offline.requests import exchange_of, reader_language, reader_now, task_of
from batuta.offline.structures import Structure

_WORDS = re.compile(r"\S*\s*")
_TITLE = re.compile(r"\btitle\b", re.IGNORECASE)
_SUMMARY = re.compile(r"\bsummar(?:y|ise|ize)\b", re.IGNORECASE)
_DECLINED = re.compile(r"^The task: (?P<task>.*?)\n(?P<agent>\S+) says: ", re.DOTALL)


class OfflineModel:
    """Plans, calls and answers from what the specialists bring; it has no tokens and costs nothing."""

    provider = OFFLINE_PROVIDER
    name = OFFLINE_NAME

    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock

    async def generate(self, request: ModelRequest) -> Answer:
        """Answer once."""
        return _answer(request, reader_now(request, self._clock.now()))

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """Answer word by word."""
        answer = _answer(request, reader_now(request, self._clock.now()))
        for word in _WORDS.findall(answer.text)[:-1]:
            yield Delta("text", word)
        yield answer


def _answer(request: ModelRequest, now: datetime) -> Answer:
    calls, question = next_calls(request, now)
    content: tuple[ContentBlock, ...] = calls or (TextBlock(text=question or _text(request, now)),)
    return Answer(content=content, model=OFFLINE_NAME, provider=OFFLINE_PROVIDER, usage=Usage(), cost=Decimal(0))


def _text(request: ModelRequest, now: datetime) -> str:
    if request.output is not None:
        return json.dumps(_structured(request, request.output.schema, now), ensure_ascii=False)
    if exchange_of(request):
        return "\n\n".join(part for part in (_from_tools(request), left_open(request, now)) if part)
    task = task_of(request)
    if task.results and not request.tools:
        return conclusion(task)
    for pattern, write in _PROSE:
        if pattern.search(request.system):
            return write(task.text)
    planner = Planner(request.understanding, now, language=reader_language(request))
    return phrase("unknown_alone", task.language) if not request.understanding else planner.unknown(task.language)


def _from_tools(request: ModelRequest) -> str:
    newest = {result.tool_use_id for result in request.tool_results}
    done = exchange_of(request)
    newer = [pair for pair in done if pair[1].tool_use_id in newest or has_changed(pair[1])]
    return answer_from(newer or done[-1:], task_of(request))


def _structured(request: ModelRequest, schema: Mapping[str, Any], now: datetime) -> Any:
    properties = set(schema.get("properties", ()))
    if {"ProposedPlan", "DirectAnswer"} <= schema.get("$defs", {}).keys():
        language = reader_language(request)
        planner = Planner(request.understanding, now, language=language)
        return planner.decision(task_of(request), context_of(request.messages, planner.interpreter, now, language))
    if {"agent_id", "reason"} <= properties:
        return _reassigned(request, now)
    return Structure(schema, task_of(request).text).value()


def _reassigned(request: ModelRequest, now: datetime) -> dict[str, Any]:
    """Another agent for a task, if one knows it."""
    task = task_of(request)
    declined = _DECLINED.search(task.text)
    text, agent = (declined["task"], declined["agent"]) if declined else (task.text, None)
    return {
        "agent_id": Planner(request.understanding, now, language=reader_language(request)).best_agent(
            text, without=agent
        ),
        "reason": phrase("reasoning", "en"),
    }


_PROSE: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = ((_TITLE, title_of), (_SUMMARY, summary_of))
"""Jobs that a system prompt names."""
