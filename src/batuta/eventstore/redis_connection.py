"""The connection to Redis: scripts that know which life of the server they talk to, and errors turned into ours."""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from batuta.eventstore.redis_scripts import SCRIPTS, with_life
from batuta.kernel.errors import MissingExtraError, StoreUnavailableError

try:
    import redis.asyncio
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
    from redis.exceptions import NoScriptError, RedisError
except ImportError as missing:
    raise MissingExtraError("redis", needed_for="Redis") from missing

ANSWER_SECONDS = 10.0
CHECKED = ("appendonly", "appendfsync", "maxmemory-policy")


@contextmanager
def errors_as_ours() -> Iterator[None]:
    """Turn what the client raises into `StoreUnavailableError`: it is unknown then what was executed."""
    try:
        yield
    except (RedisError, OSError, TimeoutError) as error:
        raise StoreUnavailableError(f"Redis did not do it: {type(error).__name__}: {error}") from error


class StreamEntry(NamedTuple):
    """An event in a session's stream: its position and its fields."""

    seq: int
    fields: dict[str, str]


class Call:
    """One script call: its name, keys and arguments."""

    __slots__ = ("arguments", "keys", "script")

    def __init__(self, script: str, keys: Sequence[str], arguments: Sequence[str | bytes | int] = ()) -> None:
        self.script, self.keys, self.arguments = script, keys, arguments


class RedisConnection:
    """Runs scripts on the present life of a server."""

    def __init__(self, url: str, tag: str, *, answer_seconds: float = ANSWER_SECONDS) -> None:
        self.client = redis.asyncio.Redis.from_url(
            url,
            socket_timeout=answer_seconds,
            socket_connect_timeout=5.0,
            retry=Retry(NoBackoff(), 1),
            decode_responses=True,
        )
        self.life = ""
        self._tag = tag
        self._hashes: dict[str, str] = {}
        self._meeting = asyncio.Lock()

    async def run(self, *calls: Call) -> list[Any]:
        """Run the calls in one round trip, in order; an answer may be an exception.

        A server that restarted refuses scripts of its former life: then its new identity is learnt, and the refused
        calls are sent again.
        """
        answers = await self._send(calls)
        refused = [index for index, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if refused:
            await self._meet()
            again = await self._send([calls[index] for index in refused])
            for index, answer in zip(refused, again, strict=True):
                answers[index] = answer
        return answers

    async def run_one(self, call: Call) -> Any:
        """Run one call; raises what it answers if that is an exception."""
        (answer,) = await self.run(call)
        if isinstance(answer, Exception):
            with errors_as_ours():
                raise answer
        return answer

    async def settings(self) -> dict[str, str]:
        """What the server says about its durability."""
        with errors_as_ours():
            found = await self.client.config_get(*CHECKED)
        return {str(name): str(value) for name, value in found.items()}

    async def entries(self, stream: str, *, after: int, limit: int) -> list[StreamEntry]:
        """What a session's stream holds behind a position."""
        with errors_as_ours():
            found: Any = await self.client.xrange(stream, min=f"{after + 1}-0", count=min(limit, 2**31))
        return [StreamEntry(int(entry_id.partition("-")[0]), fields) for entry_id, fields in found]

    async def close(self) -> None:
        """Disconnect."""
        await self.client.aclose()

    async def _send(self, calls: Sequence[Call]) -> list[Any]:
        if not self.life:
            await self._meet()
        with errors_as_ours():
            pipeline = self.client.pipeline(transaction=False)
            for call in calls:
                sha = self._hashes[call.script]
                pipeline.execute_command("EVALSHA", sha, len(call.keys), *call.keys, *call.arguments)
            return list(await pipeline.execute(raise_on_error=False))

    async def _meet(self) -> None:
        """Learn the identity of the server and give it the scripts that carry it, on one connection."""
        async with self._meeting:
            with errors_as_ours():
                async with self.client.client() as one:
                    life = (await one.info("server"))["run_id"]
                    texts = {name: with_life(script, life, self._tag) for name, script in SCRIPTS.items()}
                    for text in texts.values():
                        await one.script_load(text)
            self._hashes = {name: hashlib.sha1(text.encode()).hexdigest() for name, text in texts.items()}  # noqa: S324
            self.life = life
