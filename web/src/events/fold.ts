/**
 * The fold: events in, what a person sees out. The same function for live, reload and replay.
 *
 * Its twin in Python reads the same recorded sessions and gives the same views.
 */

import * as conversation from "./conversation-reducers";
import * as datasets from "./dataset-reducers";
import type { CanonicalEvent, Envelope } from "./generated";
import { isInternal } from "./generated";
import type { SessionView } from "./generated-view";
import * as live from "./live-reducers";
import * as plans from "./plan-reducers";
import * as tools from "./tool-reducers";
import type { Delivered } from "./wire";

type Reducers = {
  readonly [Type in CanonicalEvent["type"]]?: (
    view: SessionView,
    event: Extract<CanonicalEvent, { readonly type: Type }>,
  ) => SessionView;
};

/** What each visible event does to a view. */
export const REDUCERS: Reducers = {
  session_start: live.boundary,
  session_end: live.boundary,
  user_message: conversation.userMessage,
  thinking: conversation.thinking,
  assistant_message: conversation.assistantMessage,
  turn_paused: conversation.turnPaused,
  content_refused: conversation.contentRefused,
  error: conversation.error,
  complete: conversation.complete,
  title_changed: conversation.titleChanged,
  feedback_given: conversation.feedbackGiven,
  tool_request: tools.toolRequest,
  tool_response: tools.toolResponse,
  approval_requested: tools.approvalRequested,
  approval_resolved: tools.approvalResolved,
  dataset_stored: datasets.datasetStored,
  chart_drawn: datasets.chartDrawn,
  plan_generated: plans.planGenerated,
  plan_step_started: plans.planStepStarted,
  plan_step_completed: plans.planStepCompleted,
  plan_completed: plans.planCompleted,
  agent_handoff: plans.agentHandoff,
  content_delta: live.contentDelta,
  thinking_delta: live.thinkingDelta,
  stream_discarded: live.streamDiscarded,
  tag_started: live.tagStarted,
  tag_completed: live.tagCompleted,
  tool_progress: live.toolProgress,
  step_progress: live.stepProgress,
  job_progress: live.jobProgress,
  file_progress: live.fileProgress,
};

/** A session without events. */
export const EMPTY: SessionView = {
  session_id: null,
  title: null,
  is_title_automatic: true,
  current_agent_id: null,
  epoch: null,
  last_sequence: 0,
  turns: [],
  agents: {},
  feedback: {},
  progress: [],
  unknown: {},
};

/** The view after some events, in the order of the log. Repeated events change nothing, internal ones are dropped. */
export const fold = (events: Iterable<Envelope | Delivered>, view: SessionView = EMPTY): SessionView => {
  let after = view;
  for (const item of events) after = step(after, item);
  return after;
};

const step = (view: SessionView, item: Envelope | Delivered): SessionView => {
  const isPlain = "event_id" in item;
  const event = isPlain ? item : item.event;
  const epoch = isPlain ? view.epoch : item.epoch;
  if (isInternal(event) || wasSeen(view, event, epoch)) return view;
  return advanced(reduced(view, event), event, epoch);
};

const reduced = (view: SessionView, event: Envelope): SessionView => {
  if (Object.hasOwn(REDUCERS, event.type)) {
    // The table pairs each type with the reducer of its event.
    const reducer = REDUCERS[event.type as keyof Reducers] as (view: SessionView, event: Envelope) => SessionView;
    return reducer(view, event);
  }
  return event.persistence === "transient" ? view : conversation.other(view, event);
};

/** Whether the log position of an event lies at or before the last one folded. */
const wasSeen = (view: SessionView, event: Envelope, epoch: number | null): boolean => {
  if (event.sequence_number === null) return false;
  const [theirs, ours] = [epoch ?? 0, view.epoch ?? 0];
  return theirs < ours || (theirs === ours && event.sequence_number <= view.last_sequence);
};

const advanced = (view: SessionView, event: Envelope, epoch: number | null): SessionView => {
  if (event.persistence === "transient") return view;
  const placed = { ...view, session_id: event.session_id ?? view.session_id };
  return event.sequence_number === null ? placed : { ...placed, epoch, last_sequence: event.sequence_number };
};
