/** A session as rows of the conversation. Pure; the rows of a turn are kept while the turn is the same. */

import type { ApprovalItem, Item, SessionView, StreamView, ToolItem, TurnView } from "../../events";
import type { PendingMessage } from "../../transport/outbox";
import { isConcluded } from "./conclusions";

interface RowHead {
  readonly key: string;
  readonly turn: TurnView;
}

export type Row =
  | (RowHead & {
      readonly kind: "item";
      readonly item: Item;
      readonly agent: string | null;
      readonly isConcluded: boolean;
    })
  | (RowHead & { readonly kind: "stream"; readonly stream: StreamView; readonly agent: string | null })
  | (RowHead & { readonly kind: "working" })
  | (RowHead & { readonly kind: "end" })
  | { readonly kind: "pending"; readonly key: string; readonly pending: PendingMessage };

const kept = new WeakMap<TurnView, readonly Row[]>();

/** All rows of a conversation, what is on its way at the end. */
export const rowsOf = (view: SessionView, pendingMessages: readonly PendingMessage[]): readonly Row[] => [
  ...view.turns.flatMap(rowsOfTurn),
  ...pendingMessages.map(
    (pending): Row => ({ kind: "pending", key: pending.message.client_message_id, pending }),
  ),
];

const rowsOfTurn = (turn: TurnView): readonly Row[] => {
  const before = kept.get(turn);
  if (before !== undefined) return before;
  const rows = withBadges([...itemRows(turn), ...streamRows(turn), ...lastRow(turn)]);
  kept.set(turn, rows);
  return rows;
};

const itemRows = (turn: TurnView): readonly Row[] =>
  turn.items
    .filter((item) => isShown(turn, item))
    .map((item) => ({
      kind: "item",
      key: item.event_id,
      turn,
      item,
      agent: speakerOf(item),
      isConcluded: isConcluded(turn, item),
    }));

/** Who speaks in an item; facts about the turn have no speaker. */
const speakerOf = (item: Item): string | null =>
  item.kind === "user_message" || item.kind === "handoff" || item.kind === "error" ? null : item.agent_id;

/** A pause for an approval is shown by its card, and so is the call that waits for it. */
const isShown = (turn: TurnView, item: Item): boolean => {
  if (item.kind === "pause") return item.approval_id === null;
  if (item.kind === "thinking") return item.content.trim() !== "" || item.is_redacted;
  if (item.kind === "assistant_message") return item.content.trim() !== "" || item.citations.length > 0;
  return item.kind !== "tool" || approvalOf(turn, item)?.state !== "pending";
};

/** The approval a tool call had to wait for. */
export const approvalOf = (turn: TurnView, tool: ToolItem): ApprovalItem | undefined =>
  turn.items.find(
    (item): item is ApprovalItem => item.kind === "approval" && item.tool_use_id === tool.tool_use_id,
  );

const streamRows = (turn: TurnView): readonly Row[] =>
  turn.streams.map((stream) => ({
    kind: "stream",
    // An answer keeps its place when the whole takes over from its pieces.
    key: `${turn.turn_id}-${stream.kind}-${stream.message_id}-${stream.agent_id}`,
    turn,
    stream,
    agent: stream.agent_id,
  }));

const lastRow = (turn: TurnView): readonly Row[] => {
  const isOver = turn.status === "success" || turn.status === "cancelled" || turn.status === "failed";
  if (isOver) return [{ kind: "end", key: `${turn.turn_id}-end`, turn }];
  const isSilent = turn.streams.length === 0 && !turn.items.some(isRunning);
  const isWorking = turn.status === "queued" || (turn.status === "running" && isSilent);
  return isWorking ? [{ kind: "working", key: `${turn.turn_id}-working`, turn }] : [];
};

const isRunning = (item: Item): boolean => item.kind === "tool" && item.state === "running";

/** The badge of an agent stands once, above the first of its rows in a run. */
const withBadges = (rows: readonly Row[]): readonly Row[] => {
  let last: string | null = null;
  return rows.map((row) => {
    if (row.kind !== "item" && row.kind !== "stream") return row;
    const agent = row.agent === last ? null : row.agent;
    last = row.agent;
    return { ...row, agent };
  });
};

/** What an agent finally answered in a turn. */
export const answerOf = (turn: TurnView) => turn.items.findLast((item) => item.kind === "assistant_message");

/** What the person said that opened a turn. */
export const questionOf = (turn: TurnView) => turn.items.find((item) => item.kind === "user_message");

/** Whether something runs, waits in line, or waits for a person. */
export const activityOf = (view: SessionView): "idle" | "running" | "paused" => {
  if (view.turns.some((turn) => turn.status === "running" || turn.status === "queued")) return "running";
  return view.turns.some((turn) => turn.status === "paused") ? "paused" : "idle";
};
