/** Small moves on a `SessionView` that the reducers are made of: find a turn, add an item, change one. */

import type { Envelope } from "./generated";
import type { Item, SessionView, StreamView, TurnView } from "./generated-view";

export type TurnChange = (turn: TurnView) => TurnView;

/** A turn in one of these keeps later ones waiting. */
export const isBusy = (turn: TurnView): boolean =>
  turn.status === "queued" || turn.status === "running" || turn.status === "paused";

const NO_USAGE = { input: 0, output: 0, thinking: 0, cache_read: 0, cache_write: 0 } as const;

/** The fields every item takes from its event. */
export const itemHead = (event: Envelope) => ({
  event_id: event.event_id,
  timestamp: event.timestamp,
  sequence_number: event.sequence_number,
  message_id: event.message_id,
  agent_id: event.source_agent_id,
});

/** The turn an event belongs to, if the log holds its start. */
export const turnOf = (view: SessionView, event: Envelope): TurnView | undefined =>
  view.turns.findLast((turn) => turn.turn_id === event.turn_id);

/** Change the turn of a stored event; the first event of a turn opens it. */
export const withTurn = (view: SessionView, event: Envelope, change: TurnChange): SessionView => {
  if (turnOf(view, event) !== undefined) return inTurn(view, event, change);
  const opened: TurnView = {
    turn_id: event.turn_id,
    status: view.turns.some(isBusy) ? "queued" : "running",
    started_at: event.timestamp,
    ended_at: null,
    stop_reason: null,
    usage: NO_USAGE,
    cost: null,
    duration_ms: null,
    items: [],
    streams: [],
  };
  return inTurn({ ...view, turns: [...view.turns, opened] }, event, change);
};

/** Change the turn of an event; nothing happens if there is none. */
export const inTurn = (view: SessionView, event: Envelope, change: TurnChange): SessionView => {
  const current = turnOf(view, event);
  if (current === undefined) return view;
  const after = change(current);
  return after === current ? view : { ...view, turns: replaced(view.turns, current, after) };
};

/** A list with one member replaced. */
export const replaced = <T>(list: readonly T[], before: T, after: T): readonly T[] =>
  list.map((member) => (member === before ? after : member));

/** Add an item at the end of a turn, once. */
export const addItem = (turn: TurnView, item: Item): TurnView =>
  hasItem(turn, item.event_id) ? turn : { ...turn, items: [...turn.items, item] };

/** Whether an event was already seen; a repeated one is usually among the last. */
export const hasItem = (turn: TurnView, eventId: string): boolean =>
  turn.items.findLastIndex((item) => item.event_id === eventId) >= 0;

/** An agent at work ends waiting. */
export const woken = (turn: TurnView): TurnView =>
  turn.status === "queued" || turn.status === "paused" ? { ...turn, status: "running" } : turn;

/** Change the last item that matches. */
export const patchItem = <T extends Item>(
  turn: TurnView,
  matches: (item: Item) => item is T,
  change: (item: T) => T,
): TurnView => {
  const found = turn.items.findLast(matches);
  return found === undefined ? turn : { ...turn, items: replaced(turn.items, found, change(found)) };
};

/** Change the last matching item of the session, whichever turn holds it. */
export const patchAnywhere = <T extends Item>(
  view: SessionView,
  matches: (item: Item) => item is T,
  change: (item: T) => T,
): SessionView => {
  const turn = view.turns.findLast((candidate) => candidate.items.some(matches));
  return turn === undefined
    ? view
    : { ...view, turns: replaced(view.turns, turn, patchItem(turn, matches, change)) };
};

/** Drop the streams that a stored event supersedes: of its message, or else of its agent. */
export const withoutStreams = (turn: TurnView, kind: StreamView["kind"], event: Envelope): TurnView => {
  const kept = turn.streams.filter((stream) => !(stream.kind === kind && isSameSpeech(stream, event)));
  return kept.length === turn.streams.length ? turn : { ...turn, streams: kept };
};

const isSameSpeech = (stream: StreamView, event: Envelope): boolean =>
  stream.message_id !== null && event.message_id !== null
    ? stream.message_id === event.message_id
    : stream.agent_id === event.source_agent_id;
