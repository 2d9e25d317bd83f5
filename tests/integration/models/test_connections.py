"""Models of one endpoint share their connections, and give them back."""

import asyncio

from batuta.llm.client import ProviderModel
from batuta.llm.connections import CONNECTIONS
from batuta.llm.factory import client
from tests.integration.models.stage import Stage, base_url, said


def another(stage: Stage, *, api_key: str = "key") -> ProviderModel:
    return client(stage.name, api_key=api_key, base_url=base_url(stage.simulator, stage.provider))


async def test_models_with_one_key_share_a_client_and_those_with_another_do_not(stage: Stage) -> None:
    same, other = another(stage), another(stage, api_key="another")
    for model in (stage.bare, same, other):
        await model.generate(said())
    assert CONNECTIONS.count() == 2
    await other.aclose()
    await same.aclose()
    assert CONNECTIONS.count() == 1


async def test_closing_one_model_leaves_the_others_of_its_endpoint_working(stage: Stage) -> None:
    async with another(stage) as other:
        await other.generate(said())
        await stage.bare.generate(said())
    assert (await stage.bare.generate(said())).stop_reason == "success"


async def test_a_closed_model_can_be_used_again(stage: Stage) -> None:
    await stage.bare.generate(said())
    await stage.bare.aclose()
    assert (await stage.bare.generate(said())).stop_reason == "success"


async def test_calls_one_after_another_use_one_connection(stage: Stage, streaming: bool) -> None:
    for _ in range(10):
        await stage.ask(said(), streaming=streaming)
    assert stage.simulator.open_connections == 1


async def test_parallel_calls_on_one_model_do_not_mix(stage: Stage, streaming: bool) -> None:
    answers = await asyncio.gather(*(stage.ask(said(f"number {n}"), streaming=streaming) for n in range(20)))
    assert all(f"number {n}" in answer.text for n, answer in enumerate(answers))
