"""Who answers: the supervisor, the agent that the user chose, or the one a command means (O-21)."""

from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from batuta.events import (
    AgentDecisionRecorded,
    AssistantMessage,
    ErrorOccurred,
    PlanGenerated,
)
from batuta.llm.encoding.schemas import anthropic_schema, openai_schema
from batuta.orchestration import (
    Specialist,
)
from batuta.orchestration.supervisor import Decision
from batuta.testing import Reply
from tests.unit.orchestration.teams import agent, answer, kinds, of, plan, team

STEP: dict[str, Any] = {"agent_id": "erp", "task": "look", "depends_on": [], "expected_output": None}


async def test_the_supervisor_answers_what_needs_no_agent() -> None:
    """O-22."""
    turn = await team([answer("Hello!")], agent("erp", [])).run("hi")
    assert (turn.answer, turn.status, turn.plan) == ("Hello!", "success", None)
    (message,) = of(turn, AssistantMessage)
    assert (message.source_agent_id, message.model) == ("supervisor", "scripted")
    assert kinds(turn) == ["session_start", "user_message", "assistant_message", "complete"]


@pytest.mark.parametrize("as_sent", [lambda schema: schema, openai_schema, anthropic_schema])
@pytest.mark.parametrize(
    ("decision", "is_one"),
    [
        ({"steps": [STEP]}, True),
        ({"answer": "Hello!"}, True),
        ({"steps": [STEP], "answer": "I will look."}, False),
        ({}, False),
        ({"steps": None, "answer": None}, False),
    ],
)
def test_the_schema_has_a_place_for_steps_or_for_an_answer(
    as_sent: Callable[[dict[str, Any]], dict[str, Any]], decision: dict[str, Any], is_one: bool
) -> None:
    """O-22: and so it is when it was made strict for a provider."""
    schema = as_sent(Decision.model_json_schema())
    assert Draft202012Validator(schema).is_valid({"decision": decision}) is is_one
    assert not Draft202012Validator(schema).is_valid(decision)


async def test_a_decision_is_taken_with_and_without_its_cover() -> None:
    """O-22: the form that the schema asks for; the scripts here are the plain one."""
    covered = Reply('{"decision": {"steps": [{"agent_id": "erp", "task": "look"}]}}')
    turn = await team([covered], agent("erp", [Reply("Seven.")])).run("how many?")
    assert (turn.answer, turn.status) == ("Seven.", "success")
    named = Reply('{"decision": "plan", "steps": [{"agent_id": "erp", "task": "look"}]}')
    assert (await team([named], agent("erp", [Reply("Seven.")])).run("how many?")).answer == "Seven."
    turn = await team([Reply('{"decision": {"answer": "Hello!"}}')], agent("erp", [])).run("hi")
    assert (turn.answer, turn.plan) == ("Hello!", None)


async def test_words_beside_a_plan_only_announce_it() -> None:
    """O-22: the plain meaning of a real model's answer; it was refused three times with the same words."""
    proposed = Reply('{"answer": "I will look.", "steps": [{"agent_id": "erp", "task": "look"}]}')
    turn = await team([proposed], agent("erp", [Reply("Seven.")])).run("how many?")
    assert (turn.answer, turn.status) == ("Seven.", "success")


@pytest.mark.parametrize("nothing", ['"steps": []', '"steps": null'])
async def test_no_steps_beside_an_answer_say_nothing(nothing: str) -> None:
    turn = await team([Reply(f'{{"answer": "Hello!", {nothing}}}')], agent("erp", [])).run("hi")
    assert (turn.answer, turn.plan) == ("Hello!", None)


async def test_a_single_workers_answer_passes_through() -> None:
    """O-26."""
    turn = await team([plan(("erp", "look", []))], agent("erp", [Reply("Seven.")])).run("how many?")
    assert turn.answer == "Seven."
    assert [message.source_agent_id for message in of(turn, AssistantMessage)] == ["erp"]


async def test_the_user_picks_an_agent() -> None:
    """O-21: directed; the supervisor is not called."""
    turn = await team([], agent("erp", [Reply("Seven.")])).run("how many?", target_agent_id="erp")
    assert (turn.answer, turn.mode) == ("Seven.", "directed")
    (decision,) = [d for d in of(turn, AgentDecisionRecorded) if d.decision_type == "routing"]
    assert decision.output_data == {"agent_id": "erp"}
    assert [h.reason for h in turn.handoffs] == ["user_request"]


