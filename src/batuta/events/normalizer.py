"""What a foreign LangGraph graph returned, as canonical events in the order it happened.

    state.messages -> per message, by its provider's adapter -> events
                      after its requests, the results that answer them

Provider-agnostic: whatever depends on a provider is asked of an adapter.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from batuta.events.adapters.base import ProviderAdapter
from batuta.events.adapters.langchain import metadata_of
from batuta.events.adapters.plain import clean, fields_or_empty, member, optional_text, plain, readable
from batuta.events.adapters.registry import adapter_for, is_known
from batuta.events.envelope import Event
from batuta.events.routing import is_internal
from batuta.events.tools import ToolRequest, ToolResponse
from batuta.kernel.errors import MalformedAnswerError
from batuta.kernel.ids import session_id as canonical_session_id
from batuta.kernel.usage import Usage

_MODEL_ROLES = ("ai", "assistant", "AIMessageChunk", "model")
_TOOL_ROLES = ("tool", "function", "ToolMessageChunk")
_USER_ROLES = ("human", "user", "HumanMessageChunk")
_HANDOFF_BACK_MARK = "__is_handoff_back"
_HANDOFF_BACK_TOOL = "transfer_back_to_"


def normalize(state: Any, adapter: ProviderAdapter, *, session_id: str, agent_id: str) -> list[Event]:
    """The canonical events of a graph's final state, `original_index` counting from 1.

    `state` is a mapping or an object with `messages`, and perhaps `tool_executions` and `used_model`. `adapter` reads
    the messages that do not say who their provider is. Raises `MalformedAnswerError` for a message of a model that is
    none, and `ValueError` for a session id that is no UUID.
    """
    session = canonical_session_id(session_id)
    messages = _list_in(state, "messages")
    walk = _Walk(
        adapter=adapter,
        agent_id=agent_id,
        used_model=optional_text(plain(member(state, "used_model", "usedModel"))),
        results=_Results(messages, _list_in(state, "tool_executions", "toolExecutions")),
    )
    events = walk.events(messages)
    return [
        event.model_copy(update={"session_id": session, "original_index": index})
        for index, event in enumerate(events, start=1)
    ]


class ModelCall(NamedTuple):
    """What one model call of a foreign graph took, as its message says."""

    provider: str
    model: str
    usage: Usage


def calls_in(state: Any, adapter: ProviderAdapter) -> list[ModelCall]:
    """The model calls behind a graph's messages, in order. A message that does not say what it took is left out."""
    used_model = optional_text(plain(member(state, "used_model", "usedModel")))
    calls = []
    for message in _list_in(state, "messages"):
        own = _adapter_of(message, adapter)
        usage = own.extract_usage(message) if _role(message) in _MODEL_ROLES else None
        if usage is not None:
            calls.append(ModelCall(own.name, _model_of(message) or used_model or "unknown", usage))
    return calls


def _model_of(message: Any) -> str | None:
    metadata = metadata_of(message)
    named = (metadata.get(name) for name in ("model_name", "model", "model_id"))
    return next((text for text in map(optional_text, named) if text), None) or optional_text(
        plain(member(message, "model"))
    )


def _adapter_of(message: Any, given: ProviderAdapter) -> ProviderAdapter:
    """The adapter of the provider a message names, the given one if it names none or the same."""
    metadata = metadata_of(message)
    provider = optional_text(metadata.get("model_provider")) or optional_text(metadata.get("ls_provider"))
    if provider is None or not is_known(provider):
        return given
    found = adapter_for(provider)
    return given if found.name == given.name else found


def _list_in(state: Any, *names: str) -> Sequence[Any]:
    found = member(state, *names)
    if found is None:
        return ()
    if not isinstance(found, list | tuple):
        raise MalformedAnswerError(f"{names[0]} of a state are no list but {type(found).__name__}", provider="unknown")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """What one tool call brought, wherever the state says so."""

    tool_use_id: str
    tool_name: str
    content: str
    success: bool
    error: str | None
    duration_ms: float
    is_marked: bool = False


class _Results:
    """The results of a state by tool use id, each handed out once: executions first, tool messages for the rest."""

    def __init__(self, messages: Sequence[Any], executions: Sequence[Any]) -> None:
        executed = _by_id(_execution(record) for record in executions)
        answered = _by_id(result for message in messages for result in _results_in(message))
        self._left = {
            call_id: [*executed.get(call_id, []), *answered.get(call_id, [])[len(executed.get(call_id, [])) :]]
            for call_id in {**executed, **answered}
        }

    def take(self, tool_use_id: str) -> _Result | None:
        """The next result of a call, if one came."""
        waiting = self._left.get(tool_use_id)
        return waiting.pop(0) if waiting else None

    def rest(self, requested: set[str]) -> Iterator[_Result]:
        """Results of calls that no message of the state asked for."""
        for call_id, waiting in self._left.items():
            yield from waiting if call_id not in requested else ()


