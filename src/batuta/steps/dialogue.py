"""The dialogue of one agent execution with its model: requests, rounds of tools, and their events.

    ask -> model answers -> tool calls? run them all, hand the results back, ask again -> an answer without calls

Everything that reaches outside goes through the journal, so that a repeated run gets the same dialogue back.
"""

import asyncio
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from batuta import steps
from batuta.conversations.validity import with_own_ids
from batuta.events.adapters.answer_events import events_of
from batuta.events.conversation import AssistantMessage
from batuta.events.progress import ContentDelta, StreamDiscarded, ThinkingDelta
from batuta.events.tools import ToolRequest
from batuta.kernel.errors import ContentRefusedError, ProviderUnavailableError, ToolLimitError
from batuta.kernel.ids import MessageId, canonical_id, new_id
from batuta.kernel.messages import Answer, Delta, Message
from batuta.kernel.users import (
    ATTACHED_TABLES_SERVICE,
    LANGUAGE_SERVICE,
    OWN_DOCUMENTS_SERVICE,
    OWN_TABLES_SERVICE,
    TIME_ZONE_SERVICE,
)
from batuta.llm.model import Model, ModelRequest
from batuta.llm.wrapper import closing
from batuta.pipelines.context import Context, invocation_of
from batuta.steps.model_calls import CallAccount, recorded_call

if TYPE_CHECKING:
    from batuta.steps.agent import AgentStep
    from batuta.steps.tagging import ArtefactStream
    from batuta.tools.outcome import IntentKeys


