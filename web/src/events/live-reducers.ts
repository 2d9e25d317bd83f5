/** Reducers of what lives only while something runs. They decorate what the log holds and open nothing themselves. */

import type {
  ContentDelta,
  Envelope,
  FileProgress,
  JobProgress,
  StepProgress,
  StreamDiscarded,
  TagCompleted,
  TagStarted,
  ThinkingDelta,
  ToolProgress,
} from "./generated";
import type { ProgressView, SessionView, StreamView, TagView, ToolItem, TurnView } from "./generated-view";
import { inTurn, patchItem, replaced } from "./view-edits";

type StreamChange = (stream: StreamView) => Partial<StreamView>;

/** A turn begins or ends to talk: whatever was still arriving is stale. */
export const boundary = (view: SessionView): SessionView => ({
  ...view,
  turns: view.turns.map((turn) => (turn.streams.length > 0 ? { ...turn, streams: [] } : turn)),
  progress: [],
});

/** A piece of an answer. */
export const contentDelta = (view: SessionView, event: ContentDelta): SessionView =>
  streamed(view, event, "message", grown(event));

/** A piece of thinking. */
export const thinkingDelta = (view: SessionView, event: ThinkingDelta): SessionView =>
  streamed(view, event, "thinking", grown(event));

/** The text with a piece more; one that begins at the beginning replaces it. */
const grown =
  (event: ContentDelta | ThinkingDelta): StreamChange =>
  (stream) => ({ content: event.offset === 0 ? event.delta : stream.content + event.delta });

/** What arrived of a message is void. */
export const streamDiscarded = (view: SessionView, event: StreamDiscarded): SessionView =>
  inTurn(view, event, (turn) => {
    const kept = turn.streams.filter((stream) => !isFrom(stream, event));
    return kept.length === turn.streams.length ? turn : { ...turn, streams: kept };
  });

/** An artefact begins in the answer. */
export const tagStarted = (view: SessionView, event: TagStarted): SessionView => {
  const tag: TagView = { tag: event.tag, attributes: event.attributes, is_complete: false, size: 0 };
  return streamed(view, event, "message", (stream) => ({ tags: [...stream.tags, tag] }));
};

/** The last open artefact of that name is complete; one that was never announced is added whole. */
export const tagCompleted = (view: SessionView, event: TagCompleted): SessionView => {
  const done: TagView = { tag: event.tag, attributes: event.attributes, is_complete: true, size: event.size };
  return streamed(view, event, "message", ({ tags }) => {
    const open = tags.findLast((tag) => tag.tag === event.tag && !tag.is_complete);
    return { tags: open === undefined ? [...tags, done] : replaced(tags, open, done) };
  });
};

/** Change the stream of an event's message and agent, opened by its first piece. */
const streamed = (
  view: SessionView,
  event: Envelope,
  kind: StreamView["kind"],
  change: StreamChange,
): SessionView =>
  inTurn(view, event, (turn) => {
    if (turn.status === "success" || turn.status === "cancelled" || turn.status === "failed") return turn;
    if (isTold(turn, kind, event)) return turn;
    const current = turn.streams.find((stream) => isOf(stream, kind, event));
    if (current === undefined) {
      const opened: StreamView = {
        kind,
        message_id: event.message_id,
        agent_id: event.source_agent_id,
        content: "",
        tags: [],
        last_event_id: event.event_id,
      };
      return { ...turn, streams: [...turn.streams, { ...opened, ...change(opened) }] };
    }
    // Ids are time-ordered: a piece that is not newer was seen.
    if (event.event_id <= current.last_event_id) return turn;
    const after = { ...current, ...change(current), last_event_id: event.event_id };
    return { ...turn, streams: replaced(turn.streams, current, after) };
  });

/** True if the complete message was stored before this piece arrived. */
const isTold = (turn: TurnView, kind: StreamView["kind"], event: Envelope): boolean => {
  const stored = kind === "thinking" ? "thinking" : "assistant_message";
  return (
    event.message_id !== null &&
    turn.items.findLastIndex((item) => item.kind === stored && item.message_id === event.message_id) >= 0
  );
};

const isOf = (stream: StreamView, kind: StreamView["kind"], event: Envelope): boolean =>
  stream.kind === kind && isFrom(stream, event);

const isFrom = (stream: StreamView, event: Envelope): boolean =>
  stream.message_id === event.message_id && stream.agent_id === event.source_agent_id;

/** How far a running tool is. */
export const toolProgress = (view: SessionView, event: ToolProgress): SessionView => {
  const state = progressOf(event, "tool", event.tool_use_id, event.tool_name);
  return inTurn(view, event, (turn) =>
    patchItem(
      turn,
      (item): item is ToolItem => item.kind === "tool" && item.tool_use_id === event.tool_use_id,
      (item) => (item.state === "running" ? { ...item, progress: state } : item),
    ),
  );
};

/** How far a step is. */
export const stepProgress = (view: SessionView, event: StepProgress): SessionView =>
  withProgress(view, progressOf(event, "step", event.path, event.step_name));

/** How far a background job is. */
export const jobProgress = (view: SessionView, event: JobProgress): SessionView =>
  withProgress(view, progressOf(event, "job", event.job_id, event.status));

/** How far the processing of a file is. */
export const fileProgress = (view: SessionView, event: FileProgress): SessionView =>
  withProgress(view, progressOf(event, "file", event.file_id, event.stage));

const progressOf = (
  event: Pick<ToolProgress, "message" | "done" | "total">,
  kind: ProgressView["kind"],
  key: string,
  label: string,
): ProgressView => ({ kind, key, label, message: event.message, done: event.done, total: event.total });

const withProgress = (view: SessionView, state: ProgressView): SessionView => ({
  ...view,
  progress: [...view.progress.filter((entry) => entry.kind !== state.kind || entry.key !== state.key), state],
});
