"""Hands artefacts to their handlers while an answer streams, and leaves the other words."""

from batuta.events.progress import TagCompleted, TagStarted
from batuta.kernel.ids import MessageId
from batuta.kernel.messages import Answer, ContentBlock, TextBlock
from batuta.pipelines.context import Context
from batuta.steps.artefacts import Closed, Inside, Opened, Outside, Piece, Tag, TagParser


class ArtefactStream:
    """Takes the text of one answer, in any pieces."""

    def __init__(self, tags: dict[str, Tag], ctx: Context, agent_id: str, message_id: str) -> None:
        self._tags = tags
        self._ctx = ctx
        self._agent_id = agent_id
        self._message_id = MessageId(message_id)
        self._parser = TagParser(tags)
        self._attributes: dict[str, str] = {}
        self._begun: list[tuple[Tag, dict[str, str]]] = []

    async def take(self, text: str) -> str:
        """Handle what a piece brings; the words outside artefacts."""
        return "".join([await self._handle(piece) for piece in self._parser.feed(text)])

    async def finish(self) -> str:
        """The text is over; words that were held back."""
        return "".join([await self._handle(piece) for piece in self._parser.close()])

    async def discard(self) -> None:
        """What was taken so far is void: tell those who got it, and be ready for the text from its beginning."""
        begun, self._begun = self._begun, []
        self._parser = TagParser(self._tags)
        for tag, attributes in begun:
            if tag.discard is not None:
                await tag.discard(attributes)

    async def _handle(self, piece: Piece) -> str:
        match piece:
            case Outside(text):
                return text
            case Opened(tag, attributes):
                self._attributes = attributes
                self._begun.append((self._tags[tag], attributes))
                started = TagStarted(
                    tag=tag, attributes=attributes, source_agent_id=self._agent_id, message_id=self._message_id
                )
                await self._ctx.emit(started, live=True)
            case Inside(tag, text):
                await self._hand_over(tag, text, is_last=False)
            case Closed(tag, size):
                await self._hand_over(tag, "", is_last=True)
                completed = TagCompleted(
                    tag=tag,
                    attributes=self._attributes,
                    size=size,
                    source_agent_id=self._agent_id,
                    message_id=self._message_id,
                )
                await self._ctx.emit(completed, live=True)
        return ""

    async def _hand_over(self, tag: str, text: str, *, is_last: bool) -> None:
        handler = self._tags[tag].handler
        if handler is not None:
            await handler(self._attributes, text, is_last=is_last)


def with_words(answer: Answer, words: str) -> Answer:
    """An answer whose text is only what stands outside artefacts."""
    others: list[ContentBlock] = [block for block in answer.content if not isinstance(block, TextBlock)]
    first = next((i for i, block in enumerate(answer.content) if isinstance(block, TextBlock)), len(others))
    others.insert(min(first, len(others)), TextBlock(text=words))
    return answer.model_copy(update={"content": tuple(others)})
