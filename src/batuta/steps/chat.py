"""A chat agent: an agent bound to a conversation, which it reads through a window and continues."""

from typing import Any, Unpack

from batuta.conversations.conversation import Conversation
from batuta.conversations.window import SlidingWindow
from batuta.kernel.messages import Message
from batuta.llm.model import Model
from batuta.pipelines.context import Context
from batuta.steps.agent import AgentOptions, AgentStep


class ChatAgentStep(AgentStep[str, str]):
    """Answers in a conversation: the one the run is given, else its own.

    What the model sees of it is chosen by the window; what is kept is everything that was validly said.
    """

    def __init__(
        self,
        *,
        name: str,
        model: Model | str,
        conversation: Conversation | None = None,
        window: SlidingWindow | None = None,
        **options: Unpack[AgentOptions],
    ) -> None:
        merged: Any = {"is_streaming": True, **options}
        super().__init__(name=name, model=model, output=str, **merged)
        self.conversation = conversation or Conversation()
        self.window = window or SlidingWindow()

    async def _perform(self, value: str, ctx: Context) -> str:
        conversation = ctx.conversation or self.conversation
        return await super()._perform(value, ctx._within(ctx._scope, conversation=conversation))

    def history(self, ctx: Context) -> tuple[Message, ...]:
        """The part of the conversation that fits the window."""
        return self.window.apply(super().history(ctx))
