"""One reducer per family of stored events: the view before and an event give the view after."""

from collections.abc import Callable
from typing import Any

from batuta.events import conversation, datasets, plans, tools
from batuta.events.envelope import Event
from batuta.events.view import (
    ApprovalItem,
    AssistantMessageItem,
    ChartItem,
    DatasetItem,
    ErrorItem,
    FeedbackView,
    HandoffItem,
    Item,
    OtherItem,
    PauseItem,
    PlanItem,
    PlanStepView,
    RefusalItem,
    SessionView,
    ThinkingItem,
    ToolItem,
    TurnView,
    UserMessageItem,
)
from batuta.events.view_edits import (
    BUSY,
    add_item,
    changed,
    has_item,
    in_turn,
    item_head,
    keyed,
    patch_anywhere,
    patch_item,
    turn_of,
    with_turn,
    without_streams,
    woken,
)
from batuta.kernel.usage import NO_USAGE, Usage


def noted(view: SessionView, event: Event, item: Item) -> SessionView:
    """Add an item to its turn."""
    return with_turn(view, event, add_item(item))


def said(view: SessionView, event: Event, item: Item, *, usage: Usage | None = None) -> SessionView:
    """Add what an agent did: it wakes the turn, counts tokens, and makes that agent the current one."""

    def change(turn: TurnView) -> TurnView:
        if has_item(turn, item.event_id):
            return turn
        return changed(woken(turn), items=(*turn.items, item), usage=turn.usage + (usage or NO_USAGE))

    return _acted(with_turn(view, event, change), event.source_agent_id)


def _acted(view: SessionView, agent_id: str | None) -> SessionView:
    return view if agent_id is None else changed(view, current_agent_id=agent_id)


def user_message(view: SessionView, event: conversation.UserMessage) -> SessionView:
    """A person opens a turn."""
    item = UserMessageItem(
        **item_head(event),
        content=event.content,
        attachments=event.attachments,
        client_message_id=event.client_message_id,
        target_agent_id=event.target_agent_id,
    )
    return noted(view, event, item)


def thinking(view: SessionView, event: conversation.Thinking) -> SessionView:
    """The whole thought takes the place of its pieces."""
    item = ThinkingItem(
        **item_head(event),
        content=event.content,
        is_redacted=event.redacted is not None,
        model=event.model,
        usage=event.usage,
        cost=event.cost,
    )
    view = in_turn(view, event, lambda turn: without_streams(turn, "thinking", event))
    return said(view, event, item, usage=event.usage)


def assistant_message(view: SessionView, event: conversation.AssistantMessage) -> SessionView:
    """The whole answer takes the place of its pieces."""
    item = AssistantMessageItem(
        **item_head(event),
        content=event.content,
        stop_reason=event.stop_reason,
        model=event.model,
        usage=event.usage,
        cost=event.cost,
        citations=event.citations,
        opaque=event.opaque,
    )
    view = in_turn(view, event, lambda turn: without_streams(turn, "message", event))
    return said(view, event, item, usage=event.usage)


def turn_paused(view: SessionView, event: conversation.TurnPaused) -> SessionView:
    """A marker; the turn's status changes only when the turn says so."""
    return said(view, event, PauseItem(**item_head(event), reason=event.reason, approval_id=event.approval_id))


def content_refused(view: SessionView, event: conversation.ContentRefused) -> SessionView:
    """A marker in the place of an answer."""
    return said(view, event, RefusalItem(**item_head(event), reason=event.reason, model=event.model))


def error(view: SessionView, event: conversation.ErrorOccurred) -> SessionView:
    """Something went wrong; whether the turn failed is for `complete` to say."""
    item = ErrorItem(
        **item_head(event),
        code=event.code,
        message=event.message,
        category=event.category,
        retryable=event.retryable,
    )
    return noted(view, event, item)


def complete(view: SessionView, event: conversation.Complete) -> SessionView:
    """The turn ends or pauses: nothing of it is arriving any more, and the next one in line may start."""
    is_over = event.status != "paused"

    def change(turn: TurnView) -> TurnView:
        return changed(
            turn,
            status=event.status,
            ended_at=event.timestamp if is_over else None,
            stop_reason=event.stop_reason,
            usage=event.usage,
            cost=event.cost,
            duration_ms=_together(turn.duration_ms, event.duration_ms),
            items=tuple(_settled(item, is_over=is_over) for item in turn.items),
            streams=(),
        )

    return _next_started(changed(with_turn(view, event, change), progress=()))


def _together(before: float | None, now: float | None) -> float | None:
    """A turn that waited for a decision has worked before and after."""
    return now if before is None else before + (now or 0)


