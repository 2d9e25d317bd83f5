"""Who sees what: each branch works on its own copy of the conversation, cut to what it needs to know."""

import asyncio
from collections.abc import Callable

from batuta import AgentStep, Branch, Conversation, Message, ParallelStep, Pipeline
from batuta.testing import Reply, ScriptedModel


class Opinions(dict[str, str]):
    """What the branches think, by name."""


def from_user(message: Message) -> bool:
    return message.role == "user"


def not_about_money(message: Message) -> bool:
    return "€" not in message.text


async def main() -> None:
    conversation = Conversation(
        [
            Message.user("I want a quiet room."),
            Message.assistant("Noted."),
            Message.user("My budget is 90 €."),
            Message.assistant("90 € it is."),
        ],
        system_prompt="You advise hotel guests.",
    )
    whole, words, discreet = (ScriptedModel([Reply(text)]) for text in ("room 12", "quiet", "garden side"))

    def branch(
        name: str, model: ScriptedModel, scope: Callable[[Message], bool] | None = None
    ) -> Branch[str, Opinions]:
        agent = AgentStep(name=name, model=model, output=str)
        return Branch(agent, merge=lambda opinions, text: opinions.update({name: text}), scope=scope)

    advise = ParallelStep(
        Opinions,
        [
            branch("whole", whole),  # sees everything
            branch("words", words, scope=from_user),  # only what the guest said
            branch("discreet", discreet, scope=not_about_money),  # nothing about money
        ],
    )

    result = await Pipeline("hotel", advise).run("Which room?", conversation=conversation)

    assert result.value == {"whole": "room 12", "words": "quiet", "discreet": "garden side"}
    assert len(whole.requests[0].messages) == 5
    assert "Noted." not in words.requests[0].text and "90 €" in words.requests[0].text
    assert "€" not in discreet.requests[0].text and "quiet room" in discreet.requests[0].text
    assert all(model.requests[0].system == "You advise hotel guests." for model in (whole, words, discreet))
    assert len(conversation.messages) == 4  # what a branch adds stays in its copy; the merge decides what comes out


asyncio.run(main())
