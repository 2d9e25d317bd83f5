"""The built-in model: deterministic, in process, free, and honest about what it does not know (A-40).

It sees what any model sees (system prompt, messages, tools, output structure) and takes the part that these ask for.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from decimal import Decimal
from typing import Any

from batuta.kernel.answers import Answer, Delta
from batuta.kernel.messages import ContentBlock, TextBlock
from batuta.kernel.usage import Usage
from batuta.llm.model import ModelRequest
from batuta.llm.offline.calling import next_calls
from batuta.llm.offline.phrases import phrase
from batuta.llm.offline.planning import Planner
from batuta.llm.offline.reading import cards_in, earlier_request, exchange_of, task_of, was_asked_back
from batuta.llm.offline.structures import Structure
from batuta.llm.offline.wording import answer_from, conclusion, summary_of, title_of
from batuta.llm.providers import OFFLINE_NAME, OFFLINE_PROVIDER
from batuta.llm.tokens import count_roughly, estimate_tokens

_WORDS = re.compile(r"\S*\s*")
_TITLE = re.compile(r"\btitle\b", re.IGNORECASE)
_SUMMARY = re.compile(r"\bsummar(?:y|ise|ize)\b", re.IGNORECASE)
_DECLINED = re.compile(r"^The task: (?P<task>.*?)\n(?P<agent>\S+) says: ", re.DOTALL)


class OfflineModel:
    """A small intent grammar over the agents and tools it is shown."""

    provider = OFFLINE_PROVIDER
    name = OFFLINE_NAME

    async def generate(self, request: ModelRequest) -> Answer:
        """Answer once."""
        return _answer(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """Answer word by word."""
        answer = _answer(request)
        for word in _WORDS.findall(answer.text)[:-1]:
            yield Delta("text", word)
        yield answer


def _answer(request: ModelRequest) -> Answer:
    calls = next_calls(request)
    words = "" if calls else _text(request)
    content: tuple[ContentBlock, ...] = calls or (TextBlock(text=words),)
    output = count_roughly(words) + sum(count_roughly(call.name + json.dumps(call.args)) for call in calls)
    return Answer(
        content=content,
        model=OFFLINE_NAME,
        provider=OFFLINE_PROVIDER,
        usage=Usage(input=estimate_tokens(request), output=output),
        cost=Decimal(0),
    )


def _text(request: ModelRequest) -> str:
    if request.output is not None:
        return json.dumps(_structured(request, request.output.schema), ensure_ascii=False)
    if exchange_of(request):
        return _from_tools(request)
    task = task_of(request)
    if task.results and not request.tools:
        return conclusion(task)
    for pattern, write in _PROSE:
        if pattern.search(request.system):
            return write(task.text)
    return str(Planner(cards_in(request.system)).decision(task).get("answer") or phrase("unknown_alone", task.language))


def _from_tools(request: ModelRequest) -> str:
    newest = {result.tool_use_id for result in request.tool_results}
    done = exchange_of(request)
    return answer_from([pair for pair in done if pair[1].tool_use_id in newest] or done[-1:], task_of(request))


def _structured(request: ModelRequest, schema: Mapping[str, Any]) -> Any:
    properties = set(schema.get("properties", ()))
    cards = cards_in(request.system)
    if cards and {"steps", "answer"} <= properties:
        return Planner(cards).decision(task_of(request), earlier_request(request), is_reply=was_asked_back(request))
    if cards and {"agent_id", "reason"} <= properties:
        return _reassigned(request)
    return Structure(schema, task_of(request).text).value()


def _reassigned(request: ModelRequest) -> dict[str, Any]:
    """Another agent for a task, if one knows it."""
    task = task_of(request)
    declined = _DECLINED.search(task.text)
    text, agent = (declined["task"], declined["agent"]) if declined else (task.text, None)
    others = tuple(card for card in cards_in(request.system) if card.agent_id != agent)
    return {"agent_id": Planner(others).best_agent(text), "reason": phrase("reasoning", "en")}


_PROSE: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = ((_TITLE, title_of), (_SUMMARY, summary_of))
"""Jobs that a system prompt names."""
