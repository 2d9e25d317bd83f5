"""Masking of personal data: the provider sees placeholders, the caller sees the words.

    "mail ana@example.com" -> "mail <EMAIL_1>" -> provider -> "wrote to <EMAIL_1>" -> "wrote to ana@example.com"

The same word has the same placeholder within a request. Tool calls are restored too, so that a tool gets the real
value. Words that come in another way (pictures, documents) are not seen.
"""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Any

from batuta.kernel.messages import (
    Answer,
    ContentBlock,
    Delta,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from batuta.llm.model import Model, ModelRequest
from batuta.llm.wrapper import WrappedModel, closing

# Not inside ids: parts of a UUID may look like numbers of accounts and cards.
PII_PATTERNS: dict[str, str] = {
    "EMAIL": r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "IBAN": r"(?<![\w-])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![\w-])",
    "CARD": r"(?<![\w-])(?:\d{4}[ -]?){3}\d{1,7}(?![\w-])",
    "PHONE": r"(?<![\w.])\+\d{1,3}[ -]?(?:\(?\d{1,4}\)?[ -]?){2,5}\d{2,4}\b",
}
PLACEHOLDER = re.compile(r"<([A-Z]+_\d+)>")
UNFINISHED = re.compile(r"<[A-Z_\d]{0,24}$")

Replace = Callable[[str], str]


class MaskedModel(WrappedModel):
    """Hides what the patterns find from the provider, and puts it back into the answer."""

    def __init__(self, inner: Model, patterns: Mapping[str, str] | None = None) -> None:
        super().__init__(inner)
        named = PII_PATTERNS if patterns is None else patterns
        self._pattern = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in named.items()))

    async def generate(self, request: ModelRequest) -> Answer:
        """Mask, answer, restore."""
        vault = _Vault(self._pattern)
        answer = await self.inner.generate(_masked(request, vault.hide))
        return _restored(answer, vault.show)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """The same; the beginning of a placeholder is held back until its end has come."""
        vault = _Vault(self._pattern)
        held: Delta | None = None
        async with closing(self.inner.stream(_masked(request, vault.hide))) as items:
            async for item in items:
                if isinstance(item, Answer):
                    if held is not None:
                        yield held
                    yield _restored(item, vault.show)
                    return
                if held is not None and held.kind != item.kind:
                    yield held
                    held = None
                ready, held = _split(item, held, vault.show)
                if ready.text:
                    yield ready


class _Vault:
    """What was hidden in one request, by placeholder."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self._names: dict[str, str] = {}
        self._words: dict[str, str] = {}

    def hide(self, text: str) -> str:
        return self._pattern.sub(self._placeholder, text)

    def show(self, text: str) -> str:
        return PLACEHOLDER.sub(lambda found: self._words.get(found[1], found[0]), text)

    def _placeholder(self, found: re.Match[str]) -> str:
        word, kind = found[0], found.lastgroup
        if word not in self._names:
            name = f"{kind}_{sum(known.startswith(f'{kind}_') for known in self._words) + 1}"
            self._names[word], self._words[name] = name, word
        return f"<{self._names[word]}>"


def _split(delta: Delta, held: Delta | None, show: Replace) -> tuple[Delta, Delta | None]:
    """What of a delta can be shown now, and what has to wait."""
    text = delta.text if held is None else held.text + delta.text
    unfinished = UNFINISHED.search(text)
    cut = len(text) if unfinished is None else unfinished.start()
    rest = replace(delta, text=text[cut:]) if cut < len(text) else None
    return replace(delta, text=show(text[:cut])), rest


def _masked(request: ModelRequest, hide: Replace) -> ModelRequest:
    messages = tuple(_message(message, hide) for message in request.messages)
    return replace(request, system=hide(request.system), messages=messages)


def _restored(answer: Answer, show: Replace) -> Answer:
    return answer.model_copy(update={"content": tuple(_block(block, show) for block in answer.content)})


def _message(message: Message, change: Replace) -> Message:
    return message.model_copy(update={"content": tuple(_block(block, change) for block in message.content)})


def _block(block: ContentBlock, change: Replace) -> ContentBlock:
    match block:
        case TextBlock():
            return block.model_copy(update={"text": change(block.text)})
        case ThinkingBlock() if block.signature is None:
            # Signed thinking must come back to the provider as it was.
            return block.model_copy(update={"text": change(block.text)})
        case ToolCallBlock():
            return block.model_copy(update={"args": _value(block.args, change)})
        case ToolResultBlock():
            return block.model_copy(update={"content": change(block.content)})
        case _:
            return block


def _value(value: Any, change: Replace) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _value(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_value(item, change) for item in value]
    return value
