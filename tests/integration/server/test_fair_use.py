"""What one person, or one workspace, has open is bounded; others are served as before (LD-06)."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import pytest
from socketio.exceptions import ConnectionError as RefusedError

from batuta.kernel.ids import new_id
from batuta.server.config import Settings
from tests.support.platform import Person, Running, has_ended, running

MANY = 20
OF_A_USER, OF_A_WORKSPACE = 4, 6


@pytest.fixture
async def narrow(settings: Settings) -> AsyncIterator[Running]:
    """A platform of each mode with small limits; what is asked of it waits."""
    limits = {
        "max_open_turns_of_a_user": OF_A_USER,
        "max_open_turns_of_a_workspace": OF_A_WORKSPACE,
        "max_connections_of_a_user": OF_A_USER,
        "max_connections_of_a_workspace": OF_A_WORKSPACE,
    }
    async with running(settings.model_copy(update=limits)) as site:
        yield site
        site.stage.gate.set()


@pytest.fixture
async def people(narrow: Running) -> list[Person]:
    """Two of one workspace and one of another."""
    home, elsewhere = await narrow.new_workspace(), await narrow.new_workspace()
    places = {"ana": home, "ben": home, "eva": elsewhere}
    return [await narrow.person(f"{name}@example.com", workspace=place) for name, place in places.items()]


async def said_at_once(person: Person, count: int) -> list[tuple[dict[str, Any], str, Any]]:
    """So many messages in the same moment, each in a session of its own: message, session, answer."""
    sessions = [await person.session() for _ in range(count)]
    bodies = [{"client_message_id": new_id(), "text": "slow"} for _ in sessions]
    answers = await asyncio.gather(
        *(
            person.http.post(f"/api/sessions/{session}/messages", json=body)
            for session, body in zip(sessions, bodies, strict=True)
        )
    )
    return list(zip(bodies, sessions, answers, strict=True))


async def test_ld06_turns_beyond_the_limit_are_refused_and_others_are_served(people: list[Person]) -> None:
    """LD-06: messages in the same moment, of one person and of a workspace; one that was accepted may be sent again."""
    ana, ben, eva = people
    sent = await said_at_once(ana, MANY)
    assert Counter(answer.status_code for *_, answer in sent) == {202: OF_A_USER, 429: MANY - OF_A_USER}
    assert {answer.json()["code"] for *_, answer in sent if answer.status_code == 429} == {"TOO_MANY_TURNS"}
    body, session, first = next(each for each in sent if each[2].status_code == 202)
    again = await ana.http.post(f"/api/sessions/{session}/messages", json=body)
    assert (again.status_code, again.json()["turn_id"]) == (202, first.json()["turn_id"])
    left = OF_A_WORKSPACE - OF_A_USER
    of_workspace = Counter(answer.status_code for *_, answer in await said_at_once(ben, MANY))
    assert of_workspace == {202: left, 429: MANY - left}
    assert [answer.status_code for *_, answer in await said_at_once(eva, 2)] == [202, 202]


async def test_ld06_room_comes_back_with_the_end_of_a_turn(narrow: Running, people: list[Person]) -> None:
    ana, *_ = people
    sent = await said_at_once(ana, OF_A_USER)
    narrow.stage.gate.set()
    for _, session, answer in sent:
        await ana.until(session, partial(has_ended, turn_id=answer.json()["turn_id"]))
    assert [answer.status_code for *_, answer in await said_at_once(ana, 1)] == [202]


async def test_ld06_sockets_beyond_the_limit_are_refused_and_others_connect(people: list[Person]) -> None:
    ana, ben, eva = people
    for person, count in ((ana, OF_A_USER), (ben, OF_A_WORKSPACE - OF_A_USER)):
        for _ in range(count):
            await person.tab()
        with pytest.raises(RefusedError):
            await person.tab()
    assert (await eva.tab()).client.connected


async def test_ld06_streams_beyond_the_limit_are_refused_and_others_are_opened(people: list[Person]) -> None:
    ana, ben, eva = people
    async with AsyncExitStack() as stack:

        async def opened(person: Person) -> int:
            path = f"/api/sessions/{await person.session()}/stream"
            return (await stack.enter_async_context(person.http.stream("GET", path))).status_code

        assert [await opened(ana) for _ in range(OF_A_USER + 1)] == [200] * OF_A_USER + [429]
        left = OF_A_WORKSPACE - OF_A_USER
        assert [await opened(ben) for _ in range(left + 1)] == [200] * left + [429]
        assert await opened(eva) == 200