def _settled(item: Item, *, is_over: bool) -> Item:
    if not isinstance(item, ToolItem) or item.state != "running":
        return item
    return changed(item, progress=None, state="interrupted" if is_over else item.state)


def _next_started(view: SessionView) -> SessionView:
    waiting = [turn for turn in view.turns if turn.status in BUSY]
    if not waiting or any(turn.status != "queued" for turn in waiting):
        return view
    started = changed(waiting[0], status="running")
    return changed(view, turns=tuple(started if turn is waiting[0] else turn for turn in view.turns))


def title_changed(view: SessionView, event: conversation.TitleChanged) -> SessionView:
    """The session has a title."""
    return changed(view, title=event.title, is_title_automatic=event.is_automatic)


def feedback_given(view: SessionView, event: conversation.FeedbackGiven) -> SessionView:
    """The last judgement of a message counts."""
    judged = FeedbackView(rating=event.rating, comment=event.comment)
    return changed(view, feedback=keyed(view.feedback, event.target_message_id, judged))


def _is_tool(tool_use_id: str) -> Any:
    return lambda item: isinstance(item, ToolItem) and item.tool_use_id == tool_use_id


def _tool_of(view: SessionView, event: tools.ToolRequest | tools.ToolResponse) -> Item | None:
    turn = turn_of(view, event)
    sought = event.tool_use_id
    items = reversed(turn.items) if turn else ()
    return next((item for item in items if item.kind == "tool" and item.tool_use_id == sought), None)


def tool_request(view: SessionView, event: tools.ToolRequest) -> SessionView:
    """A tool card opens; asked again with the same id it is the same card."""
    asked = {"tool_name": event.tool_name, "args": event.args, "is_server_side": event.is_server_side}
    if _tool_of(view, event) is not None:
        matches = _is_tool(event.tool_use_id)
        return in_turn(view, event, lambda turn: patch_item(turn, matches, lambda item: changed(item, **asked)))
    item = ToolItem(**item_head(event), tool_use_id=event.tool_use_id, **asked)
    return said(view, event, item, usage=event.usage)


def tool_response(view: SessionView, event: tools.ToolResponse) -> SessionView:
    """The card closes; a result without a request gets a card of its own."""
    if _tool_of(view, event) is None:
        item = ToolItem(**item_head(event), tool_use_id=event.tool_use_id, tool_name=event.tool_name)
        view = said(view, event, item)
    answer = {
        "state": "succeeded" if event.success else "failed",
        "content": event.content,
        "error": event.error,
        "duration_ms": event.duration_ms,
        "details": event.details,
        "answered_at": event.timestamp,
        "progress": None,
    }

    def close(item: ToolItem) -> ToolItem:
        return _with_args(changed(item, **answer), event.executed_args)

    return in_turn(view, event, lambda turn: woken(patch_item(turn, _is_tool(event.tool_use_id), close)))


def approval_requested(view: SessionView, event: tools.ApprovalRequested) -> SessionView:
    """A card that waits for a person. Asked about again, the call has the arguments it was first asked with."""
    item = ApprovalItem(
        **item_head(event),
        approval_id=event.approval_id,
        tool_use_id=event.tool_use_id,
        tool_name=event.tool_name,
        args=event.args,
        preview=event.preview,
        reason=event.reason,
        required_role=event.required_role,
        expires_at=event.expires_at,
    )
    return said(_with_call(view, event.tool_use_id, _as_asked), event, item)


def approval_resolved(view: SessionView, event: tools.ApprovalResolved) -> SessionView:
    """The first decision counts, however often one is sent; what was changed is what the call's card shows."""
    decided = _approval_of(view, event.approval_id)
    if decided is None or decided.state != "pending":
        return view
    decision = {
        "state": event.decision,
        "decided_args": event.args,
        "decided_by": event.by,
        "decision_reason": event.reason,
        "decided_at": event.timestamp,
    }
    view = patch_anywhere(
        view,
        lambda item: isinstance(item, ApprovalItem) and item.approval_id == event.approval_id,
        lambda item: changed(item, **decision),
    )
    if event.decision != "edited":
        return view
    return _with_call(view, decided.tool_use_id, lambda item: _with_args(item, event.args))


def _approval_of(view: SessionView, approval_id: str) -> ApprovalItem | None:
    items = (item for turn in reversed(view.turns) for item in reversed(turn.items))
    return next((item for item in items if isinstance(item, ApprovalItem) and item.approval_id == approval_id), None)


def _with_call(view: SessionView, tool_use_id: str, change: Callable[[ToolItem], ToolItem]) -> SessionView:
    return patch_anywhere(view, _is_tool(tool_use_id), change)


