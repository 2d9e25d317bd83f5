"""E-11, E-13: the events of what a foreign graph returned."""

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage

from batuta.events import AssistantMessage, Event, Thinking, ToolRequest, ToolResponse, TurnPaused, Usage, normalize
from batuta.events.adapters import AnthropicAdapter, GoogleAdapter, OpenAIChatAdapter, ProviderAdapter
from batuta.kernel.errors import MalformedAnswerError

EXAMPLE = Path(__file__).parents[3] / "examples" / "normalize_langgraph_state.py"
SESSION = "a1b2c3d4-e5f6-7890-1234-567890abcdef"

THINKING = {"type": "thinking", "thinking": "I need to create it.", "signature": "s"}
TEXT = {"type": "text", "text": "I will create the order."}
USE = {"type": "tool_use", "id": "toolu_01", "name": "create_order", "input": {"customer": "X"}}


def _told(state: Any, adapter: ProviderAdapter | None = None) -> list[Event]:
    return normalize(state, adapter or AnthropicAdapter(), session_id=SESSION, agent_id="erp_agent")


def _ask(*names: str, **fields: Any) -> AIMessage:
    """A message that calls tools, each by its name as id."""
    calls: list[Any] = [{"type": "tool_use", "id": f"id_{name}", "name": name, "input": {}} for name in names]
    return AIMessage(content=calls, **fields)


def _types(events: list[Event]) -> list[str]:
    return [event.type for event in events]


def _responses(events: list[Event]) -> list[ToolResponse]:
    return [event for event in events if isinstance(event, ToolResponse)]


def test_the_acceptance_example_runs() -> None:
    runpy.run_path(str(EXAMPLE))


@pytest.fixture
def worked_example() -> dict[str, Any]:
    """The seed's: human, AI with thinking, text and tool use, tool, AI."""
    return {
        "messages": [
            HumanMessage("Create a sales order for customer X"),
            AIMessage(content=[THINKING, TEXT, USE], response_metadata={"stop_reason": "tool_use"}),
            ToolMessage("Order created: SO-001", tool_call_id="toolu_01"),
            AIMessage(content=[{"type": "text", "text": "Done."}], response_metadata={"stop_reason": "end_turn"}),
        ]
    }


def test_the_worked_example_of_the_seed(worked_example: dict[str, Any]) -> None:
    assert [(event.type, event.original_index) for event in _told(worked_example)] == [
        ("thinking", 1),
        ("assistant_message", 2),
        ("tool_request", 3),
        ("tool_response", 4),
        ("assistant_message", 5),
    ]


CALL = {"type": "tool_call", "id": "toolu_01", "name": "create_order", "args": {"customer": "X"}}
RESULT = ToolMessage("Order created: SO-001", tool_call_id="toolu_01", name="create_order")


def _counted(given: int, made: int) -> dict[str, int]:
    """What every package puts beside a message."""
    return {"input_tokens": given, "output_tokens": made, "total_tokens": given + made}


