/** Reducers of plans and of handoffs between agents. */

import type {
  AgentHandoff,
  PlanCompleted,
  PlanGenerated,
  PlanStepCompleted,
  PlanStepStarted,
} from "./generated";
import type { Item, PlanItem, PlanStepView, SessionView } from "./generated-view";
import { acted, appendSpeech } from "./append";
import { itemHead, patchAnywhere } from "./view-edits";

const isPlan =
  (planId: string) =>
  (item: Item): item is PlanItem =>
    item.kind === "plan" && item.plan_id === planId;

/** A plan with all its steps still to do. */
export const planGenerated = (view: SessionView, event: PlanGenerated): SessionView =>
  appendSpeech(view, event, {
    ...itemHead(event),
    kind: "plan",
    plan_id: event.plan_id,
    query: event.query,
    status: "executing",
    steps: event.steps.map((step) => ({
      ...step,
      status: "pending",
      result: null,
      error: null,
      started_at: null,
      ended_at: null,
    })),
    summary: null,
    failure_reason: null,
    ended_at: null,
  });

/** A step is being worked on, perhaps again and by another agent. */
export const planStepStarted = (view: SessionView, event: PlanStepStarted): SessionView =>
  patchStep(view, event, {
    status: "in_progress",
    agent_id: event.agent_id,
    agent_name: event.agent_name,
    task: event.task,
    started_at: event.timestamp,
    ended_at: null,
  });

/** A step ended. */
export const planStepCompleted = (view: SessionView, event: PlanStepCompleted): SessionView =>
  patchStep(view, event, {
    status: event.status,
    result: event.result,
    error: event.error,
    ended_at: event.timestamp,
  });

/** The plan ended. */
export const planCompleted = (view: SessionView, event: PlanCompleted): SessionView =>
  patchAnywhere(view, isPlan(event.plan_id), (item) => ({
    ...item,
    status: event.status,
    summary: event.summary,
    failure_reason: event.failure_reason,
    ended_at: event.timestamp,
  }));

const patchStep = (
  view: SessionView,
  event: PlanStepStarted | PlanStepCompleted,
  fields: Partial<PlanStepView>,
): SessionView =>
  patchAnywhere(view, isPlan(event.plan_id), (item) => ({
    ...item,
    steps: item.steps.map((step) => (step.step_id === event.step_id ? { ...step, ...fields } : step)),
  }));

/** Another agent goes on; both introduce themselves. */
export const agentHandoff = (view: SessionView, event: AgentHandoff): SessionView => {
  const after = appendSpeech(view, event, {
    ...itemHead(event),
    kind: "handoff",
    handoff_id: event.handoff_id,
    from_agent: event.from_agent,
    to_agent: event.to_agent,
    reason: event.reason,
    explanation: event.explanation,
    plan_step_id: event.plan_step_id,
  });
  const known = {
    [event.from_agent.agent_id]: event.from_agent,
    [event.to_agent.agent_id]: event.to_agent,
  };
  return acted({ ...after, agents: { ...after.agents, ...known } }, event.to_agent.agent_id);
};