async def test_without_bypass_the_supervisor_is_asked_and_limited() -> None:
    """O-13."""
    crew = team([plan(("erp", "look", []))], agent("erp", [Reply("Seven.")]))
    turn = await crew.run("how many?", target_agent_id="erp", bypass_routing=False)
    assert turn.answer == "Seven."
    assert turn.mode == "directed"


async def test_without_bypass_another_agent_is_a_mistake_that_is_corrected() -> None:
    """O-13: limited by code, not by asking nicely."""
    script = [plan(("rag", "look", [])), plan(("erp", "look", []))]
    crew = team(script, agent("erp", [Reply("Seven.")]), agent("rag", []))
    turn = await crew.run("how many?", target_agent_id="erp", bypass_routing=False)
    assert turn.answer == "Seven."
    assert [step.agent_id for step in of(turn, PlanGenerated)[0].steps] == ["erp"]


async def test_a_slash_command_goes_to_its_agent() -> None:
    """O-21."""
    worker = agent("erp", [Reply("Seven.")])
    turn = await team([], Specialist(worker, name="ERP", commands=("/erp",))).run("/erp how many?")
    assert turn.answer == "Seven."


@pytest.mark.parametrize("text", ["/docs\ninterest?", "/docs\tinterest?", "  /docs  interest?", "/DOCS interest?"])
async def test_a_slash_command_ends_at_any_white_space_and_has_no_case(text: str) -> None:
    worker = agent("rag", [lambda request: Reply(request.messages[-1].text)])
    assert (await team([], Specialist(worker, name="Docs", commands=("/docs",))).run(text)).answer == "interest?"


@pytest.mark.parametrize(
    ("language", "words"), [("en", "There is no command /clac"), ("es-ES", "No existe el comando")]
)
async def test_a_command_that_nobody_has_is_answered_with_those_there_are(language: str, words: str) -> None:
    """O-21: by code; a model would take it for words."""
    docs = Specialist(agent("rag", []), name="Docs", commands=("/docs", "/search"))
    turn = await team([], docs).run("/clac 1 + 1", services={"language": language})
    assert turn.answer is not None
    assert turn.answer.startswith(words)
    assert "/docs, /search" in turn.answer
    (message,) = of(turn, AssistantMessage)
    assert message.content == turn.answer


@pytest.mark.parametrize("text", ["/home/ana/notes.txt is missing", "/ 7", "1/2"])
async def test_a_text_that_only_begins_with_a_slash_is_no_command(text: str) -> None:
    docs = Specialist(agent("rag", []), name="Docs", commands=("/docs",))
    assert (await team([answer("I see.")], docs).run(text)).answer == "I see."


async def test_the_agent_that_the_user_picked_goes_before_a_slash_command() -> None:
    docs = Specialist(agent("rag", []), name="Docs", commands=("/docs",))
    turn = await team([plan(("erp", "look", []))], agent("erp", [Reply("seen")]), docs).run(
        "/docs look", target_agent_id="erp", bypass_routing=False
    )
    assert turn.answer == "seen"


async def test_an_unknown_target_is_an_error_that_names_the_team() -> None:
    turn = await team([], agent("erp", [])).run("x", target_agent_id="ghost")
    assert turn.status == "failed"
    assert turn.error is not None
    assert "erp" in turn.error.message
    assert of(turn, ErrorOccurred)


async def test_a_wrong_plan_is_corrected() -> None:
    """O-22: anything else goes through the correction loop."""
    wrong = [plan(("ghost", "x", [])), plan(("erp", "x", [1]), ("erp", "y", [0])), plan(("erp", "look", []))]
    turn = await team(wrong, agent("erp", [Reply("Seven.")])).run("q")
    assert turn.answer == "Seven."


async def test_a_supervisor_that_never_learns_fails_the_turn() -> None:
    turn = await team([plan(("ghost", "x", []))] * 3, agent("erp", [])).run("q")
    assert turn.status == "failed"
    assert kinds(turn)[-2:] == ["error", "complete"]