def _chat(finish: str, given: int, made: int) -> dict[str, Any]:
    used = {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
    about = {"model_provider": "openai", "model_name": "gpt-4o", "finish_reason": finish, "token_usage": used}
    return {"response_metadata": about, "usage_metadata": _counted(given, made)}


def _responses_form(given: int, made: int) -> dict[str, Any]:
    about = {"model_provider": "openai", "model_name": "gpt-5", "status": "completed"}
    return {"response_metadata": about, "usage_metadata": _counted(given, made)}


def _gemini(given: int, made: int) -> dict[str, Any]:
    about = {"model_provider": "google_genai", "model_name": "gemini-2.5-flash", "finish_reason": "STOP"}
    return {"response_metadata": about, "usage_metadata": _counted(given, made)}


OPENAI_FORM = [
    AIMessage(
        "I will create the order.",
        tool_calls=[CALL],
        additional_kwargs={"reasoning_content": "I need to create it.", "refusal": None},
        **_chat("tool_calls", 20, 30),
    ),
    RESULT,
    AIMessage("Done. Order SO-001 created.", **_chat("stop", 60, 9)),
]
RESPONSES_FORM = [
    AIMessage(
        content=[
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "I need to create it."}]},
            {"type": "text", "text": "I will create the order.", "annotations": [], "id": "msg_1"},
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "toolu_01",
                "name": "create_order",
                "arguments": '{"customer": "X"}',
            },
        ],
        tool_calls=[CALL],
        **_responses_form(20, 30),
    ),
    RESULT,
    AIMessage([{"type": "text", "text": "Done. Order SO-001 created.", "annotations": []}], **_responses_form(60, 9)),
]
GOOGLE_FORM = [
    AIMessage(
        content=[{"type": "thinking", "thinking": "I need to create it."}, "I will create the order."],
        tool_calls=[CALL],
        additional_kwargs={"function_call": {"name": "create_order", "arguments": '{"customer": "X"}'}},
        **_gemini(20, 30),
    ),
    RESULT,
    AIMessage("Done. Order SO-001 created.", **_gemini(60, 9)),
]
PACKAGES = [(OPENAI_FORM, "gpt-4o"), (RESPONSES_FORM, "gpt-5"), (GOOGLE_FORM, "gemini-2.5-flash")]


def _facts(event: Event) -> dict[str, Any]:
    """All that an event says but its id, its time, its model, and what a provider wants back with it."""
    return event.model_dump(mode="json", exclude={"event_id", "timestamp", "model", "signature", "details"})


def _models(events: list[Event]) -> list[str]:
    return [event.model for event in events if isinstance(event, Thinking | AssistantMessage | ToolRequest)]


@pytest.mark.parametrize("has_executions", [True, False], ids=["executed", "tool messages"])
@pytest.mark.parametrize("names_model", [True, False], ids=["own model", "used model"])
@pytest.mark.parametrize(("messages", "model"), PACKAGES, ids=["chat", "responses", "google"])
def test_the_acceptance_example_in_the_form_of_every_package(
    messages: list[AIMessage | ToolMessage], model: str, names_model: bool, has_executions: bool
) -> None:
    """The same events field by field, with index, usage and stop reason, and the model that was really used.

    Adapters are found by provider name, per message: the given one is Anthropic's.
    """
    example = runpy.run_path(str(EXAMPLE))
    given = messages if names_model else [_without_model(message) for message in messages]
    state = {**example["state"], "messages": [example["state"]["messages"][0], *given]}
    if not has_executions:
        del state["tool_executions"]

    events = _told(state)

    assert list(map(_facts, events)) == list(map(_facts, example["events"]))
    assert [event.original_index for event in events] == [1, 2, 3, 4, 5]
    assert [usage for event in events if (usage := getattr(event, "usage", None))] == [
        Usage(input=20, output=30),
        Usage(input=60, output=9),
    ]
    assert set(_models(events)) == {model if names_model else "claude-haiku-4-5"}


def _without_model(message: AIMessage | ToolMessage) -> AIMessage | ToolMessage:
    about = {name: value for name, value in message.response_metadata.items() if name != "model_name"}
    return message.model_copy(update={"response_metadata": about})


def test_every_event_has_the_session_in_upper_case_and_its_agent(worked_example: dict[str, Any]) -> None:
    events = _told(worked_example)

    assert {event.session_id for event in events} == {SESSION.upper()}
    assert {event.source_agent_id for event in events} == {"erp_agent"}


def test_a_session_id_that_is_no_uuid_is_refused() -> None:
    with pytest.raises(ValueError, match="session id"):
        normalize({"messages": []}, AnthropicAdapter(), session_id="seven", agent_id="a")


