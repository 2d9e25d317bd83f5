"""Histories that every provider accepts, whatever was cancelled, cut, corrected or denied before.

The rules, the strictest of all providers together:

- the first message is the user's
- every tool call is answered in the very next message, in call order, once
- every tool result answers a call of the message before it
- call ids are unique in the whole history
- calls stand in assistant messages and results in tool messages
- a message with calls follows the user or a tool, not another assistant message
- no message and no text is empty

`valid_history` is a view: what is stored stays as it is.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence

from batuta.kernel.messages import (
    ContentBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)

NO_RESULT = "[no result: the call did not complete]"
OPENING = "(The conversation begins with the assistant.)"


def problems_of(messages: Sequence[Message]) -> list[str]:
    """The rules a history breaks, as sentences; empty if every provider accepts it."""
    problems: list[str] = []
    before: Message | None = None
    spoken: Message | None = None
    for index, message in enumerate(messages):
        after = messages[index + 1] if index + 1 < len(messages) else None
        problems += (f"message {index}: {words}" for words in _problems_in(message))
        problems += (f"message {index}: {words}" for words in _problems_between(spoken, before, message, after))
        before = message
        spoken = spoken if message.role == "system" else message
    ids = [call.id for message in messages for call in message.tool_calls]
    if len(ids) != len(set(ids)):
        problems.append("call ids are used more than once")
    return problems


def valid_history(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The nearest valid history: a valid one comes back unchanged.

    A call without a result gets one that says so, a result without a call is left out, results are put behind their
    calls, an id used again is changed together with its result, and what is empty is dropped.
    """
    given = tuple(messages)
    if not problems_of(given):
        return given
    paired = _paired([tidy for message in given if (tidy := _tidy(message)) is not None])
    return tuple(_joined(_opened(paired)))


def with_own_ids(content: Sequence[ContentBlock], before: Iterable[Message]) -> tuple[ContentBlock, ...]:
    """What a model answers, every call under an id that was not used before: some endpoints count from one again."""
    used = {call.id for message in before for call in message.tool_calls}
    return tuple(
        _with_own_id(block, used) if isinstance(block, ToolCallBlock) and not block.is_server_side else block
        for block in content
    )


def exchanges(messages: Sequence[Message]) -> list[tuple[Message, ...]]:
    """A valid history in parts that must not be separated: a message with calls and the results behind it."""
    parts: list[tuple[Message, ...]] = []
    for message in messages:
        if message.role == "tool" and parts:
            parts[-1] = (*parts[-1], message)
        else:
            parts.append((message,))
    return parts


def _problems_in(message: Message) -> Iterator[str]:
    if not _says_something(message.content) or any(map(_is_empty_text, message.content)):
        yield "nothing in it, or an empty text"
    if message.tool_calls and message.role != "assistant":
        yield "calls belong to the assistant"
    if message.tool_results and message.role != "tool":
        yield "results belong to tools"


def _problems_between(
    spoken: Message | None, before: Message | None, message: Message, after: Message | None
) -> Iterator[str]:
    """What is wrong with its neighbours; `spoken` is the last one before it that is no system message."""
    if spoken is None and message.role not in ("user", "system"):
        yield f"a history begins with the user, not with {message.role}"
    if message.role == "tool" and not _answers(before, message):
        yield "its results are not those of the calls before it"
    if message.role == "assistant" and message.tool_calls:
        if after is None or after.role != "tool":
            yield "its calls are not answered in the next message"
        if spoken is not None and spoken.role == "assistant":
            yield "calls follow the user or a tool"


def _answers(before: Message | None, message: Message) -> bool:
    asked = [call.id for call in before.tool_calls] if before is not None and before.role == "assistant" else []
    answered = [result.tool_use_id for result in message.tool_results]
    return asked == answered and len(answered) == len(message.content)


def _is_empty_text(block: ContentBlock) -> bool:
    return isinstance(block, TextBlock) and not block.text.strip()


def _says_something(content: Sequence[ContentBlock]) -> bool:
    """Thinking alone is not sent back: providers want something after it."""
    return any(not isinstance(block, ThinkingBlock) and not _is_empty_text(block) for block in content)


