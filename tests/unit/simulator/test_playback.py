"""Which answer a request gets, and when the script moves on."""

from typing import Any

import pytest

from batuta.simulator import Fault, parse_scenario
from batuta.simulator.playback import Playback
from batuta.simulator.wire.asked import WireRequest


def playback(**data: Any) -> Playback:
    return Playback(parse_scenario(data))


def ask(player: Playback, text: str = "Hello", requested: Fault | None = None) -> str:
    """The answer's text, or the name of the fault that strikes."""
    asked = WireRequest(provider="anthropic", model="claude", body={}, last_user_text=text)
    cue = player.next(asked, requested)
    return cue.fault.kind if cue.fault else getattr(cue.answer.blocks[0], "text", "")


def asks(player: Playback, count: int) -> list[str]:
    return [ask(player) for _ in range(count)]


def test_the_script_is_played_in_order_then_requests_are_echoed() -> None:
    """F-46"""
    assert asks(playback(answers=["one", "two"]), 3) == ["one", "two", "You said: Hello"]


def test_the_last_answer_is_repeated_when_the_scenario_says_so() -> None:
    assert asks(playback(answers=["one", "two"], otherwise="repeat"), 4) == ["one", "two", "two", "two"]


def test_a_request_beyond_the_script_is_refused_when_the_scenario_says_so() -> None:
    """F-46: an unexpected request fails."""
    assert asks(playback(answers=["one"], otherwise="fail"), 3) == ["one", "bad_request", "bad_request"]


def test_a_rule_goes_before_the_script_and_does_not_use_it_up() -> None:
    player = playback(answers=["one"], rules=[{"when": {"last_user": "rain"}, "answer": "It rains."}])

    assert [ask(player, "Will it rain?"), ask(player), ask(player, "rain?")] == ["It rains.", "one", "It rains."]


def test_a_rule_is_over_after_its_times() -> None:
    assert asks(playback(answers=["one"], rules=[{"when": {}, "answer": "rule", "times": 2}]), 3) == [
        "rule",
        "rule",
        "one",
    ]


def test_a_failing_answer_is_given_after_its_fault_has_struck_often_enough() -> None:
    player = playback(answers=[{"text": "one", "fault": {"kind": "overloaded", "times": 2}}, "two"])

    assert asks(player, 4) == ["overloaded", "overloaded", "one", "two"]


def test_an_answer_that_is_only_a_fault_is_used_up_by_it() -> None:
    assert asks(playback(answers=[{"fault": {"kind": "rate_limited", "times": 2}}, "two"]), 3) == [
        "rate_limited",
        "rate_limited",
        "two",
    ]


def test_a_fault_that_still_answers_uses_the_answer_up() -> None:
    player = playback(answers=[{"text": "one", "fault": {"kind": "slow_first_byte", "seconds": 0}}, "two"])

    assert asks(player, 2) == ["slow_first_byte", "two"]


def test_a_rule_that_is_only_a_fault_strikes_every_time() -> None:
    assert asks(playback(rules=[{"when": {}, "answer": {"fault": {"kind": "unavailable"}}}]), 3) == ["unavailable"] * 3


def test_an_injected_fault_strikes_before_the_script_and_costs_no_answer() -> None:
    player = playback(answers=["one"])
    player.inject(Fault(kind="server_error", times=2))

    assert asks(player, 3) == ["server_error", "server_error", "one"]


def test_a_requested_fault_strikes_that_request_alone() -> None:
    player = playback(answers=["one"])

    assert [ask(player, requested=Fault(kind="bad_gateway")), ask(player)] == ["bad_gateway", "one"]


@pytest.mark.parametrize(("requests", "unused"), [(0, 2), (1, 1), (2, 0), (5, 0)])
def test_unused_answers_are_counted(requests: int, unused: int) -> None:
    player = playback(answers=["one", "two"])
    asks(player, requests)

    assert player.unused_answers == unused
