"""Random histories, valid and broken, for property tests."""

from hypothesis import strategies as st

from batuta.kernel.messages import (
    ContentBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)

IDS = st.sampled_from(["a", "b", "c", "d", "e_2"])
TEXTS = st.sampled_from(["", "  ", "hello", "how many?", "x" * 400])

texts = st.builds(TextBlock, text=TEXTS)
thoughts = st.builds(ThinkingBlock, text=TEXTS, signature=st.just("s"))
calls = st.builds(ToolCallBlock, id=IDS, name=st.just("stock"))
results = st.builds(ToolResultBlock, tool_use_id=IDS, tool_name=st.just("stock"), content=TEXTS)


def _message(role: str, *blocks: st.SearchStrategy[ContentBlock]) -> st.SearchStrategy[Message]:
    content = st.lists(st.one_of(*blocks), max_size=4).map(tuple)
    return st.builds(Message, role=st.just(role), content=content)


any_message = st.one_of(
    _message("user", texts, results, calls),
    _message("assistant", texts, thoughts, calls, results),
    _message("tool", results, texts),
    _message("system", texts),
)
broken_histories = st.lists(any_message, max_size=14)
"""Anything at all: orphans, repeated ids, empty texts, blocks in the wrong place."""


@st.composite
def lived_histories(draw: st.DrawFn) -> list[Message]:
    """What a real conversation leaves: turns with tool rounds, cut at any place, with messages missing."""
    history: list[Message] = []
    for turn in range(draw(st.integers(1, 6))):
        history.append(Message.user(f"question {turn} " + "x" * draw(st.integers(0, 300))))
        for rounds in range(draw(st.integers(0, 3))):
            ids = [f"{turn}-{rounds}-{number}" for number in range(draw(st.integers(1, 3)))]
            history.append(Message.assistant([ToolCallBlock(id=name, name="stock") for name in ids]))
            kept = draw(st.permutations(ids))[: draw(st.integers(0, len(ids)))]
            answers = [ToolResultBlock(tool_use_id=name, tool_name="stock", content="7") for name in kept]
            history.append(Message.tool(answers))
        if draw(st.booleans()):
            history.append(Message.assistant(f"answer {turn}"))
    start, end = draw(st.integers(0, 3)), len(history) - draw(st.integers(0, 2))
    return history[start:end]
