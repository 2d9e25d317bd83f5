"""Made-up sessions that show, between them, every event the catalogue holds."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from batuta.events import (
    AgentChanged,
    AgentHandoff,
    ApprovalRequested,
    ApprovalResolved,
    AssistantMessage,
    Attachment,
    ChartDrawn,
    Citation,
    Complete,
    ContentDelta,
    ContentRefused,
    DatasetStored,
    ErrorOccurred,
    Event,
    FeedbackGiven,
    FileProgress,
    JobProgress,
    PlanCompleted,
    PlanGenerated,
    PlannedStep,
    PlanStepCompleted,
    PlanStepStarted,
    SessionEnd,
    SessionStart,
    StepProgress,
    StreamDiscarded,
    TagCompleted,
    TagStarted,
    Thinking,
    ThinkingDelta,
    TitleChanged,
    ToolProgress,
    ToolRequest,
    ToolResponse,
    TurnPaused,
    Usage,
    UserMessage,
)
from batuta.events.datasets import Column, Provenance, RecordReference
from batuta.events.runtime import EffectAbandoned, EffectIntended, EffectRecorded
from tools.internals import INTERNAL_EVENTS
from tools.script import ERP, RAG, START, SUPERVISOR, USAGE, Script


def ask(script: Script, content: str, **fields: Any) -> str:
    """A person opens a turn."""
    turn = script.turn()
    script.tell(SessionStart)
    script.tell(UserMessage, content=content, client_message_id=script.new_id(), **fields)
    return turn


def pieces(text: str) -> list[str]:
    """A text as a provider streams it."""
    first, *rest = text.split(" ")
    return [first, *(f" {word}" for word in rest)]


def stream(script: Script, text: str, **fields: Any) -> None:
    """An answer arrives in pieces, then as a whole."""
    message_id = script.new_id()
    for piece in pieces(text):
        script.tell(ContentDelta, delta=piece, message_id=message_id)
    payload = {"content": text, "model": "sim-1", "usage": USAGE, "cost": Decimal("0.00042")}
    script.tell(AssistantMessage, message_id=message_id, **payload | fields)


def think(script: Script, text: str, **fields: Any) -> None:
    """A thought arrives in pieces, then as a whole."""
    for piece in pieces(text):
        script.tell(ThinkingDelta, delta=piece)
    script.tell(Thinking, **{"content": text, "model": "sim-1"} | fields)


def end(script: Script, status: str = "success", **fields: Any) -> None:
    """The turn is over."""
    payload = {"status": status, "usage": USAGE + USAGE, "cost": Decimal("0.00084"), "duration_ms": 1875.5}
    script.tell(Complete, **payload | fields)
    script.tell(SessionEnd)


def call(script: Script, tool_use_id: str, tool_name: str, **args: Any) -> None:
    """A model asks for a tool."""
    script.tell(ToolRequest, tool_use_id=tool_use_id, tool_name=tool_name, args=args, model="sim-1")


def answer(script: Script, tool_use_id: str, tool_name: str, content: str, **fields: Any) -> None:
    """A tool answers."""
    payload = {"content": content, "success": True, "duration_ms": 12.5}
    script.tell(ToolResponse, tool_use_id=tool_use_id, tool_name=tool_name, **payload | fields)


def hello(script: Script) -> None:
    """One question, one streamed answer."""
    ask(script, "What is a baton?")
    think(script, "The user wants a definition", usage=Usage(input=10, output=5, thinking=5))
    stream(script, "A baton is the stick a conductor beats time with.")
    end(script)


def parallel_tools(script: Script) -> None:
    """Three tools at once; they answer out of order and one fails."""
    ask(script, "Compare stock in Madrid, Sevilla and Lugo")
    script.agent = "erp"
    stream(script, "I will look at all three.")
    for place in ("Madrid", "Sevilla", "Lugo"):
        call(script, f"call_{place}", "stock_level", place=place, items=["A-1", "B-2"])
    for done in (1.0, 2.0, 3.0):
        script.tell(ToolProgress, tool_use_id="call_Lugo", tool_name="stock_level", done=done, total=4.0, message="…")
    answer(script, "call_Lugo", "stock_level", "7", details={"rows": 1})
    answer(script, "call_Madrid", "stock_level", "", success=False, error="timeout")
    answer(script, "call_Sevilla", "stock_level", "19")
    stream(script, "Lugo 7, Sevilla 19, Madrid unknown.")
    end(script)


def plan(script: Script) -> None:
    """A supervisor plans, two agents work in turns, the supervisor sums up."""
    ask(script, "Who owes us most, and what does the contract say?")
    plan_id, first, second, third = (script.new_id() for _ in range(4))
    steps = (
        PlannedStep(step_id=first, step_index=0, agent_id="erp", agent_name="ERP", task="Find the largest debtor"),
        PlannedStep(
            step_id=second, step_index=1, agent_id="rag", agent_name="Documents", task="Read it", depends_on=(first,)
        ),
        PlannedStep(step_id=third, step_index=2, agent_id="rag", agent_name="Documents", task="Compare"),
    )
    script.tell(PlanGenerated, plan_id=plan_id, query="debt and contract", steps=steps, estimated_steps=3)
    _work(script, steps[0], ERP, plan_id, "completed", result="Acme, 12 000 €")
    _work(script, steps[1], RAG, plan_id, "failed", error="no contract found")
    script.tell(PlanStepCompleted, plan_id=plan_id, step_id=third, step_index=2, status="skipped")
    script.tell(PlanCompleted, plan_id=plan_id, status="failed", failure_reason="step 2 failed", summary="half done")
    stream(script, "Acme owes most; no contract was found.")
    end(script)


def _work(script: Script, step: PlannedStep, agent: Any, plan_id: str, status: str, **outcome: Any) -> None:
    place = {"plan_id": plan_id, "step_id": step.step_id, "step_index": step.step_index}
    task = {"agent_id": step.agent_id, "agent_name": step.agent_name, "task": step.task}
    call(script, f"go_{step.step_index}", f"transfer_to_{agent.agent_id}")
    answer(script, f"go_{step.step_index}", f"transfer_to_{agent.agent_id}", "transferred")
    script.tell(PlanStepStarted, **place, **task)
    script.tell(
        AgentHandoff,
        handoff_id=script.new_id(),
        from_agent=SUPERVISOR,
        to_agent=agent,
        reason="plan_step",
        explanation=step.task,
        plan_step_id=step.step_id,
    )
    script.tell(AgentChanged, previous_agent=SUPERVISOR, current_agent=agent)
    script.agent = agent.agent_id
    call(script, f"find_{step.step_index}", "find", task=step.task)
    answer(script, f"find_{step.step_index}", "find", "found")
    stream(script, f"Done: {step.task}")
    script.agent = "supervisor"
    script.tell(AssistantMessage, content="Successfully transferred back to supervisor", is_internal=True)
    script.tell(PlanStepCompleted, **place, status=status, **outcome)


def approval(script: Script) -> None:
    """An order waits for a person, is edited, and goes through."""
    ask(script, "Order 12 violins")
    approval_id = _request_approval(script, "call_order", 12)
    end(script, "paused", stop_reason="paused")
    script.tell(
        ApprovalResolved, approval_id=approval_id, decision="edited", args={"quantity": 10}, by="ana", reason="budget"
    )
    answer(script, "call_order", "create_order", "SO-1001")
    stream(script, "Ordered 10 violins: SO-1001.")
    end(script)


def _request_approval(script: Script, tool_use_id: str, quantity: int) -> str:
    approval_id = script.new_id()
    script.agent = "erp"
    call(script, tool_use_id, "create_order", quantity=quantity)
    script.tell(
        ApprovalRequested,
        approval_id=approval_id,
        tool_use_id=tool_use_id,
        tool_name="create_order",
        args={"quantity": quantity},
        preview=f"{quantity} × violin",
        reason="total > 1000",
        expires_at=START,
    )
    script.tell(TurnPaused, reason="approval", approval_id=approval_id)
    return approval_id


def approvals_declined(script: Script) -> None:
    """One approval is rejected twice over, one approved, one runs out of time, one is never answered."""
    ask(script, "Order for everybody")
    asked = [_request_approval(script, f"call_{n}", n) for n in range(4)]
    end(script, "paused", stop_reason="paused")
    script.tell(ApprovalResolved, approval_id=asked[0], decision="rejected", by="ana", reason="too many")
    script.tell(ApprovalResolved, approval_id=asked[0], decision="approved", by="eve")
    answer(script, "call_0", "create_order", "rejected: too many", success=False, error="rejected")
    script.tell(ApprovalResolved, approval_id=asked[1], decision="approved", by="ana")
    answer(script, "call_1", "create_order", "SO-1002")
    script.tell(ApprovalResolved, approval_id=asked[2], decision="expired", by="clock")
    end(script, "paused", stop_reason="paused")


def cancelled(script: Script) -> None:
    """A person stops a turn: what was said is kept, what runs is interrupted."""
    ask(script, "Tell me everything about Bruckner")
    think(script, "A long story")
    call(script, "call_1", "search", query="Bruckner")
    script.tell(ToolProgress, tool_use_id="call_1", tool_name="search", done=10.0)
    for piece in ("Anton ", "Bruckner ", "was "):
        script.tell(ContentDelta, delta=piece)
    script.tell(AssistantMessage, content="Anton Bruckner was", model="sim-1")
    script.tell(ContentDelta, delta="born in Ansfelden")
    script.tell(Complete, status="cancelled", usage=USAGE)


def failed(script: Script) -> None:
    """The provider is away; the person tries again and it works."""
    ask(script, "Hello?")
    for attempt in (1, 2):
        script.tell(
            ErrorOccurred,
            code="PROVIDER_UNAVAILABLE",
            message=f"no answer from the provider ({attempt})",
            category="transient",
            retryable=True,
        )
    end(script, "failed", usage=Usage(), cost=None, duration_ms=None)
    ask(script, "Hello again?")
    stream(script, "Hello.")
    end(script)


def refused(script: Script) -> None:
    """The provider pauses once and then will not answer."""
    ask(script, "Something unsafe")
    script.tell(TurnPaused, reason="pause_turn")
    script.tell(ContentDelta, delta="I ")
    script.tell(ContentRefused, reason="safety", model="sim-1")
    end(script, stop_reason="refused")


def foreign(script: Script) -> None:
    """Events of types nobody here knows: shown as what they are, unless internal or passing."""
    ask(script, "What is new?")
    known = script.tell_unknown("weather_changed", sky="rain", degrees=7, layers=[{"height": 2}])
    script.tell_unknown("weather_passing", is_stored=False, sky="sun")
    script.tell_unknown("weather_secret", is_internal=True, sky="fog")
    script.tell_unknown("weather_changed", sky="sun", degrees=11, layers=[])
    script.repeat(known)
    stream(script, "It will be sunny.")
    end(script)


def interleaved(script: Script) -> None:
    """Two agents speak at the same time, one of them in two messages."""
    ask(script, "Both of you, please")
    one, two, three = (script.new_id() for _ in range(3))
    pieces = [("erp", one, "From the "), ("rag", two, "From the "), ("erp", one, "ERP"), ("rag", three, "Also ")]
    for agent, message_id, delta in pieces:
        script.tell(ContentDelta, delta=delta, message_id=message_id, source_agent_id=agent)
        script.tell(ThinkingDelta, delta=delta.lower(), source_agent_id=agent)
    script.tell(Thinking, content="from the erp", source_agent_id="erp", model="sim-2")
    script.tell(AssistantMessage, content="From the documents", message_id=two, source_agent_id="rag")
    script.tell(AssistantMessage, content="From the ERP", message_id=one, source_agent_id="erp")
    script.tell(AssistantMessage, content="Also the archive", message_id=three, source_agent_id="rag")
    end(script)


def joined_late(script: Script) -> None:
    """Somebody comes back in the middle of an answer: its text is told again from its beginning, and then goes on."""
    ask(script, "A long story, please")
    message_id = script.new_id()
    script.tell(ThinkingDelta, delta="A story", offset=0, message_id=message_id)
    script.tell(ContentDelta, delta="Once ", offset=0, message_id=message_id)
    script.tell(ContentDelta, delta="Once upon 🎻 a ", offset=0, message_id=message_id)
    late = script.tell(ContentDelta, delta="time", offset=14, message_id=message_id)
    script.repeat(late)
    script.tell(AssistantMessage, content="Once upon 🎻 a time.", message_id=message_id)
    script.tell(ContentDelta, delta="Once upon 🎻 a time", offset=0, message_id=message_id)
    end(script)


def queue(script: Script) -> None:
    """Messages sent while a turn runs wait their turn; title and feedback arrive on the way."""
    first = ask(script, "First")
    script.tell(ContentDelta, delta="One")
    second = ask(script, "Second")
    third = ask(script, "Third", target_agent_id="erp")
    script.back_to(None)
    script.tell(TitleChanged, title="Three questions")
    script.back_to(first)
    stream(script, "One.")
    script.tell(Complete, status="success", usage=USAGE)
    script.back_to(second)
    message_id = script.new_id()
    script.tell(AssistantMessage, content="Two.", message_id=message_id)
    script.tell(Complete, status="success", usage=USAGE)
    script.back_to(None)
    script.tell(FeedbackGiven, target_message_id=message_id, rating=-1, comment="too short")
    script.tell(FeedbackGiven, target_message_id=message_id, rating=1)
    script.tell(TitleChanged, title="Mis preguntas", is_automatic=False)
    script.back_to(third)
    stream(script, "Three.")
    end(script)


def rich(script: Script) -> None:
    """Attachments, citations, hidden thoughts, blocks of a provider, a tool the provider runs."""
    files = (Attachment(file_id=script.new_id(), name="señal.pdf", media_type="application/pdf", size_bytes=1024),)
    ask(script, "¿Qué dice el contrato? 契約 🎻", attachments=files)
    script.agent = "rag"
    script.tell(Thinking, content="", redacted="b3BhcXVl", signature="sig", model="sim-3", cost=Decimal("1E-7"))
    script.tell(ToolRequest, tool_use_id="srv_1", tool_name="web_search", args={"q": "契約"}, is_server_side=True)
    answer(script, "srv_1", "web_search", "…", details={"hits": [1, 2.5, None, {"deep": True}]})
    cited = Citation(
        source="señal.pdf", title="Contrato", place="p. 3", quote="«doce»", start=4, end=9, raw={"type": "page"}
    )
    stream(
        script, "Dice «doce» 🎻.", citations=(cited,), opaque=({"type": "odd_block", "n": 1},), stop_reason="max_tokens"
    )
    end(script, stop_reason="max_tokens")


def progress(script: Script) -> None:
    """Everything that can be on its way, and an artefact inside a stream."""
    ask(script, "Draw it")
    script.agent = "graphing"
    for done in (1.0, 2.0):
        script.tell(StepProgress, step_name="draw", path="main/draw", done=done, total=2.0)
        script.tell(JobProgress, job_id=script.new_id(), message="indexing", done=done)
    script.tell(FileProgress, file_id=script.new_id(), stage="embed", done=0.5, total=1.0)
    script.tell(TagStarted, tag="chart", attributes={"kind": "bar"})
    script.tell(ContentDelta, delta="{…}")
    script.tell(TagCompleted, tag="chart", attributes={"kind": "bar"}, size=3)
    script.tell(TagCompleted, tag="note", size=1)
    script.tell(AssistantMessage, content="<chart>{…}</chart>")
    end(script)


def taken_back(script: Script) -> None:
    """A stream that breaks and begins anew, an answer that is rejected, and one that never comes; others go on."""
    ask(script, "Tell me twice")
    broken, rejected, lost, other = (script.new_id() for _ in range(4))
    script.agent = "rag"
    script.tell(ContentDelta, delta="Meanwhile", message_id=other)
    script.agent = "erp"
    script.tell(ThinkingDelta, delta="Let me", message_id=broken)
    script.tell(TagStarted, tag="chart", message_id=broken)
    script.tell(ContentDelta, delta="Twel", message_id=broken)
    script.tell(StreamDiscarded, reason="retried", message_id=broken)
    script.tell(ContentDelta, delta="Twelve chairs.", message_id=broken)
    script.tell(AssistantMessage, content="Twelve chairs.", message_id=broken)
    script.tell(ContentDelta, delta="I think", message_id=rejected)
    script.tell(StreamDiscarded, reason="rejected", message_id=rejected)
    script.tell(ContentDelta, delta="Half of", message_id=lost)
    script.tell(StreamDiscarded, reason="failed", message_id=lost)
    script.tell(StreamDiscarded, reason="failed", message_id=script.new_id())
    script.tell(ContentDelta, delta="Now", message_id=script.new_id())
    end(script)


def fragments(script: Script) -> None:
    """A log that begins in the middle: answers without questions, decisions without requests, no turns."""
    answer(script, "lost", "find", "late")
    script.tell(PlanStepCompleted, plan_id=script.new_id(), step_id=script.new_id(), step_index=0, status="completed")
    script.tell(PlanCompleted, plan_id=script.new_id(), status="completed")
    script.tell(ApprovalResolved, approval_id=script.new_id(), decision="approved", by="ana")
    script.tell(ErrorOccurred, code="LOST", message="beginning is missing", category="logical")
    turn = script.turn()
    script.tell(ContentDelta, delta="nobody asked")
    repeated = script.tell(AssistantMessage, content="Here I am")
    script.repeat(repeated)
    call(script, "twice", "find", n=1)
    call(script, "twice", "find", n=2)
    script.back_to(None)
    script.tell(Complete, status="failed")
    script.back_to(turn)
    end(script)


def runtime(script: Script) -> None:
    """What the runtime tells about itself: recorded, never shown."""
    ask(script, "Work quietly")
    for event_type, fields in INTERNAL_EVENTS:
        script.tell(event_type, **fields)
    stream(script, "Done.")
    end(script)


def abandoned(script: Script) -> None:
    """A write that surely did not happen: intended, abandoned, done another time."""
    ask(script, "Send the letter")
    effect: dict[str, Any] = {"key": "turn/clerk:tool:send:1.0", "kind": "write", "name": "tool:send:1.0"}
    script.tell(EffectIntended, **effect)
    script.tell(EffectAbandoned, reason="the post office is closed", **effect)
    script.tell(EffectRecorded, result={"content": "sent"}, **effect)
    stream(script, "Sent.")
    end(script)


def table_and_chart(script: Script) -> None:
    """A tool brings a table, another draws it, and a follow-up draws it differently."""
    ask(script, "¿Qué clientes nos deben más dinero? Hazme un gráfico")
    script.agent = "erp"
    dataset_id, chart_id = script.new_id(), script.new_id()
    call(script, "call_read", "measure", measure="receivables", split="customer")
    answer(script, "call_read", "measure", "receivables: 3 rows", details={"dataset": {"name": "receivables"}})
    script.tell(
        DatasetStored,
        dataset_id=dataset_id,
        name="receivables",
        title="Saldo pendiente por cliente",
        columns=(
            Column(name="customer", type="text", label="Cliente"),
            Column(name="balance", type="decimal", label="Saldo", currency="EUR"),
        ),
        row_count=3,
        totals={"balance": "19500.50"},
        first_rows=(("Acme", "12000.00"), ("Bodegas Luna", "7000.50"), ("Café Sol", "500.00")),
        first_references=(
            RecordReference(entity="customers", key="10000", url="https://erp.example/customers/10000"),
            RecordReference(entity="customers", key="20000"),
            None,
        ),
        provenance=Provenance(
            connector="business_central", company="CRONUS ES", query="customers?$select=balance", retrieved_at=START,
            record_count=3,
        ),
        tool_use_id="call_read",
    )  # fmt: skip
    for kind, mark, before in (("bar", "bar", None), ("line", "line", chart_id)):
        script.tell(
            ChartDrawn,
            chart_id=chart_id if before is None else script.new_id(),
            dataset_id=dataset_id,
            dataset_name="receivables",
            kind=kind,
            title="Saldo por cliente",
            description="Saldo por cliente, en EUR",
            spec={"data": {"name": "receivables"}, "mark": {"type": mark}},
            request={"kind": kind, "x": "customer", "y": ["balance"]},
            notes=("Se muestran 3 de 3 clientes.",),
            language="es",
            changes_chart_id=before,
            tool_use_id=f"call_draw_{kind}",
        )
    stream(script, "Acme debe más: 12.000,00 €.")
    end(script)


SCENARIOS: dict[str, Callable[[Script], None]] = {
    "hello": hello,
    "parallel-tools": parallel_tools,
    "plan": plan,
    "approval": approval,
    "approvals-declined": approvals_declined,
    "cancelled": cancelled,
    "failed": failed,
    "refused": refused,
    "foreign-events": foreign,
    "interleaved-agents": interleaved,
    "queue": queue,
    "rich-content": rich,
    "progress": progress,
    "fragments": fragments,
    "runtime": runtime,
    "abandoned-write": abandoned,
    "joined-late": joined_late,
    "taken-back": taken_back,
    "table-and-chart": table_and_chart,
}


def told(number: int, scenario: Callable[[Script], None]) -> list[Event]:
    """The events of one scenario."""
    script = Script(number)
    scenario(script)
    return script.events