@pytest.mark.parametrize(
    "state",
    [{}, {"messages": []}, {"messages": None}, SimpleNamespace(messages=()), {"messages": [], "tool_executions": None}],
)
def test_no_messages_give_no_events(state: Any) -> None:
    assert _told(state) == []


def test_messages_of_others_than_models_give_nothing() -> None:
    """E-11: human messages were already confirmed; E-13: no AI message."""
    messages = [SystemMessage("Be kind."), HumanMessage("Hello."), RemoveMessage("m1"), {"role": "user"}, None]

    assert _told({"messages": messages}) == []


@pytest.mark.parametrize("messages", [7, "text", {"role": "user"}])
def test_messages_that_are_no_list_are_refused(messages: Any) -> None:
    with pytest.raises(MalformedAnswerError, match="no list"):
        _told({"messages": messages})


def test_a_malformed_block_is_kept_between_its_neighbours() -> None:
    """E-13."""
    message = AIMessage(content=[TEXT])
    message.content = [TEXT, {"type": "text", "text": 7}, {"type": "tool_use"}, TEXT]

    events = _told({"messages": [message]})

    assert [event.opaque for event in events if isinstance(event, AssistantMessage)] == [
        (),
        ({"type": "text", "text": 7},),
        ({"type": "tool_use"},),
        (),
    ]


def test_an_execution_tells_more_than_its_tool_message_and_counts_once() -> None:
    execution = {"tool_use_id": "id_a", "tool_name": "a", "result": {"n": 1}, "success": True, "duration_ms": 12}
    messages = [_ask("a"), ToolMessage("from the message", tool_call_id="id_a")]

    [response] = _responses(_told({"messages": messages, "tool_executions": [execution]}))

    assert (response.content, response.duration_ms, response.success) == ('{"n":1}', 12.0, True)


def test_executions_in_the_spelling_of_the_seed_are_read() -> None:
    execution = {"toolUseId": "id_a", "toolName": "a", "result": "ok", "success": False, "error": "late"}
    state = {"messages": [_ask("a")], "toolExecutions": [execution], "usedModel": "claude-x"}

    [request, response] = _told(state)

    assert isinstance(request, ToolRequest)
    assert request.model == "claude-x"
    assert isinstance(response, ToolResponse)
    assert (response.success, response.error) == (False, "late")


def test_responses_follow_all_requests_in_call_order() -> None:
    """E-11: whatever the order in which the tools were done."""
    results = [ToolMessage(f"did {name}", tool_call_id=f"id_{name}") for name in ("c", "a", "b")]

    events = _told({"messages": [_ask("a", "b", "c"), *results, AIMessage("All done.")]})

    assert _types(events) == ["tool_request"] * 3 + ["tool_response"] * 3 + ["assistant_message"]
    assert [response.content for response in _responses(events)] == ["did a", "did b", "did c"]
    assert [event.original_index for event in events] == list(range(1, 8))


def test_executions_and_tool_messages_complete_each_other() -> None:
    execution = {"tool_use_id": "id_b", "tool_name": "b", "result": "executed", "success": True}
    messages = [_ask("a", "b"), ToolMessage("answered", tool_call_id="id_a"), ToolMessage("x", tool_call_id="id_b")]

    events = _told({"messages": messages, "tool_executions": [execution]})

    assert [response.content for response in _responses(events)] == ["answered", "executed"]


def test_a_call_whose_result_never_came_has_no_response() -> None:
    """E-13: nothing is told that did not happen."""
    events = _told({"messages": [_ask("a", "b"), ToolMessage("did b", tool_call_id="id_b")]})

    assert _types(events) == ["tool_request", "tool_request", "tool_response"]
    assert _responses(events)[0].tool_use_id == "id_b"


def test_the_same_id_used_twice_pairs_in_order() -> None:
    messages = [
        _ask("a"),
        ToolMessage("first", tool_call_id="id_a"),
        _ask("a"),
        ToolMessage("second", tool_call_id="id_a"),
    ]

    events = _told({"messages": messages})

    assert _types(events) == ["tool_request", "tool_response"] * 2
    assert [response.content for response in _responses(events)] == ["first", "second"]


