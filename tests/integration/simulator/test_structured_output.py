"""Each client's own structured output, filled by the default scenario and by a scripted one (F-46)."""

import pytest
from google.genai import types as google_types
from pydantic import BaseModel, Field

from batuta.simulator import Simulator
from tests.integration.simulator.clients import Clients


class Line(BaseModel):
    product: str
    quantity: int = Field(ge=1)


class Order(BaseModel):
    number: str
    lines: list[Line]
    is_urgent: bool


SAMPLE = Order(number="text", lines=[], is_urgent=False)
SCRIPTED = Order(number="A-1", lines=[Line(product="Bike", quantity=2)], is_urgent=True)
QUESTION = "Read the order as JSON"


@pytest.fixture(params=[None, SCRIPTED], ids=["default", "scripted"])
def expected(request: pytest.FixtureRequest, simulator: Simulator) -> Order:
    if request.param is None:
        return SAMPLE
    simulator.play({"answers": [{"blocks": [{"type": "text", "json": SCRIPTED.model_dump()}]}]})
    return SCRIPTED


async def test_anthropic_parses_its_structured_output(clients: Clients, expected: Order) -> None:
    message = await clients.anthropic.messages.parse(
        model="claude-sonnet-5",
        max_tokens=999,
        messages=[{"role": "user", "content": QUESTION}],
        output_format=Order,
    )

    assert message.parsed_output == expected


async def test_chat_parses_its_structured_output(clients: Clients, expected: Order) -> None:
    completion = await clients.openai.chat.completions.parse(
        model="gpt-5", messages=[{"role": "user", "content": QUESTION}], response_format=Order
    )

    assert completion.choices[0].message.parsed == expected


async def test_responses_parse_their_structured_output(clients: Clients, expected: Order) -> None:
    response = await clients.openai.responses.parse(model="gpt-5", input=QUESTION, text_format=Order)

    assert response.output_parsed == expected


async def test_google_parses_its_structured_output(clients: Clients, expected: Order) -> None:
    config = google_types.GenerateContentConfig(response_mime_type="application/json", response_schema=Order)

    response = await clients.google.aio.models.generate_content(model="gemini-3-pro", contents=QUESTION, config=config)

    assert response.parsed == expected
