"""What every adapter is and does: from a provider's message to an answer, and from an answer to events.

    message -> plain data -> Reading (raw blocks, stop, usage …) -> Answer -> events
    chunks  -> StreamReader -> the same message -> the same answer

A provider's adapter gives the tables and the two readings that differ; the rest is here. Everything is pure.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from batuta.events.adapters.answer_events import events_of
from batuta.events.adapters.failures import failure
from batuta.events.adapters.langchain import LANGCHAIN_BLOCKS, is_langchain, langchain_reading, langchain_usage
from batuta.events.adapters.plain import Fields, UnreadableError, fields_of, optional_text, plain
from batuta.events.adapters.reading import (
    BlockReading,
    BlockTable,
    log,
    marked,
    opaque,
    settled,
    warn_of_malformed_block,
    warn_of_unknown_block,
)
from batuta.events.envelope import Event
from batuta.kernel.errors import MalformedAnswerError, ProviderUnavailableError
from batuta.kernel.messages import Answer, ContentBlock, Delta, StopReason
from batuta.kernel.usage import Usage

BlockType = Literal["text", "thinking", "tool_use", "tool_result", "opaque"]

_BLOCK_TYPES: dict[str, BlockType] = {
    "text": "text",
    "thinking": "thinking",
    "tool_call": "tool_use",
    "tool_result": "tool_result",
}


@runtime_checkable
class ProviderAdapter(Protocol):
    """All that is known about one provider's messages. Pure: no I/O, no SDK.

    A message is a dict of the wire, an object of the provider's SDK, or a LangChain message. The one exception for
    a message that cannot be read is `MalformedAnswerError`; a failure the message itself states is raised as what it
    is (`RateLimitedError`, `ProviderUnavailableError`, `ProviderRejectedError` …).
    """

    @property
    def name(self) -> str:
        """The provider, such as `anthropic`."""
        ...

    def normalize_message(self, message: Any, index: int) -> list[Event]:
        """The canonical events of one model message, in block order, numbered from `index`."""
        ...

    def detect_block_type(self, block: Any) -> BlockType:
        """What a content block of this provider is; `opaque` if it has no canonical form."""
        ...

    def normalize_stop_reason(self, reason: str | None) -> StopReason:
        """The canonical stop reason; an unknown one is `success`, with a warning that names it."""
        ...

    def extract_usage(self, message: Any) -> Usage | None:
        """The tokens of one model message, `None` if it does not say."""
        ...


class StreamReader(ABC):
    """Reads one streamed answer: `feed` every chunk, then `close` for the whole answer.

    `close` raises `ProviderUnavailableError` if the stream broke off; `partial` is what came until then.
    """

    def __init__(self, adapter: "BaseAdapter") -> None:
        self._adapter = adapter

    def feed(self, chunk: Any) -> list[Delta]:
        """Take one chunk, an SDK object or a dict of the wire, and return what it adds."""
        try:
            fields = fields_of(plain(chunk), "a chunk")
            if fields.get("error"):
                raise failure(self._adapter.name, fields["error"])
            return self._take(fields)
        except (UnreadableError, RecursionError) as error:
            raise self._adapter.malformed("a chunk", error) from error

    def close(self) -> Answer:
        """The whole answer."""
        if not self._is_complete:
            raise ProviderUnavailableError(f"{self._adapter.name} broke off its answer before it was complete")
        return self._adapter.read_message(self._message())

    @property
    def partial(self) -> Answer:
        """What came so far; what was being written is cut where it was."""
        message = self._message()
        return self._adapter.read_message(message) if message else Answer(content=(), provider=self._adapter.name)

    @property
    @abstractmethod
    def _is_complete(self) -> bool: ...

    @abstractmethod
    def _take(self, chunk: Fields) -> list[Delta]: ...

    @abstractmethod
    def _message(self) -> Fields:
        """The message the chunks add up to, as if it had come whole; empty if nothing came."""


class BaseAdapter(ABC):
    """The part of an adapter that does not depend on the provider."""

    name: ClassVar[str]
    stop_reasons: ClassVar[dict[str, StopReason]]
    blocks: ClassVar[BlockTable]

    @abstractmethod
    def stream(self) -> StreamReader:
        """A reader for one streamed answer."""

    @abstractmethod
    def _read_wire(self, message: Fields) -> BlockReading:
        """Sort a message of the wire."""

    @abstractmethod
    def _read_usage(self, usage: Fields) -> Usage | None:
        """Tokens in the provider's own spelling."""

    def read_message(self, message: Any) -> Answer:
        """One model message as an answer. Raises `MalformedAnswerError` for anything else."""
        try:
            return self._answer(self._arrange(self._reading(message)))
        except (UnreadableError, RecursionError) as error:
            raise self.malformed("a message", error) from error

    def normalize_message(self, message: Any, index: int) -> list[Event]:
        """The canonical events of one model message, in block order, numbered from `index`."""
        return events_of(self.read_message(message), index)

    def detect_block_type(self, block: Any) -> BlockType:
        """What a content block is; `opaque` if it has no canonical form."""
        blocks = self._read_block(plain(block))
        return _BLOCK_TYPES.get(blocks[0].type, "opaque") if blocks else "opaque"

    def normalize_stop_reason(self, reason: str | None) -> StopReason:
        """The canonical stop reason; an unknown one is `success`, with a warning that names it."""
        if reason is not None and reason not in self.stop_reasons:
            log.warning("%s stopped for an unknown reason %r; taken as success", self.name, reason)
        return self.stop_reasons.get(reason or "", "success")

    def extract_usage(self, message: Any) -> Usage | None:
        """The tokens of one model message, `None` if it does not say."""
        if is_langchain(message):
            return langchain_usage(message, self._read_usage)
        fields = plain(message)
        return self.usage_in(fields) if isinstance(fields, dict) else None

    def usage_in(self, fields: Fields) -> Usage | None:
        """The tokens a message of the wire states."""
        usage = fields.get("usage")
        return self._read_usage(usage) if isinstance(usage, dict) else None

    def malformed(self, what: str, error: Exception) -> MalformedAnswerError:
        """The error for something that is not of this provider."""
        return MalformedAnswerError(f"{what} of {self.name} cannot be read: {error}", provider=self.name)

    def _reading(self, message: Any) -> BlockReading:
        if is_langchain(message):
            return langchain_reading(message, self._read_usage)
        fields = fields_of(plain(message), "the message")
        if fields.get("error"):
            raise failure(self.name, fields["error"])
        return self._read_wire(fields)

    def _arrange(self, reading: BlockReading) -> BlockReading:
        """Move what stands beside the blocks into them, where a provider does so."""
        return reading

    def _answer(self, reading: BlockReading) -> Answer:
        blocks = [marked(block, self.name) for raw in reading.blocks for block in self._read_block(raw)]
        refusal = _refusal_in(reading.blocks)
        stop_reason = "refused" if refusal is not None else self.normalize_stop_reason(reading.stop)
        return Answer(
            content=settled(blocks, reading.response_id),
            stop_reason=stop_reason,
            raw_stop_reason=reading.stop,
            stop_explanation=reading.explanation or refusal or None,
            model=reading.model or "unknown",
            provider=self.name,
            response_id=reading.response_id,
            usage=reading.usage,
        )

    def _block_type(self, block: Fields) -> str:
        return str(block.get("type"))

    def _read_block(self, raw: Any) -> list[ContentBlock]:
        """The canonical blocks of a raw one; what cannot be read is kept as it came."""
        if not isinstance(raw, dict):
            warn_of_malformed_block(self.name, type(raw).__name__)
            return [opaque(self.name, raw)]
        block_type = self._block_type(raw)
        reader = self.blocks.get(block_type) or LANGCHAIN_BLOCKS.get(block_type)
        if reader is None:
            warn_of_unknown_block(self.name, block_type)
            return [opaque(self.name, raw)]
        try:
            return list(reader(raw))
        except ValueError:
            warn_of_malformed_block(self.name, block_type)
            return [opaque(self.name, raw)]


def _refusal_in(blocks: list[Any]) -> str | None:
    """The words with which a model refused, if it did."""
    for block in blocks:
        if isinstance(block, dict) and block.get("type") == "refusal":
            return optional_text(block.get("refusal")) or ""
    return None