def test_an_execution_stands_for_its_own_message_when_an_id_is_used_twice() -> None:
    execution = {"tool_use_id": "id_a", "tool_name": "a", "result": "executed", "success": True}
    results = [ToolMessage(words, tool_call_id="id_a") for words in ("first", "second")]

    events = _told({"messages": [_ask("a"), results[0], _ask("a"), results[1]], "tool_executions": [execution]})

    assert [response.content for response in _responses(events)] == ["executed", "second"]


def test_a_result_given_twice_is_told_once() -> None:
    messages = [_ask("a"), ToolMessage("x", tool_call_id="id_a"), ToolMessage("x", tool_call_id="id_a")]

    assert _types(_told({"messages": messages})) == ["tool_request", "tool_response"]


def test_a_result_nobody_asked_for_is_told_where_it_stands() -> None:
    """Histories are trimmed: the request may be gone, what came of it is not lost."""
    messages = [ToolMessage("old", tool_call_id="gone", name="a"), AIMessage("So be it.")]
    execution = {"tool_use_id": "elsewhere", "tool_name": "b", "result": "late", "success": True}

    events = _told({"messages": messages, "tool_executions": [execution]})

    assert _types(events) == ["tool_response", "assistant_message", "tool_response"]
    assert [response.tool_name for response in _responses(events)] == ["a", "b"]


def test_a_failed_tool_message_says_why() -> None:
    messages = [_ask("a"), ToolMessage("no such customer", tool_call_id="id_a", status="error")]

    [response] = _responses(_told({"messages": messages}))

    assert (response.success, response.error, response.tool_name) == (False, "no such customer", "a")


def test_tool_results_in_a_user_message_of_anthropics_are_results() -> None:
    result = {"type": "tool_result", "tool_use_id": "toolu_01", "content": [{"type": "text", "text": "SO-001"}]}
    messages = [{"role": "assistant", "content": [USE]}, {"role": "user", "content": [result]}]

    assert [response.content for response in _responses(_told({"messages": messages}))] == ["SO-001"]


def test_a_server_side_tool_waits_for_no_result() -> None:
    use = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}

    events = _told({"messages": [AIMessage(content=[use, found, TEXT])]})

    assert _types(events) == ["tool_request", "tool_response", "assistant_message"]


def test_a_paused_turn_is_told() -> None:
    events = _told({"messages": [AIMessage("Wait.", response_metadata={"stop_reason": "pause_turn"})]})

    assert isinstance(events[-1], TurnPaused)
    assert events[-1].source_agent_id == "erp_agent"


def test_interleaved_agents_keep_their_own_words_and_results() -> None:
    """E-13."""
    messages = [
        _ask("a", name="sales"),
        _ask("b", name="rag"),
        ToolMessage("did b", tool_call_id="id_b"),
        ToolMessage("did a", tool_call_id="id_a"),
        AIMessage("Mine.", additional_kwargs={"agent_id": "graphing"}),
        AIMessage("The supervisor's."),
    ]

    events = _told({"messages": messages})

    assert [(event.type, event.source_agent_id) for event in events] == [
        ("tool_request", "sales"),
        ("tool_response", "sales"),
        ("tool_request", "rag"),
        ("tool_response", "rag"),
        ("assistant_message", "graphing"),
        ("assistant_message", "erp_agent"),
    ]


def test_routing_tools_and_their_results_are_internal() -> None:
    """E-5."""
    messages = [_ask("transfer_to_sales"), ToolMessage("Transferred.", tool_call_id="id_transfer_to_sales")]

    assert [event.is_internal for event in _told({"messages": [*messages, AIMessage("Hello.")]})] == [True, True, False]


