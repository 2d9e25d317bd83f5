"""A chat agent: an agent bound to a conversation, of which its model sees a window and summaries."""

from collections.abc import AsyncIterator
from typing import Any, Unpack

from pydantic import TypeAdapter

from batuta.conversations.conversation import Conversation
from batuta.conversations.summaries import ConversationView, Summarizer
from batuta.conversations.window import SlidingWindow
from batuta.kernel.ids import canonical_id, new_id
from batuta.kernel.messages import Answer, Delta, Message, ToolCallBlock
from batuta.llm.model import Model, ModelRequest
from batuta.pipelines.context import Context, invocation_of
from batuta.steps.agent import AgentOptions, AgentStep, check_model
from batuta.steps.model_calls import CallAccount, recorded_call, with_run_policies

_ANSWER = TypeAdapter(Answer)


class ChatAgentStep(AgentStep[str, str]):
    """Answers in a conversation: the one the run is given, else the one it was declared with.

    Without either, each run is a conversation of its own: an agent at module level serves many users, and none of them
    sees what another one said. `conversation=` is for an agent that talks with one person.

    What its model sees is a window over the conversation, with summaries for what is old; what is kept is everything
    that was validly said. Summaries are made by `summary_model`, by default the agent's own; `summarizes=False` and
    `window=None` turn either off.
    """

    def __init__(
        self,
        *,
        name: str,
        model: Model | str,
        conversation: Conversation | None = None,
        window: SlidingWindow | None = SlidingWindow(),  # noqa: B008 - frozen
        summarizes: bool = True,
        summary_model: Model | str | None = None,
        **options: Unpack[AgentOptions],
    ) -> None:
        merged: Any = {"is_streaming": True, "takes_cut_text": True, **options}
        super().__init__(name=name, model=model, output=str, **merged)
        if summary_model is not None:
            check_model(f"{name}: summary_model", summary_model)
        self.conversation = conversation
        """The one it was declared with, for runs that are given none."""
        self._window = window
        self._summarizes = summarizes
        self._summary_model = summary_model

    async def _perform(self, value: str, ctx: Context) -> str:
        conversation = ctx.conversation or self.conversation or Conversation()
        invocation = invocation_of(ctx)
        return await super()._perform(value, invocation.within(invocation.scope, conversation=conversation))

    async def opening(self, request: Message, ctx: Context) -> tuple[Message, ...]:
        """The part of the conversation that its model sees, and the request, which the window makes room for."""
        assert ctx.conversation is not None
        view = ConversationView(window=self._window, summarizer=self._summarizer(ctx) if self._summarizes else None)
        return await view.messages(ctx.conversation, request)

    def _summarizer(self, ctx: Context) -> Summarizer:
        model = self.model_for(ctx) if self._summary_model is None else with_run_policies(self._summary_model, ctx)
        return Summarizer(model=_Recorded(model, ctx), clock=invocation_of(ctx).run.clock, redact=self._redacted)

    def _redacted(self, call: ToolCallBlock) -> dict[str, Any]:
        """Without what a tool of this agent declares as sensitive."""
        tool = self.tools.get(call.name)
        shown: dict[str, Any] = call.args if tool is None else tool.policy.redacted(call.args)
        return shown


class _Recorded:
    """A model whose answers go through the journal and count towards the run, like any other of an agent."""

    def __init__(self, inner: Model, ctx: Context) -> None:
        self._inner = inner
        self._ctx = ctx

    @property
    def provider(self) -> str:
        return self._inner.provider

    @property
    def name(self) -> str:
        return self._inner.name

    async def generate(self, request: ModelRequest) -> Answer:
        answer = await self._ctx.effect(lambda: self._ask(request), _ANSWER, kind="read", name="summary")
        invocation_of(self._ctx).scope.tally.add_call(answer.usage, answer.cost)
        return answer

    async def _ask(self, request: ModelRequest) -> Answer:
        account = CallAccount(canonical_id(self._ctx.agent_id or self._ctx.step_name))
        return await recorded_call(
            self._ctx, self._inner, request, account, call_id=new_id(), act=lambda: self._inner.generate(request)
        )

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        yield await self.generate(request)
