"""Who acts now, and how it came to be: handoffs are records in the state and events for observers."""

from batuta.events.plans import AgentChanged, AgentHandoff, AgentIdentity, HandoffReason
from batuta.orchestration.state import ORCHESTRATOR, HandoffRecord
from batuta.pipelines.context import Context


class Handoffs:
    """The handoffs of one turn."""

    def __init__(self) -> None:
        self.records: list[HandoffRecord] = []
        self.current: AgentIdentity = ORCHESTRATOR

    async def hand_over(
        self,
        ctx: Context,
        giver: AgentIdentity,
        taker: AgentIdentity,
        reason: HandoffReason,
        *,
        explanation: str | None = None,
        plan_step_id: str | None = None,
    ) -> None:
        """Record a handoff, tell it, and change who acts."""
        record = HandoffRecord(
            handoff_id=ctx.stable_id(f"handoff:{plan_step_id or taker.agent_id}:{reason}"),
            from_agent_id=giver.agent_id,
            to_agent_id=taker.agent_id,
            reason=reason,
            explanation=explanation,
            plan_step_id=plan_step_id,
            timestamp=ctx.now,
        )
        self.records.append(record)
        await ctx.emit(
            AgentHandoff(
                handoff_id=record.handoff_id,
                from_agent=giver,
                to_agent=taker,
                reason=reason,
                explanation=explanation,
                plan_step_id=plan_step_id,
                source_agent_id=giver.agent_id,
            )
        )
        await self.become(ctx, taker)

    async def become(self, ctx: Context, who: AgentIdentity) -> None:
        """Another agent acts now."""
        if who.agent_id == self.current.agent_id:
            return
        before, self.current = self.current, who
        await ctx.emit(AgentChanged(previous_agent=before, current_agent=who, source_agent_id=who.agent_id))