def test_handoff_back_messages_are_internal() -> None:
    """E-5: marked by the supervisor package, or known by the tool they call."""
    mark = {"__is_handoff_back": True}
    call: Any = {"type": "tool_call", "id": "back_1", "name": "transfer_back_to_supervisor", "args": {}}
    messages = [
        AIMessage("Transferring back.", tool_calls=[call], name="sales", response_metadata=mark),
        ToolMessage("Transferred back.", tool_call_id="back_1", name="transfer_back_to_supervisor"),
        AIMessage("Back again.", tool_calls=[{**call, "id": "back_2"}], name="sales"),
        AIMessage("Here I am."),
    ]

    events = _told({"messages": messages}, OpenAIChatAdapter())

    assert [(event.type, event.is_internal) for event in events] == [
        ("assistant_message", True),
        ("tool_request", True),
        ("tool_response", True),
        ("assistant_message", True),
        ("tool_request", True),
        ("assistant_message", False),
    ]


@pytest.mark.parametrize(
    ("metadata", "used_model", "expected"),
    [
        ({"model_name": "claude-own"}, "claude-state", "claude-own"),
        ({"model": "claude-own"}, None, "claude-own"),
        ({}, "claude-state", "claude-state"),
        ({}, None, "unknown"),
    ],
)
def test_the_model_is_the_messages_own_else_the_states(metadata: Any, used_model: Any, expected: str) -> None:
    """E-11: never a constant."""
    message = AIMessage(content=[THINKING, TEXT, USE], response_metadata=metadata)

    events = _told({"messages": [message], "used_model": used_model})

    assert [event.model for event in events if isinstance(event, Thinking | AssistantMessage | ToolRequest)] == [
        expected
    ] * 3


def test_messages_of_several_providers_are_each_read_by_their_own() -> None:
    messages = [
        AIMessage("A.", response_metadata={"ls_provider": "google_genai", "finish_reason": "SAFETY"}),
        AIMessage("B.", response_metadata={"model_provider": "anthropic", "stop_reason": "max_tokens"}),
        AIMessage("C.", response_metadata={"model_provider": "somebody", "finish_reason": "length"}),
    ]

    events = _told({"messages": messages}, OpenAIChatAdapter())

    reasons = [event.stop_reason for event in events if isinstance(event, AssistantMessage)]
    assert reasons == ["refused", "max_tokens", "max_tokens"]


def test_the_given_adapter_is_used_for_its_own_provider() -> None:
    class Shouting(GoogleAdapter):
        def normalize_message(self, message: Any, index: int) -> list[Event]:
            return [AssistantMessage(content=message.content.upper())]

    message = AIMessage("hello", response_metadata={"model_provider": "google_genai"})

    [event] = _told({"messages": [message]}, Shouting())

    assert isinstance(event, AssistantMessage)
    assert event.content == "HELLO"


def test_tokens_stand_on_one_event_of_each_message() -> None:
    usage = {"usage": {"input_tokens": 20, "output_tokens": 30}}
    messages = [AIMessage(content=[THINKING, TEXT, USE], response_metadata=usage), _ask("a", response_metadata=usage)]

    counted = [told for event in _told({"messages": messages}) if (told := getattr(event, "usage", None))]

    assert counted == [Usage(input=20, output=30)] * 2


def test_a_state_may_be_an_object_with_dumped_messages() -> None:
    dumped = AIMessage(content=[TEXT, USE], response_metadata={"model_name": "m"}).model_dump()
    result = ToolMessage("ok", tool_call_id="toolu_01").model_dump()
    execution = SimpleNamespace(tool_use_id="toolu_01", tool_name="create_order", result="ran", success=True)
    state = SimpleNamespace(messages=[dumped, result], tool_executions=[execution], used_model=None)

    events = _told(state)

    assert _types(events) == ["assistant_message", "tool_request", "tool_response"]
    assert _responses(events)[0].content == "ran"