def _tidy(message: Message) -> Message | None:
    """The message without empty texts and without blocks that its role cannot hold; `None` if nothing is left."""
    foreign = () if message.role == "assistant" else (ToolCallBlock, ThinkingBlock)
    content = tuple(block for block in message.content if not _is_empty_text(block) and not isinstance(block, foreign))
    if not _says_something(content):
        return None
    return message if content == message.content else message.model_copy(update={"content": content})


def _paired(messages: Sequence[Message]) -> list[Message]:
    """Every call with its result right behind it, under an id of its own."""
    paired: list[Message] = []
    used: set[str] = set()
    for index, message in enumerate(messages):
        rest = tuple(block for block in message.content if not _is_result_of_ours(block, message))
        if message.role == "assistant" and message.tool_calls:
            paired += _with_results(message, rest, _results_behind(messages, index), used)
        elif message.role != "tool" and _says_something(rest):
            paired.append(message.model_copy(update={"content": rest}) if len(rest) < len(message.content) else message)
    return paired


def _results_behind(messages: Sequence[Message], index: int) -> dict[str, deque[ToolResultBlock]]:
    """Results given before the assistant spoke again, by the id of their call."""
    found: dict[str, deque[ToolResultBlock]] = defaultdict(deque)
    for message in messages[index + 1 :]:
        if message.role == "assistant":
            break
        for result in message.tool_results:
            found[result.tool_use_id].append(result)
    return found


def _with_results(
    message: Message, rest: Sequence[ContentBlock], results: dict[str, deque[ToolResultBlock]], used: set[str]
) -> tuple[Message, Message]:
    content: list[ContentBlock] = []
    answers: list[ToolResultBlock] = []
    for block in rest:
        if not isinstance(block, ToolCallBlock) or block.is_server_side:
            content.append(block)
            continue
        call = _with_own_id(block, used)
        content.append(call)
        answers.append(_answer(call, results[block.id].popleft() if results[block.id] else None))
    return message.model_copy(update={"content": tuple(content)}), Message.tool(answers)


def _is_result_of_ours(block: ContentBlock, message: Message) -> bool:
    """Results that the provider made itself stay in the assistant's message."""
    is_servers = message.role == "assistant" and isinstance(block, ToolResultBlock) and block.is_server_side
    return isinstance(block, ToolResultBlock) and not is_servers


def _with_own_id(call: ToolCallBlock, used: set[str]) -> ToolCallBlock:
    candidate, number = call.id, 1
    while candidate in used:
        number += 1
        candidate = f"{call.id}_{number}"
    used.add(candidate)
    # What the provider wants back with the call would still carry the old id.
    return call if candidate == call.id else call.model_copy(update={"id": candidate, "extra": {}})


def _answer(call: ToolCallBlock, result: ToolResultBlock | None) -> ToolResultBlock:
    if result is None:
        return ToolResultBlock(tool_use_id=call.id, tool_name=call.name, content=NO_RESULT, is_error=True)
    return result.model_copy(update={"tool_use_id": call.id})


def _opened(messages: list[Message]) -> list[Message]:
    """A history of the assistant's alone gets an opening, so that the user is the first who speaks."""
    first = next((index for index, message in enumerate(messages) if message.role != "system"), None)
    if first is None or messages[first].role == "user":
        return messages
    return [*messages[:first], Message.user(OPENING), *messages[first:]]


def _joined(messages: Sequence[Message]) -> list[Message]:
    """A message with calls takes up the assistant messages before it."""
    joined: list[Message] = []
    for message in messages:
        whole = message
        while message.tool_calls and (place := _assistant_before(joined)) is not None:
            whole = whole.model_copy(update={"content": joined.pop(place).content + whole.content})
        joined.append(whole)
    return joined


def _assistant_before(messages: Sequence[Message]) -> int | None:
    """Where the last message is that is no system message, if it is the assistant's."""
    spoken = (index for index in reversed(range(len(messages))) if messages[index].role != "system")
    place = next(spoken, None)
    return place if place is not None and messages[place].role == "assistant" else None