def _by_id(results: Iterable[_Result]) -> dict[str, list[_Result]]:
    found: dict[str, list[_Result]] = {}
    for result in results:
        found.setdefault(result.tool_use_id, []).append(result)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    """One pass over the messages."""

    adapter: ProviderAdapter
    agent_id: str
    used_model: str | None
    results: _Results

    def events(self, messages: Sequence[Any]) -> Iterator[Event]:
        """The events of all messages. A result without a request comes where its message stands, or at the end."""
        made = [self._events_of(message) if _role(message) in _MODEL_ROLES else None for message in messages]
        requested = {request.tool_use_id for events in made for request in _requests(events or ())}
        for message, events in zip(messages, made, strict=True):
            if events is not None:
                yield from events
                yield from self._answers(events)
            else:
                yield from self._orphans(message, requested)
        for result in self.results.rest(requested):
            yield _response(result, self.agent_id)

    def _events_of(self, message: Any) -> list[Event]:
        agent_id = _agent_of(message) or self.agent_id
        is_marked = _is_handoff_back(message)
        events = _adapter_of(message, self.adapter).normalize_message(message, 1)
        return [self._stamped(event, agent_id, is_marked) for event in events]

    def _stamped(self, event: Event, agent_id: str, is_marked: bool) -> Event:
        tool_name = getattr(event, "tool_name", None)
        facts: dict[str, Any] = {
            "source_agent_id": agent_id,
            "is_internal": is_internal(event.type, tool_name=tool_name, is_marked=is_marked),
        }
        if self.used_model and getattr(event, "model", None) == "unknown":
            facts["model"] = self.used_model
        return event.model_copy(update=facts)

    def _answers(self, events: Sequence[Event]) -> Iterator[Event]:
        """The results of a message's calls, in call order; a call whose result never came has none."""
        for request in _requests(events):
            if (result := self.results.take(request.tool_use_id)) is not None:
                yield _response(result, request.source_agent_id or self.agent_id, request)

    def _orphans(self, message: Any, requested: set[str]) -> Iterator[Event]:
        for found in _results_in(message):
            result = None if found.tool_use_id in requested else self.results.take(found.tool_use_id)
            if result is not None:
                yield _response(result, _agent_of(message) or self.agent_id)


def _requests(events: Iterable[Event]) -> Iterator[ToolRequest]:
    """What the graph itself had to run."""
    return (event for event in events if isinstance(event, ToolRequest) and not event.is_server_side)


def _response(result: _Result, agent_id: str, request: ToolRequest | None = None) -> ToolResponse:
    tool_name = request.tool_name if request else result.tool_name
    is_marked = result.is_marked or (request is not None and request.is_internal)
    return ToolResponse(
        tool_use_id=result.tool_use_id,
        tool_name=tool_name,
        content=result.content,
        success=result.success,
        error=result.error,
        duration_ms=result.duration_ms,
        source_agent_id=agent_id,
        is_internal=is_internal("tool_response", tool_name=tool_name, is_marked=is_marked),
    )


def _execution(record: Any) -> _Result:
    """An entry of `tool_executions`, in either spelling."""
    error = member(record, "error")
    success = member(record, "success")
    duration = member(record, "duration_ms", "durationMs")
    content = readable(plain(member(record, "result", "content", "output")))
    is_success = error is None if success is None else bool(success)
    return _Result(
        tool_use_id=_word(member(record, "tool_use_id", "toolUseId", "tool_call_id", "id")),
        tool_name=_word(member(record, "tool_name", "toolName", "name")),
        content=content or ("" if error is None else readable(plain(error))),
        success=is_success,
        error=None if is_success else readable(plain(error)) or content,
        duration_ms=float(duration) if isinstance(duration, int | float) else 0.0,
    )


def _results_in(message: Any) -> list[_Result]:
    """The results a message brings: a tool message one, a user message of Anthropic's one per block."""
    if _role(message) in _TOOL_ROLES:
        return [_answer(message, _word(member(message, "tool_call_id", "name")), member(message, "status") == "error")]
    content = member(message, "content")
    blocks = content if isinstance(content, list) and _role(message) in _USER_ROLES else []
    answers = [block for block in blocks if isinstance(block, Mapping) and block.get("type") == "tool_result"]
    return [_answer(block, _word(block.get("tool_use_id")), block.get("is_error") is True) for block in answers]


def _answer(message: Any, tool_use_id: str, is_error: bool) -> _Result:
    content = readable(plain(member(message, "content")))
    return _Result(
        tool_use_id=tool_use_id,
        tool_name=_word(member(message, "name")),
        content=content,
        success=not is_error,
        error=content if is_error else None,
        duration_ms=0.0,
        is_marked=_is_handoff_back(message),
    )


def _role(message: Any) -> str:
    """Who speaks: LangChain says it as `type`, providers as `role`."""
    return _word(member(message, "role") if isinstance(message, Mapping) else None) or _word(
        member(message, "type", "role")
    )


def _agent_of(message: Any) -> str | None:
    """The agent a message names, in its metadata or as its speaker."""
    aside = fields_or_empty(plain(member(message, "additional_kwargs")))
    named = (aside.get("agent_id"), metadata_of(message).get("agent_id"), plain(member(message, "name")))
    return next((name for name in named if isinstance(name, str) and name), None)


def _is_handoff_back(message: Any) -> bool:
    """Whether a message only gives control back to the supervisor."""
    calls = member(message, "tool_calls")
    names = [_word(member(call, "name")) for call in calls] if isinstance(calls, list) else []
    return bool(metadata_of(message).get(_HANDOFF_BACK_MARK)) or any(
        name.startswith(_HANDOFF_BACK_TOOL) for name in names
    )


def _word(value: Any) -> str:
    return "" if value is None else clean(str(value))
