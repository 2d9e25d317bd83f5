"""What a request asks of a model, whichever agent sends it: read off the words any model would see."""

import json
import re
from dataclasses import dataclass
from typing import Any

from batuta.kernel.messages import Message, ToolCallBlock, ToolResultBlock
from batuta.llm.model import ModelRequest
from batuta.llm.offline.lexicon import Language
from batuta.llm.offline.words import language_of

RESULTS_HEADING = "Results of earlier steps:"
FEEDBACK_OPENING = "Your previous answer was rejected."

_CARD = re.compile(r"^- (?P<id>[^\s(]+) \((?P<name>[^\n]*?)\): (?P<text>.*)$", re.MULTILINE)
_SKILLS = re.compile(r"It can: (?P<skills>[^\n]*?)\.(?= Examples:|\s*$)")
_EXAMPLES = re.compile(r"Examples: (?P<examples>.*)$")
_QUOTED = re.compile(r'"([^"]+)"')
_RESULT = re.compile(r"^(?:\[|Result )(\d{1,3})(?:\]|,) ", re.MULTILINE)
_RESULT_PARTS = re.compile(r"(?P<name>[^(:\n]+?)(?: \((?P<task>.*?)\))?: (?P<outcome>.*)", re.DOTALL)
_ONLY_AGENT = re.compile(r"\(Use only the agent (?P<id>[^\s)]+)\.\)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """An agent as the supervisor's prompt describes it."""

    agent_id: str
    name: str
    description: str
    capabilities: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything it says about itself."""
        return (self.agent_id.replace("_", " "), self.name, self.description, *self.capabilities, *self.examples)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """The result of a plan's step as it is told to whoever goes on from it."""

    number: int
    agent: str
    task: str
    text: str

    @property
    def is_missing(self) -> bool:
        """Whether the step failed or was skipped."""
        return self.text.startswith(("(failed)", "(skipped)"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a user or supervisor asks, without what was added to it."""

    text: str
    results: tuple[StepOutcome, ...] = ()
    only_agent: str | None = None

    @property
    def language(self) -> Language:
        """The language it is asked in."""
        return language_of(self.text)


def task_of(request: ModelRequest) -> Task:
    """The last thing asked, leaving out feedback to rejected answers."""
    return _task(_last_request(request.messages))


def earlier_request(request: ModelRequest) -> str:
    """What the user asked before that, or nothing."""
    asked = [message.text for message in request.messages if message.role == "user" and not _is_feedback(message)]
    return asked[-2] if len(asked) > 1 else ""


def was_asked_back(request: ModelRequest) -> bool:
    """Whether the last thing the team said was a question."""
    spoken = [message.text for message in request.messages if message.role == "assistant"]
    return bool(spoken) and spoken[-1].rstrip().endswith("?")


def exchange_of(request: ModelRequest) -> list[tuple[ToolCallBlock, ToolResultBlock]]:
    """The tool calls made for the last request, with their results, in order."""
    later: list[Message] = []
    for message in reversed(request.messages):
        if message.role == "user" and not _is_feedback(message):
            break
        later.insert(0, message)
    calls = {call.id: call for message in later for call in message.tool_calls}
    results = [result for message in later for result in message.tool_results]
    return [(calls[result.tool_use_id], result) for result in results if result.tool_use_id in calls]


def cards_in(system: str) -> tuple[Card, ...]:
    """The agents that a system prompt lists."""
    return tuple(_card(match) for match in _CARD.finditer(system))


def outcomes_in(text: str) -> tuple[StepOutcome, ...]:
    """Numbered results, each of which may have several lines."""
    pieces = _RESULT.split(text)
    return tuple(_outcome(int(number), words) for number, words in zip(pieces[1::2], pieces[2::2], strict=False))


def content_of(result: ToolResultBlock) -> Any:
    """A tool's result: what its JSON says, or its text."""
    try:
        return json.loads(result.content)
    except (ValueError, RecursionError):
        return result.content


def _task(text: str) -> Task:
    body, _, results = text.partition(RESULTS_HEADING)
    only = _ONLY_AGENT.search(body)
    body = body[: only.start()] if only else body
    body = re.sub(r"^The request:\s*", "", body.strip())
    return Task(text=body.strip(), results=outcomes_in(results), only_agent=only["id"] if only else None)


def _last_request(messages: tuple[Message, ...]) -> str:
    asked = (message.text for message in reversed(messages) if message.role == "user" and not _is_feedback(message))
    return next(asked, "")


def _is_feedback(message: Message) -> bool:
    return message.role == "user" and message.text.startswith(FEEDBACK_OPENING)


def _card(match: re.Match[str]) -> Card:
    text = match["text"]
    skills, examples = _SKILLS.search(text), _EXAMPLES.search(text)
    end = min(found.start() for found in (skills, examples, re.search(r"$", text)) if found is not None)
    return Card(
        agent_id=match["id"],
        name=match["name"],
        description=text[:end].strip(),
        capabilities=tuple(skill.strip() for skill in skills["skills"].split(",")) if skills else (),
        examples=tuple(_QUOTED.findall(examples["examples"])) if examples else (),
    )


def _outcome(number: int, words: str) -> StepOutcome:
    parts = _RESULT_PARTS.match(words.strip())
    if parts is None:
        return StepOutcome(number=number, agent="", task="", text=words.strip())
    return StepOutcome(number=number, agent=parts["name"], task=parts["task"] or "", text=parts["outcome"].strip())
