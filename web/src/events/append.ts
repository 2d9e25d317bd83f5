/** How an item enters a turn: as a fact, or as the speech or act of an agent. */

import type { Envelope, Usage } from "./generated";
import type { Item, SessionView } from "./generated-view";
import { addItem, hasItem, withTurn, woken } from "./view-edits";

/** Add an item to its turn. */
export const appendItem = (view: SessionView, event: Envelope, item: Item): SessionView =>
  withTurn(view, event, (turn) => addItem(turn, item));

/** Add what an agent did: it wakes the turn, counts tokens, and makes that agent the current one. */
export const appendSpeech = (
  view: SessionView,
  event: Envelope,
  item: Item,
  usage: Usage | null = null,
): SessionView => {
  const after = withTurn(view, event, (turn) =>
    hasItem(turn, item.event_id)
      ? turn
      : { ...woken(addItem(turn, item)), usage: usage === null ? turn.usage : added(turn.usage, usage) },
  );
  return acted(after, event.source_agent_id);
};

/** Make an agent the current one. */
export const acted = (view: SessionView, agentId: string | null): SessionView =>
  agentId === null ? view : { ...view, current_agent_id: agentId };

const added = (first: Usage, second: Usage): Usage => ({
  input: first.input + second.input,
  output: first.output + second.output,
  thinking: first.thinking + second.thinking,
  cache_read: first.cache_read + second.cache_read,
  cache_write: first.cache_write + second.cache_write,
});