class Spoken(BaseModel):
    """A model's answer under the id it is known by: what the journal keeps of a model call."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    message_id: str
    answer: Answer


_DELTAS: dict[str, type[ContentDelta | ThinkingDelta]] = {"text": ContentDelta, "thinking": ThinkingDelta}
_OF_READER = (
    LANGUAGE_SERVICE,
    TIME_ZONE_SERVICE,
    ATTACHED_TABLES_SERVICE,
    OWN_TABLES_SERVICE,
    OWN_DOCUMENTS_SERVICE,
)
_SHORTEST_SECONDS = 0.001
_SPOKEN = TypeAdapter(Spoken)


class Dialogue:
    """One execution's requests to its model, in order."""

    def __init__(self, agent: "AgentStep[Any, Any]", model: Model, ctx: Context) -> None:
        self._agent = agent
        self._model = model
        self._ctx = ctx
        self._place = invocation_of(ctx)
        self.opening: tuple[Message, ...] = ()
        """What was said before, and the request."""
        self.agent_id = ctx.agent_id or agent.name
        """Who speaks: the specialist around this agent, or the agent itself."""
        self._speaker = canonical_id(self.agent_id)
        self.exchange: list[Message] = []
        """The tool rounds so far: kept when an answer is corrected, so that no tool runs twice."""
        self._words: list[str] = []
        """What came of the answer that is streaming."""
        self._artefacts: ArtefactStream | None = None
        self._shown: str | None = None
        """The message being streamed, as long as it may turn out to be void."""
        self._intents: IntentKeys | None = None
        """The keys of what tools were asked to do."""
        self._calls = 0
        self._rounds = 0
        self._attempt = 0

    async def ask(self, feedback: str | None) -> Spoken:
        """The model's next answer that asks for no tool. Feedback stays the last word, whatever tools brought."""
        tail = [Message.user(feedback)] if feedback else []
        self._attempt += 1
        while True:
            self._calls += 1
            self._artefacts = None
            act = partial(self._call, self._request((*self.opening, *self.exchange, *tail)))
            spoken = await self._ctx.effect(act, _SPOKEN, kind="read", name=f"model:{self._calls}")
            self._place.scope.tally.add_call(spoken.answer.usage, spoken.answer.cost)
            if spoken.answer.stop_reason == "refused":
                answer = spoken.answer
                why = answer.stop_explanation or answer.text or answer.raw_stop_reason or "no reason given"
                raise ContentRefusedError(f"{self._agent.name}: the model refused to answer: {why}")
            if not spoken.answer.tool_calls and spoken.answer.stop_reason != "paused":
                return spoken
            # An id that is used again would make the next request invalid, and its events ambiguous.
            content = with_own_ids(spoken.answer.content, (*self.opening, *self.exchange))
            if content != spoken.answer.content:
                spoken = spoken.model_copy(update={"answer": spoken.answer.model_copy(update={"content": content})})
            calls = spoken.answer.tool_calls
            self._rounds += 1
            if self._rounds > self._agent.max_tool_iterations:
                raise ToolLimitError(
                    f"{self._agent.name}: the model asked for more than {self._agent.max_tool_iterations} rounds of "
                    "tools (max_tool_iterations)"
                )
            await self.emit(spoken)
            continuation = [spoken.answer.as_message(self.agent_id)]
            if calls:
                self._intents = self._intents or steps.IntentKeys(self._ctx.idempotency_key)
                round_of_tools = steps.ToolRound(self._agent, self._ctx, self.agent_id, self._calls, self._intents)
                continuation.append(Message.tool(await round_of_tools.run(calls)))
            else:
                tail.clear()  # a paused answer goes on where it is, and nothing may come between
            self.exchange.extend(continuation)

    async def discard(self, reason: Literal["retried", "rejected", "failed"]) -> None:
        """The newest answer is void: its stream broke and begins anew, it was rejected, or no answer came of it."""
        self._words.clear()
        shown, self._shown = self._shown, None
        if shown is not None:
            discarded = StreamDiscarded(reason=reason, message_id=MessageId(shown), source_agent_id=self.agent_id)
            await self._place.emit(discarded, live=True)
        if self._artefacts is not None:
            await self._artefacts.discard()

    async def emit(self, spoken: Spoken) -> None:
        """Emit what a model said, block by block; a silent agent's words are not part of the conversation."""
        self._shown = None
        if not self._ctx.is_heard:
            return
        for event in events_of(spoken.answer, message_id=spoken.message_id, source_agent_id=self._speaker):
            if isinstance(event, AssistantMessage):
                if self._agent.is_speaking:
                    await self._place.emit(self._cited(event))
            elif isinstance(event, ToolRequest):
                shown = self._redacted(event.tool_name, {"args": event.args, "invalid_args": event.invalid_args})
                await self._place.emit(event if shown["args"] is event.args else event.model_copy(update=shown))
            else:
                await self._place.emit(event)

    def _cited(self, message: AssistantMessage) -> AssistantMessage:
        """A message with the citations that the agent or what runs it finds in its words, which are remembered."""
        scope = self._place.scope
        scope.last_words = message.content
        found = message.citations
        for cite in (self._agent.cite, scope.parent.cite if scope.parent is not None else None):
            if cite is not None:
                found = (*found, *cite(message.content))
        return message if found is message.citations else message.model_copy(update={"citations": found})

    def _request(self, messages: tuple[Message, ...]) -> ModelRequest:
        agent, services = self._agent, self._place.run.services
        settings, deadline = agent.settings, self._place.deadline
        if deadline is not None and deadline.remaining_seconds() < settings.timeout.total_seconds():
            # No more time than is left outside; the deadline itself ends what has none left.
            left = max(deadline.remaining_seconds(), _SHORTEST_SECONDS)
            settings = replace(settings, timeout=timedelta(seconds=left))
        # A worker of a team answers from its tools, unless it is declared otherwise.
        is_grounded = self._ctx.agent_id is not None if agent.is_grounded is None else agent.is_grounded
        must_use_a_tool = self._calls == 1 and is_grounded and bool(agent.tools)
        # Language and time zone of the reader, and which tables came with the message or before, where known.
        reader = {name: str(services[name]) for name in _OF_READER if services.get(name)} if services else {}
        return ModelRequest(
            messages=messages,
            system=agent.system_prompt(self._ctx),
            tools=agent.tool_specs,
            tool_choice="required" if must_use_a_tool else "auto",
            output=agent.output_spec,
            settings=settings,
            understanding=self._place.scope.understanding,
            metadata={"agent": self.agent_id, "correlation_id": self._ctx.correlation_id, **reader},
        )

    async def _call(self, request: ModelRequest) -> Spoken:
        """One real call, with events for its begin and end."""
        message_id = new_id()
        account = CallAccount(self._speaker, self._attempt, self._agent.is_streaming, self._disclosed)
        answer = await recorded_call(
            self._ctx,
            self._model,
            request,
            account,
            call_id=message_id,
            act=lambda: self._answer(request, message_id),
        )
        return Spoken(message_id=message_id, answer=answer)

    async def _answer(self, request: ModelRequest, message_id: str) -> Answer:
        tags = self._agent.tags
        artefacts = steps.ArtefactStream(tags, self._ctx, self.agent_id, message_id) if tags else None
        self._artefacts = artefacts
        if not self._agent.is_streaming:
            answer = await self._model.generate(request)
            if artefacts is None:
                return answer
            return steps.with_words(answer, await artefacts.take(answer.text) + await artefacts.finish())
        return await self._streamed(request, message_id, artefacts)

    async def _streamed(self, request: ModelRequest, message_id: str, artefacts: "ArtefactStream | None") -> Answer:
        words = self._words
        words.clear()
        self._shown = message_id if artefacts is not None else None
        try:
            async with closing(self._model.stream(request)) as items:
                async for item in items:
                    if isinstance(item, Answer):
                        if artefacts is None:
                            return item
                        return steps.with_words(item, "".join(words) + await artefacts.finish())
                    piece = item
                    if artefacts is not None and item.kind == "text":
                        piece = Delta("text", await artefacts.take(item.text))
                    if piece.kind == "text":
                        words.append(piece.text)
                    await self._emit_delta(piece, message_id)
        except asyncio.CancelledError:
            if self._is_out_of_time:  # no one chose to end it there
                await self.discard("failed")
            else:
                await self._keep_what_came("".join(words), message_id)
            raise
        raise ProviderUnavailableError(f"{self._agent.name}: the model's stream ended without an answer")

    @property
    def _is_out_of_time(self) -> bool:
        deadline = self._ctx.deadline
        return deadline is not None and not deadline.remaining_seconds()

    async def _keep_what_came(self, words: str, message_id: str) -> None:
        """The run was stopped: what was streamed so far stays."""
        if words and self._agent.is_speaking:
            message = AssistantMessage(
                content=words,
                model=self._model.name,
                message_id=MessageId(message_id),
                source_agent_id=self.agent_id,
            )
            await self._place.emit(message, live=True)

    async def _emit_delta(self, delta: Delta, message_id: str) -> None:
        event_type = _DELTAS.get(delta.kind)
        if event_type is None or not delta.text:
            return
        if self._agent.is_speaking or event_type is ThinkingDelta:  # thoughts are shown also of a silent agent
            self._shown = message_id
            piece = event_type(delta=delta.text, message_id=MessageId(message_id), source_agent_id=self._speaker)
            await self._place.emit(piece, live=True)

    def _redacted(self, tool_name: str, call: dict[str, Any]) -> dict[str, Any]:
        tool = self._agent.tools.get(tool_name)
        return call if tool is None else tool.policy.redacted_call(call)

    def _disclosed(self, call: dict[str, Any]) -> dict[str, Any]:
        """A call in what the model is given or says. What another agent's tool declares is unknown here."""
        if call["name"] in self._agent.tools or call["is_server_side"]:
            return self._redacted(call["name"], call)
        return {**call, "args": dict.fromkeys(call["args"], "[not kept]"), "invalid_args": None}
