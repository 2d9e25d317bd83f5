/** Reducers of what people and agents say, and of how a turn ends. */

import type {
  AssistantMessage,
  Complete,
  ContentRefused,
  Envelope,
  ErrorOccurred,
  FeedbackGiven,
  Thinking,
  TitleChanged,
  TurnPaused,
  UserMessage,
} from "./generated";
import { ENVELOPE_FIELDS } from "./generated";
import type { Item, SessionView } from "./generated-view";
import { appendItem, appendSpeech } from "./append";
import { hasItem, inTurn, isBusy, itemHead, replaced, turnOf, withoutStreams, withTurn } from "./view-edits";

/** A person opens a turn. */
export const userMessage = (view: SessionView, event: UserMessage): SessionView =>
  appendItem(view, event, {
    ...itemHead(event),
    kind: "user_message",
    content: event.content,
    attachments: event.attachments,
    client_message_id: event.client_message_id,
    target_agent_id: event.target_agent_id,
  });

/** The whole thought takes the place of its pieces. */
export const thinking = (view: SessionView, event: Thinking): SessionView => {
  const item: Item = {
    ...itemHead(event),
    kind: "thinking",
    content: event.content,
    is_redacted: event.redacted !== null,
    model: event.model,
    usage: event.usage,
    cost: event.cost,
  };
  const before = inTurn(view, event, (turn) => withoutStreams(turn, "thinking", event));
  return appendSpeech(before, event, item, event.usage);
};

/** The whole answer takes the place of its pieces. */
export const assistantMessage = (view: SessionView, event: AssistantMessage): SessionView => {
  const item: Item = {
    ...itemHead(event),
    kind: "assistant_message",
    content: event.content,
    stop_reason: event.stop_reason,
    model: event.model,
    usage: event.usage,
    cost: event.cost,
    citations: event.citations,
    opaque: event.opaque,
  };
  const before = inTurn(view, event, (turn) => withoutStreams(turn, "message", event));
  return appendSpeech(before, event, item, event.usage);
};

/** A marker; the turn's status changes only when the turn says so. */
export const turnPaused = (view: SessionView, event: TurnPaused): SessionView =>
  appendSpeech(view, event, {
    ...itemHead(event),
    kind: "pause",
    reason: event.reason,
    approval_id: event.approval_id,
  });

/** A marker in the place of an answer. */
export const contentRefused = (view: SessionView, event: ContentRefused): SessionView =>
  appendSpeech(view, event, { ...itemHead(event), kind: "refusal", reason: event.reason, model: event.model });

/** Something went wrong; whether the turn failed is for `complete` to say. */
export const error = (view: SessionView, event: ErrorOccurred): SessionView =>
  appendItem(view, event, {
    ...itemHead(event),
    kind: "error",
    code: event.code,
    message: event.message,
    category: event.category,
    retryable: event.retryable,
  });

/** A turn that waited for a decision has worked before and after. */
const together = (before: number | null, now: number | null): number | null =>
  before === null ? now : before + (now ?? 0);

/** The turn ends or pauses: nothing of it is arriving any more, and the next one in line may start. */
export const complete = (view: SessionView, event: Complete): SessionView => {
  const isOver = event.status !== "paused";
  const after = withTurn(view, event, (turn) => ({
    ...turn,
    status: event.status,
    ended_at: isOver ? event.timestamp : null,
    stop_reason: event.stop_reason,
    usage: event.usage,
    cost: event.cost,
    duration_ms: together(turn.duration_ms, event.duration_ms),
    items: turn.items.map((item) => settled(item, isOver)),
    streams: [],
  }));
  return nextStarted({ ...after, progress: [] });
};

const settled = (item: Item, isOver: boolean): Item =>
  item.kind === "tool" && item.state === "running"
    ? { ...item, progress: null, state: isOver ? "interrupted" : "running" }
    : item;

const nextStarted = (view: SessionView): SessionView => {
  const waiting = view.turns.filter(isBusy);
  const first = waiting[0];
  if (first === undefined || waiting.some((turn) => turn.status !== "queued")) return view;
  return { ...view, turns: replaced(view.turns, first, { ...first, status: "running" }) };
};

/** The session has a title. */
export const titleChanged = (view: SessionView, event: TitleChanged): SessionView => ({
  ...view,
  title: event.title,
  is_title_automatic: event.is_automatic,
});

/** The last judgement of a message counts. */
export const feedbackGiven = (view: SessionView, event: FeedbackGiven): SessionView => ({
  ...view,
  feedback: { ...view.feedback, [event.target_message_id]: { rating: event.rating, comment: event.comment } },
});

/** An event without a form of its own is kept with its payload and counted. */
export const other = (view: SessionView, event: Envelope): SessionView => {
  const turn = turnOf(view, event);
  if (turn !== undefined && hasItem(turn, event.event_id)) return view;
  const payload = Object.fromEntries(Object.entries(event).filter(([name]) => !ENVELOPE_FIELDS.has(name)));
  const after = appendItem(view, event, { ...itemHead(event), kind: "other", event_type: event.type, payload });
  const count = Object.hasOwn(view.unknown, event.type) ? (view.unknown[event.type] ?? 0) : 0;
  return { ...after, unknown: { ...after.unknown, [event.type]: count + 1 } };
};
