"""A thousand secrets and personal data go into runs in every way; none comes out for operators to see (T-24)."""

import logging
import random
import string
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import quote_plus, unquote_plus

import pytest
import structlog

from batuta import AgentStep, Pipeline, step, tool
from batuta.events.runtime import ToolRefused
from batuta.kernel.errors import ProviderRejectedError
from batuta.observability import measures
from batuta.observability.channel import EventChannel
from batuta.observability.metrics import PrometheusMetrics
from batuta.observability.redaction import Redactor
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools.context import ToolUser
from tests.support.outlets import Outlets

SECRETS = 1_000
_rng = random.Random(20260115)


def _chars(alphabet: str, count: int) -> str:
    return "".join(_rng.choices(alphabet, k=count))


_LOWER = string.ascii_lowercase
_WORD = string.ascii_letters + string.digits

KINDS: dict[str, Callable[[], str]] = {
    "anthropic key": lambda: f"sk-ant-api03-{_chars(_WORD, 40)}",
    "openai key": lambda: f"sk-proj-{_chars(_WORD, 32)}",
    "google key": lambda: f"AIza{_chars(_WORD, 35)}",
    "github token": lambda: f"ghp_{_chars(_WORD, 36)}",
    "aws key": lambda: f"AKIA{_chars(string.ascii_uppercase + string.digits, 16)}",
    "slack token": lambda: f"xoxb-{_chars(string.digits, 12)}-{_chars(_WORD, 24)}",
    "jwt": lambda: f"eyJ{_chars(_WORD, 20)}.eyJ{_chars(_WORD, 30)}.{_chars(_WORD, 43)}",
    "opaque token": lambda: f"{_chars(_LOWER, 10)}{_chars(_LOWER, 10).upper()}{_chars(string.digits, 10)}",
    "e-mail": lambda: f"{_chars(_LOWER, 9)}.{_chars(_LOWER, 7)}@{_chars(_LOWER, 8)}.es",
    "phone": lambda: f"+34 6{_chars(string.digits, 2)} {_chars(string.digits, 3)} {_chars(string.digits, 3)}",
    "iban": lambda: f"ES{_chars(string.digits, 2)} {' '.join(_chars(string.digits, 4) for _ in range(5))}",
    "card": lambda: " ".join(["4" + _chars(string.digits, 3), *(_chars(string.digits, 4) for _ in range(3))]),
    "national id": lambda: f"{_chars(string.digits, 8)}{_rng.choice('ABCDEFGHJKLMNPQRSTVWXYZ')}",
}
"""Secrets that are known by their shape, wherever they stand."""

PLACED: dict[str, Callable[[str], str]] = {
    "bearer": lambda word: f"Authorization: Bearer {word}",
    "header": lambda word: f"x-api-key: {word}",
    "password": lambda word: f"password={word}",
    "url user": lambda word: f"https://bob:{word}@db.example/x",
    "url query": lambda word: f"https://api.example/v1?access_token={word}&page=2",
    "json": lambda word: f'{{"client_secret": "{word}"}}',
}
"""Secrets of any shape, known by where they stand."""


@dataclass
class Planted:
    """A secret: the text it is hidden in, and the part that must not be seen."""

    text: str
    secret: str