def _with_args(item: ToolItem, args: dict[str, Any] | None) -> ToolItem:
    """The card of a call that runs with other arguments than it was asked with."""
    if args is None or args == item.args:
        return item
    return changed(item, args=args, asked_args=item.args if item.asked_args is None else item.asked_args)


def _as_asked(item: ToolItem) -> ToolItem:
    return item if item.asked_args is None else changed(item, args=item.asked_args, asked_args=None)


def dataset_stored(view: SessionView, event: datasets.DatasetStored) -> SessionView:
    """A table appears under the tool that brought it."""
    item = DatasetItem(
        **item_head(event),
        dataset_id=event.dataset_id,
        name=event.name,
        title=event.title,
        columns=event.columns,
        row_count=event.row_count,
        totals=event.totals,
        first_rows=event.first_rows,
        first_references=event.first_references,
        provenance=event.provenance,
        tool_use_id=event.tool_use_id,
    )
    return said(view, event, item)


def chart_drawn(view: SessionView, event: datasets.ChartDrawn) -> SessionView:
    """A chart appears; a variation of an earlier one stands beside it."""
    item = ChartItem(
        **item_head(event),
        chart_id=event.chart_id,
        dataset_id=event.dataset_id,
        dataset_name=event.dataset_name,
        chart_kind=event.kind,
        title=event.title,
        description=event.description,
        spec=event.spec,
        request=event.request,
        notes=event.notes,
        language=event.language,
        changes_chart_id=event.changes_chart_id,
        tool_use_id=event.tool_use_id,
    )
    return said(view, event, item)


def plan_generated(view: SessionView, event: plans.PlanGenerated) -> SessionView:
    """A plan with all its steps still to do."""
    item = PlanItem(
        **item_head(event),
        plan_id=event.plan_id,
        query=event.query,
        steps=tuple(PlanStepView(**step.model_dump()) for step in event.steps),
    )
    return said(view, event, item)


def plan_step_started(view: SessionView, event: plans.PlanStepStarted) -> SessionView:
    """A step is being worked on, perhaps again and by another agent."""
    fields = {
        "status": "in_progress",
        "agent_id": event.agent_id,
        "agent_name": event.agent_name,
        "task": event.task,
        "started_at": event.timestamp,
        "ended_at": None,
    }
    return _patch_step(view, event.plan_id, event.step_id, fields)


def plan_step_completed(view: SessionView, event: plans.PlanStepCompleted) -> SessionView:
    """A step ended."""
    fields = {"status": event.status, "result": event.result, "error": event.error, "ended_at": event.timestamp}
    return _patch_step(view, event.plan_id, event.step_id, fields)


def plan_completed(view: SessionView, event: plans.PlanCompleted) -> SessionView:
    """The plan ended."""
    fields = {
        "status": event.status,
        "summary": event.summary,
        "failure_reason": event.failure_reason,
        "ended_at": event.timestamp,
    }
    return patch_anywhere(view, _is_plan(event.plan_id), lambda item: changed(item, **fields))


def _is_plan(plan_id: str) -> Any:
    return lambda item: isinstance(item, PlanItem) and item.plan_id == plan_id


def _patch_step(view: SessionView, plan_id: str, step_id: str, fields: dict[str, Any]) -> SessionView:
    def change(item: PlanItem) -> PlanItem:
        steps = tuple(changed(step, **fields) if step.step_id == step_id else step for step in item.steps)
        return changed(item, steps=steps)

    return patch_anywhere(view, _is_plan(plan_id), change)


def agent_handoff(view: SessionView, event: plans.AgentHandoff) -> SessionView:
    """Another agent goes on; both introduce themselves."""
    item = HandoffItem(
        **item_head(event),
        handoff_id=event.handoff_id,
        from_agent=event.from_agent,
        to_agent=event.to_agent,
        reason=event.reason,
        explanation=event.explanation,
        plan_step_id=event.plan_step_id,
    )
    known = {agent.agent_id: agent for agent in (event.from_agent, event.to_agent)}
    view = changed(said(view, event, item), agents={**view.agents, **known})
    return _acted(view, event.to_agent.agent_id)


def other(view: SessionView, event: Event) -> SessionView:
    """An event without a form of its own is kept with its payload and counted."""
    turn = turn_of(view, event)
    if turn is not None and has_item(turn, event.event_id):
        return view
    payload = {name: value for name, value in event.model_dump(mode="json").items() if name not in Event.model_fields}
    view = noted(view, event, OtherItem(**item_head(event), event_type=event.type, payload=payload))
    return changed(view, unknown={**view.unknown, event.type: view.unknown.get(event.type, 0) + 1})
