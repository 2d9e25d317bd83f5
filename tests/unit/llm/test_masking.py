"""Personal data stays here: the provider sees placeholders (F-44)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta.kernel.messages import Answer, Delta, Message, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultBlock
from batuta.llm.masking import MaskedModel
from batuta.llm.model import ModelRequest
from tests.unit.llm.doubles import PlayedModel, answer, answer_of, request


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("ana.maria+x@mail.example.com", "EMAIL"),
        ("DE89 3704 0044 0532 0130 00", "IBAN"),
        ("GB29NWBK60161331926819", "IBAN"),
        ("4111 1111 1111 1111", "CARD"),
        ("4111-1111-1111-1111", "CARD"),
        ("+34 612 345 678", "PHONE"),
        ("+1 (415) 555-2671", "PHONE"),
    ],
)
async def test_what_is_personal_does_not_reach_the_provider_and_comes_back_in_the_answer(word: str, kind: str) -> None:
    inner = PlayedModel([answer(f"I wrote to <{kind}_1>.")])
    result = await MaskedModel(inner).generate(request(f"Write to {word}, please."))
    assert inner.requests[0].messages[0].text == f"Write to <{kind}_1>, please."
    assert result.text == f"I wrote to {word}."


@pytest.mark.parametrize("text", ["order 4711 of 2026-11-15", "total 1,250.75 EUR", "version 3.12.1", "room 101-202"])
async def test_ordinary_numbers_are_left_alone(text: str) -> None:
    inner = PlayedModel([answer()])
    await MaskedModel(inner).generate(request(text))
    assert inner.requests[0].messages[0].text == text


async def test_the_same_word_has_the_same_placeholder_everywhere() -> None:
    inner = PlayedModel([answer()])
    messages = (
        Message.user("a@x.com and b@x.com"),
        Message.assistant([ToolCallBlock(id="1", name="mail", args={"to": ["a@x.com"], "n": 1})]),
        Message.tool([ToolResultBlock(tool_use_id="1", content="sent to a@x.com")]),
    )
    await MaskedModel(inner).generate(ModelRequest(messages=messages, system="You serve b@x.com."))
    sent = inner.requests[0]
    assert sent.system == "You serve <EMAIL_2>."
    assert sent.messages[0].text == "<EMAIL_1> and <EMAIL_2>"
    assert sent.messages[1].tool_calls[0].args == {"to": ["<EMAIL_1>"], "n": 1}
    assert sent.messages[2].tool_results[0].content == "sent to <EMAIL_1>"


async def test_a_tool_gets_the_real_value() -> None:
    call = ToolCallBlock(id="1", name="mail", args={"to": "<EMAIL_1>", "cc": [{"to": "<EMAIL_1>"}]})
    result = await MaskedModel(PlayedModel([answer_of(call)])).generate(request("to a@x.com"))
    assert result.tool_calls[0].args == {"to": "a@x.com", "cc": [{"to": "a@x.com"}]}


async def test_signed_thinking_is_not_touched() -> None:
    inner = PlayedModel([answer()])
    signed = ThinkingBlock(text="a@x.com", signature="s")
    await MaskedModel(inner).generate(ModelRequest(messages=(Message.assistant([signed]), Message.user("a@x.com"))))
    assert inner.requests[0].messages[0].content == (signed,)


async def test_a_placeholder_that_hides_nothing_stays() -> None:
    result = await MaskedModel(PlayedModel([answer("see <EMAIL_9> and <b>")])).generate(request("hi"))
    assert result.text == "see <EMAIL_9> and <b>"


@given(
    words=st.lists(st.sampled_from(["<EMAIL_1>", "<", "<EM", "plain ", "<b>", "a@x", " "]), max_size=8),
    size=st.integers(1, 7),
)
async def test_a_stream_restores_the_same_text_wherever_it_is_cut(words: list[str], size: int) -> None:
    text = "".join(words)
    pieces = [Delta("text", text[start : start + size]) for start in range(0, len(text), size)]
    whole = answer_of(TextBlock(text=text))
    model = MaskedModel(PlayedModel([[*pieces, whole]]))
    items = [item async for item in model.stream(request("ana@example.com"))]
    shown = "".join(item.text for item in items if isinstance(item, Delta))
    assert isinstance(items[-1], Answer)
    assert shown == items[-1].text == text.replace("<EMAIL_1>", "ana@example.com")


async def test_own_patterns_replace_the_usual_ones() -> None:
    inner = PlayedModel([answer()])
    await MaskedModel(inner, {"ORDER": r"SO-\d+"}).generate(request("SO-17 of a@x.com"))
    assert inner.requests[0].messages[0].text == "<ORDER_1> of a@x.com"
