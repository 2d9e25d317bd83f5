"""Search by meaning on a running platform: vectors from a provider over real sockets, kept as models change (A-12)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from batuta.knowledge.vectors.contract import active_space
from batuta.llm.embedding_factory import named_embedding_model
from batuta.server.config import Settings
from batuta.server.platform_vectors import PlatformVectors, platform_vectors
from batuta.server.team import first_team
from batuta.server.wiring import open_platform
from batuta.simulator import Fault, Simulator
from tests.integration.server.test_files import ended, found, settled, uploaded
from tests.support.platform import running

FIRST, SECOND = "openai:text-embedding-3-small", "openai:text-embedding-3-large#128"


@pytest.fixture
async def provider(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Simulator]:
    named_embedding_model.cache_clear()  # the address of the last one
    async with Simulator() as simulator:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{simulator.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        yield simulator


async def active(settings: Settings) -> str | None:
    opened = platform_vectors(settings)
    assert opened is not None
    space = active_space(await opened.index.spaces())
    await opened.close()
    return None if space is None else space.name


async def until_active(settings: Settings, name: str) -> None:
    for _ in range(400):
        if await active(settings) == name:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{name} never became active")


async def test_a_file_gets_vectors_and_a_new_model_takes_over(settings: Settings, provider: Simulator) -> None:
    """A word that no stemmer knows to be the same is found by its pieces, by the old model and then by the new one."""
    first = settings.model_copy(update={"embedding_model": FIRST})
    async with running(first) as site:
        ana = await site.person()
        file_id = await uploaded(ana, "note.md", b"# Note\n\nSubcontractors are insured by themselves.\n")
        file = await settled(ana, file_id)
        assert (await ended(ana, file["job_id"]))["progress"] == "100/100"
        await until_active(first, FIRST)
        assert file_id in await found(ana, "contractorship insuredness")
    second = settings.model_copy(update={"embedding_model": SECOND})
    async with running(second):
        await until_active(second, SECOND)
    assert all(exchange.path == "/v1/embeddings" for exchange in provider.requests)


async def test_a_file_is_ready_while_the_provider_is_away(settings: Settings, provider: Simulator) -> None:
    provider.inject(Fault(kind="unauthorized", times=1_000))
    async with running(settings.model_copy(update={"embedding_model": FIRST})) as site:
        ana = await site.person()
        file_id = await uploaded(ana, "note.md", b"# Note\n\nThe penguin clause.\n")
        file = await settled(ana, file_id)
        assert file["status"] == "ready"
        assert (await ended(ana, file["job_id"]))["status"] == "completed"
        assert await found(ana, "penguin") == [file_id]


async def test_a_process_opens_its_vectors_once(
    settings: Settings, provider: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The team searches in the index that the files are embedded into; it is closed by the one that opened it."""
    opened: list[PlatformVectors] = []

    def counted(**parts: Any) -> PlatformVectors:
        opened.append(PlatformVectors(**parts))
        return opened[-1]

    monkeypatch.setattr("batuta.server.platform_vectors.PlatformVectors", counted)
    own = settings.model_copy(update={"embedding_model": FIRST})
    async with first_team(own) as team, open_platform(own, team.orchestrator, vectors=team.vectors):
        assert team.vectors is not None
        assert opened == [team.vectors]
    async with open_platform(own, team.orchestrator):
        assert len(opened) == 2
