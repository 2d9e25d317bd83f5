/** Reducers of tools and of the approvals that some of them need. */

import type { ApprovalRequested, ApprovalResolved, ToolRequest, ToolResponse } from "./generated";
import type { ApprovalItem, Item, SessionView, ToolItem } from "./generated-view";
import { appendSpeech } from "./append";
import { inTurn, itemHead, patchAnywhere, patchItem, turnOf, woken } from "./view-edits";

const isTool =
  (toolUseId: string) =>
  (item: Item): item is ToolItem =>
    item.kind === "tool" && item.tool_use_id === toolUseId;

const isKnown = (view: SessionView, event: ToolRequest | ToolResponse): boolean =>
  turnOf(view, event)?.items.some(isTool(event.tool_use_id)) ?? false;

const card = (event: ToolRequest | ToolResponse): ToolItem => ({
  ...itemHead(event),
  kind: "tool",
  tool_use_id: event.tool_use_id,
  tool_name: event.tool_name,
  args: {},
  asked_args: null,
  is_server_side: false,
  state: "running",
  content: null,
  error: null,
  duration_ms: null,
  details: {},
  answered_at: null,
  progress: null,
});

/** A tool card opens; asked again with the same id it is the same card. */
export const toolRequest = (view: SessionView, event: ToolRequest): SessionView => {
  const asked = { tool_name: event.tool_name, args: event.args, is_server_side: event.is_server_side };
  if (!isKnown(view, event)) return appendSpeech(view, event, { ...card(event), ...asked }, event.usage);
  return inTurn(view, event, (turn) =>
    patchItem(turn, isTool(event.tool_use_id), (item) => ({ ...item, ...asked })),
  );
};

/** The card closes; a result without a request gets a card of its own. */
export const toolResponse = (view: SessionView, event: ToolResponse): SessionView => {
  const before = isKnown(view, event) ? view : appendSpeech(view, event, card(event));
  return inTurn(before, event, (turn) =>
    woken(
      patchItem(turn, isTool(event.tool_use_id), (item) => ({
        ...withArgs(item, event.executed_args),
        state: event.success ? "succeeded" : "failed",
        content: event.content,
        error: event.error,
        duration_ms: event.duration_ms,
        details: event.details,
        answered_at: event.timestamp,
        progress: null,
      })),
    ),
  );
};

/** The card of a call that runs with other arguments than it was asked with. */
const withArgs = (item: ToolItem, args: ToolItem["args"] | null | undefined): ToolItem =>
  args === null || args === undefined || isSame(args, item.args)
    ? item
    : { ...item, args, asked_args: item.asked_args ?? item.args };

const asAsked = (item: ToolItem): ToolItem =>
  item.asked_args === null ? item : { ...item, args: item.asked_args, asked_args: null };

/** Values of JSON, whatever the order of their keys. */
const isSame = (one: unknown, other: unknown): boolean => {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && isSame(value, right.get(key)))
  );
};

/** A card that waits for a person. Asked about again, the call has the arguments it was first asked with. */
export const approvalRequested = (view: SessionView, event: ApprovalRequested): SessionView =>
  appendSpeech(patchAnywhere(view, isTool(event.tool_use_id), asAsked), event, {
    ...itemHead(event),
    kind: "approval",
    approval_id: event.approval_id,
    tool_use_id: event.tool_use_id,
    tool_name: event.tool_name,
    args: event.args,
    preview: event.preview,
    reason: event.reason,
    required_role: event.required_role ?? null,
    expires_at: event.expires_at,
    state: "pending",
    decided_args: null,
    decided_by: null,
    decision_reason: null,
    decided_at: null,
  });

const approvalOf = (view: SessionView, id: string): ApprovalItem | undefined =>
  view.turns
    .flatMap((turn) => turn.items)
    .findLast((item): item is ApprovalItem => item.kind === "approval" && item.approval_id === id);

/** The first decision counts, however often one is sent; what was changed is what the call's card shows. */
export const approvalResolved = (view: SessionView, event: ApprovalResolved): SessionView => {
  const asked = approvalOf(view, event.approval_id);
  if (asked?.state !== "pending") return view;
  const decided = patchAnywhere(
    view,
    (item): item is ApprovalItem => item.kind === "approval" && item.approval_id === event.approval_id,
    (item) => ({
      ...item,
      state: event.decision,
      decided_args: event.args,
      decided_by: event.by,
      decision_reason: event.reason,
      decided_at: event.timestamp,
    }),
  );
  if (event.decision !== "edited") return decided;
  return patchAnywhere(decided, isTool(asked.tool_use_id), (item) => withArgs(item, event.args));
};