def planted() -> Iterator[Planted]:
    for number in range(SECRETS):
        kinds, places = list(KINDS), list(PLACED)
        if number % 2:
            made = KINDS[kinds[number // 2 % len(kinds)]]()
            yield Planted(f"please use {made} now", made)
        else:
            word = _chars(_WORD, 14)
            yield Planted(PLACED[places[number // 2 % len(places)]](word), word)


@pytest.fixture
def outlets() -> Iterator[Outlets]:
    seen = Outlets()
    with seen.logging(Redactor({"badge_number"})):
        yield seen


def _refuse(text: str) -> NoReturn:
    raise ConnectionError(f"refused: {text}")


async def leak_everywhere(one: Planted, channel: EventChannel) -> None:
    """Put a secret where secrets get: a prompt, tool arguments, a tool's error, a provider's error, a step's error."""

    @tool(effect="read")
    async def look_up(query: str) -> str:
        """Find something."""
        raise ValueError(f"no row for {query}")

    @step
    async def broken(text: str) -> str:
        log = logging.getLogger("batuta.llm.client")
        log.info("calling %s", text)
        log.info("badge", extra={"badge_number": one.secret})
        structlog.get_logger("batuta.tools").warning("sent", headers={"authorization": one.secret}, url=text)
        try:
            _refuse(text)
        except ConnectionError as error:
            log.exception("failed for %s", text)
            raise RuntimeError(f"cannot send {text}") from error

    talking = ScriptedModel([Reply(tool_calls=[ToolCall("look_up", {"query": one.text})]), Reply(f"I saw {one.text}")])
    refused = ScriptedModel([ProviderRejectedError(f"400 from the provider: {one.text}", status=400)])
    clerk = AgentStep(name="clerk", model=talking, instructions=one.text, tools=[look_up], output=str)
    user = ToolUser(id=one.secret if "@" in one.secret else "user-7")
    await Pipeline("talk", clerk).run(one.text, sink=channel, user=user)
    await Pipeline("refused", AgentStep(name="r", model=refused, instructions="", output=str)).run(
        one.text, sink=channel
    )
    await Pipeline("broken", broken).run(one.text, sink=channel)


@pytest.mark.slow
async def test_no_secret_is_seen_by_operators(outlets: Outlets) -> None:
    secrets = list(planted())
    with outlets.watching(capacity=100_000) as channel:
        for one in secrets:
            await leak_everywhere(one, channel)
    raw = outlets.raw_text()
    assert all(one.secret in raw for one in secrets), "every secret did travel through the run"
    texts = outlets.texts()
    found = {where: sum(one.secret in text for one in secrets) for where, text in texts.items()}
    sys.stdout.write(f"of {len(secrets)} secrets were seen: {found}\n")
    assert set(found.values()) == {0}, found
    assert texts["logs"].count("\n") > SECRETS * 10
    assert len(outlets.spans.get_finished_spans()) > SECRETS * 5
    assert '"event": "agent_execution_failed"' in texts["logs"]
    assert "ConnectionError" in texts["logs"]


class SeesThrough(Redactor):
    """Hides nothing: to see that a secret would be found."""

    def text(self, text: str, *, limit: int = 0) -> str:
        return text

    def name(self, name: str) -> str:
        return name


def labels_of(secrets: list[Planted]) -> str:
    """The metrics of models that ask for tools by names made of secrets."""
    metrics = PrometheusMetrics()
    for one in secrets:
        metrics.emit(ToolRefused(tool_name=one.text, tool_use_id="t", path="clerk", reason="there is no such tool"))
    return metrics.text().decode()


def test_no_secret_becomes_the_label_of_a_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = list(planted())
    shown = labels_of(secrets)
    assert shown.count("tool_refusals_total{") > 5, "there are labels that could hold one"
    assert [one.secret for one in secrets if one.secret in shown] == []
    monkeypatch.setattr(measures, "REDACTOR", SeesThrough())
    bare = labels_of(secrets)
    assert sum(one.secret in bare for one in secrets) == SECRETS, "without redaction every one would be seen"


def test_an_address_hides_nothing_by_its_encoding() -> None:
    for one in planted():
        address = f"GET https://api.example/find?q={quote_plus(one.text)}&page=2"
        shown = Redactor().text(address)
        assert one.secret not in unquote_plus(shown), shown


def test_harmless_words_are_left_alone() -> None:
    """Redaction that hides everything would be useless."""
    redactor = Redactor()
    for text in (
        "step 'parse' took 12.5 ms at 2026-11-15T04:22:21Z",
        f"trace {uuid.uuid4().hex} session {str(uuid.uuid4()).upper()}",
        'File "/usr/lib/python3.11/asyncio/tasks.py", line 277, in __step',
        "AttemptsExhaustedError: 3 attempts, 2 structural",
        "503 from https://api.example.com/v1/messages: overloaded",
        "GET /search?q=caf%C3%A9%20con%20leche&page=2 took 100% of its time",
    ):
        assert redactor.text(text) == text


def facts_of(**fields: Any) -> dict[str, Any]:
    return Redactor({"badge"}).fields(fields)


def test_fields_are_hidden_by_name() -> None:
    shown = facts_of(api_key="abc", Authorization="x", badge=7, prompt="hello", max_tokens=5, llm_tokens_used=9, n=1)
    assert shown == {
        "api_key": "[redacted]",
        "Authorization": "[redacted]",
        "badge": "[redacted]",
        "prompt": "[5 characters]",
        "max_tokens": 5,
        "llm_tokens_used": 9,
        "n": 1,
    }


def test_nested_values_are_redacted_too() -> None:
    shown = facts_of(call={"headers": {"cookie": "a"}, "to": ["ana@example.com"]}, error=ValueError("token=xyz"))
    assert shown["call"] == {"headers": {"cookie": "[redacted]"}, "to": ["[email]"]}
    assert "xyz" not in shown["error"]


def test_a_secret_at_the_cut_of_a_long_text_is_not_half_shown() -> None:
    shown = Redactor().text("x" * 1_990 + " sk-ant-api03-AAAABBBBCCCC")
    assert "sk-ant" not in shown
