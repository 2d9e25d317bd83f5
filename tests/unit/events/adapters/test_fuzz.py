"""Mutated answers never crash an adapter: what cannot be read is a `MalformedAnswerError`, and nothing else.

Two answers can be read and say that there is none: a stream without its end, and one that states an error.

    BATUTA_FUZZ=50000 pytest tests/unit/events/adapters/test_fuzz.py -s

`BATUTA_FUZZ` is how many mutated answers there are (2,000 if it is not set), `BATUTA_FUZZ_SEED` repeats a run.
"""

import copy
import json
import os
import random
import sys
from collections import Counter
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from batuta.events import Event, decode, encode, normalize
from batuta.events.adapters import AnthropicAdapter, BaseAdapter, adapter_for, events_of
from batuta.kernel.errors import MalformedAnswerError, ProviderUnavailableError
from batuta.kernel.ids import new_id
from tests.replay.wire_fixtures import CELLS, streamed, whole
from tests.unit.events.adapters.langchain_forms import FORMS

COUNT = int(os.environ.get("BATUTA_FUZZ", "2000"))
SEED = int(os.environ.get("BATUTA_FUZZ_SEED", str(random.SystemRandom().randrange(2**32))))

JUNK: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    float("nan"),
    "",
    "text",
    "\ud83d",
    "\x00",
    "{",
    "[1]",
    [],
    [None],
    ["text", 7],
    {},
    {"type": "text"},
    {"type": 7},
    {"type": "hologram", "text": 7},
    {"text": None},
    {"parts": 7},
)


def test_ft15_a_mutated_answer_is_read_or_refused_as_malformed() -> None:
    """Half of them whole, half as streams."""
    sys.stdout.write(f"\nBATUTA_FUZZ={COUNT} BATUTA_FUZZ_SEED={SEED}\n")
    dice = random.Random(SEED)
    counts: Counter[str] = Counter()
    for _ in range(COUNT):
        provider, feature = dice.choice(CELLS)
        form = dice.choice((whole, streamed))
        given = mutated(form(provider, feature), dice)
        try:
            events = _told(adapter_for(provider), given, form)
        except MalformedAnswerError:
            counts["malformed"] += 1
        except ProviderUnavailableError as error:
            counts[_said_by(error, given, form)] += 1
        else:
            counts["read"] += 1
            _check_that_they_can_be_stored(events)
    sys.stdout.write(f"{', '.join(f'{kind} {count}' for kind, count in sorted(counts.items()))}\n")
    assert counts["read"] > COUNT / 4, "mutations that are always refused test little"
    assert {"malformed", "broken off"} <= set(counts)


def _said_by(error: ProviderUnavailableError, given: Any, form: Any) -> str:
    """Why there is no answer although it could be read: only a stream can break off, only an error can be stated."""
    if form is streamed and "broke off" in str(error):
        return "broken off"
    stated = '"error": ' in json.dumps(given, default=str).replace('"error": null', "")
    assert stated, f"no error is stated in {given}"
    return "stated"


@pytest.mark.filterwarnings("ignore")  # the packages warn of what they think of our settings
def test_a_mutated_state_is_read_or_refused_as_malformed() -> None:
    """States of a graph, with messages as LangChain dumps them."""
    sys.stdout.write(f"\nBATUTA_FUZZ={COUNT} BATUTA_FUZZ_SEED={SEED}\n")
    dice = random.Random(SEED)
    states = [_state(form, feature) for form in FORMS for feature in ("text_and_tools", "server_tool", "citations")]
    read = 0
    for _ in range(COUNT // 2):
        try:
            events = normalize(
                mutated(dice.choice(states), dice), AnthropicAdapter(), session_id=new_id(), agent_id="a"
            )
        except MalformedAnswerError:
            continue
        read += 1
        assert [event.original_index for event in events] == list(range(1, len(events) + 1))
        for event in events:
            assert decode(encode(event)).type == event.type
    sys.stdout.write(f"read {read} of {COUNT // 2}\n")
    assert read > COUNT / 8


def _state(form: str, feature: str) -> dict[str, Any]:
    message = FORMS[form][1](feature)
    results = [ToolMessage("done", tool_call_id=str(call["id"])).model_dump() for call in message.tool_calls]
    executions = [{"tool_use_id": "x", "tool_name": "a", "result": {"n": 1}, "success": True, "duration_ms": 3}]
    messages = [HumanMessage("Hello.").model_dump(), message.model_dump(), *results, AIMessage("Done.").model_dump()]
    return {"messages": messages, "tool_executions": executions, "used_model": "m"}


def _told(adapter: BaseAdapter, given: Any, form: Any) -> list[Event]:
    if form is whole:
        return adapter.normalize_message(given, 1)
    reader = adapter.stream()
    for chunk in given:
        reader.feed(chunk)
    assert reader.partial is not None
    return events_of(reader.close(), 1)


def _check_that_they_can_be_stored(events: list[Event]) -> None:
    assert events
    for event in events:
        json.loads(encode(event))
        assert decode(encode(event)).type == event.type
    assert len([event for event in events if getattr(event, "usage", None)]) <= 1


def mutated(original: Any, dice: random.Random) -> Any:
    """A copy with one to four places changed, removed, doubled or moved."""
    value = copy.deepcopy(original)
    for _ in range(dice.randint(1, 4)):
        place = _somewhere(value, dice)
        if place is not None:
            dice.choice(MUTATIONS)(*place, dice)
    return value


def _somewhere(value: Any, dice: random.Random) -> tuple[Any, Any] | None:
    """A container and the key of one of its items, at a random depth."""
    place = None
    while isinstance(value, dict | list) and value:
        key = dice.choice(list(value)) if isinstance(value, dict) else dice.randrange(len(value))
        place = (value, key)
        if dice.random() < 0.3:
            break
        value = value[key]
    return place


def _replace(container: Any, key: Any, dice: random.Random) -> None:
    container[key] = copy.deepcopy(dice.choice(JUNK))


def _remove(container: Any, key: Any, dice: random.Random) -> None:
    del container[key]


def _double(container: Any, key: Any, dice: random.Random) -> None:
    if isinstance(container, list):
        container.insert(dice.randrange(len(container) + 1), copy.deepcopy(container[key]))


def _rename(container: Any, key: Any, dice: random.Random) -> None:
    if isinstance(container, dict):
        container[dice.choice(("type", "text", "content", "input", "error_", key.upper()))] = container.pop(key)


def _swap(container: Any, key: Any, dice: random.Random) -> None:
    other = dice.choice(list(container)) if isinstance(container, dict) else dice.randrange(len(container))
    container[key], container[other] = container[other], container[key]


def _shorten(container: Any, key: Any, dice: random.Random) -> None:
    if isinstance(container[key], str | list):
        container[key] = container[key][: len(container[key]) // 2]


MUTATIONS = (_replace, _replace, _remove, _double, _rename, _swap, _shorten)
