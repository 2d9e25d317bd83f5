/**
 * How a client keeps up with one session's log: load, join, follow; rejoin after a gap, reload when asked to.
 *
 *     (state, input) -> [state, effect]
 *
 * Pure: the channel performs the effects and reports what came of them.
 */

import type { WireEvent } from "../events";

export type Phase = "loading" | "waiting" | "joining" | "live";

export interface LinkState {
  readonly phase: Phase;
  readonly isConnected: boolean;
  readonly isLoaded: boolean;
  readonly epoch: number | null;
  readonly last: number;
  /** Joins in a row that brought nothing new. */
  readonly stalls: number;
}

export type LinkInput =
  | { readonly kind: "connected" | "disconnected" | "resync" | "join-failed" | "load-failed" | "retry" }
  | { readonly kind: "loaded"; readonly epoch: number; readonly last: number }
  | { readonly kind: "joined"; readonly epoch: number; readonly resync: boolean }
  | {
      readonly kind: "delivered";
      readonly event: Pick<WireEvent, "epoch" | "sequence_number" | "previous_sequence">;
    };

/** `apply` keeps the delivered event, `drop` forgets it; the others are requests to make. */
export type LinkEffect = "none" | "load" | "join" | "apply" | "drop" | "retry-later";

export type LinkStep = readonly [LinkState, LinkEffect];

const MOST_STALLS = 3;

/** A session of which nothing is known, or one known up to a position. */
export const opened = (isConnected: boolean, known?: { epoch: number; last: number }): LinkStep => {
  const state: LinkState = {
    phase: "loading",
    isConnected,
    isLoaded: known !== undefined,
    epoch: known?.epoch ?? null,
    last: known?.last ?? 0,
    stalls: 0,
  };
  return known === undefined ? [state, "load"] : joining(state);
};

/** What an input does to a link. */
export const step = (state: LinkState, input: LinkInput): LinkStep => {
  switch (input.kind) {
    case "connected":
      return state.isLoaded
        ? joining({ ...state, isConnected: true })
        : [{ ...state, isConnected: true }, "none"];
    case "disconnected":
      return [{ ...state, isConnected: false, phase: state.isLoaded ? "waiting" : "loading" }, "none"];
    case "loaded":
      return joining({ ...state, isLoaded: true, epoch: input.epoch, last: input.last });
    case "joined":
      return input.resync
        ? loading(state)
        : [{ ...state, phase: "live", epoch: state.epoch ?? input.epoch }, "none"];
    case "resync":
      return loading(state);
    case "load-failed":
    case "join-failed":
      return [{ ...state, phase: state.isLoaded ? "waiting" : "loading" }, "retry-later"];
    case "retry":
      return state.isLoaded ? joining(state) : [state, "load"];
    case "delivered":
      return delivered(state, input.event);
  }
};

const loading = (state: LinkState): LinkStep => [
  { ...state, phase: "loading", isLoaded: false, epoch: null, last: 0, stalls: 0 },
  "load",
];

const joining = (state: LinkState): LinkStep =>
  state.isConnected ? [{ ...state, phase: "joining" }, "join"] : [{ ...state, phase: "waiting" }, "none"];

const delivered = (
  state: LinkState,
  event: Pick<WireEvent, "epoch" | "sequence_number" | "previous_sequence">,
): LinkStep => {
  const isStale = state.epoch !== null && event.epoch < state.epoch;
  if (!state.isLoaded || isStale) return [state, "drop"];
  const isNewEpoch = state.epoch !== null && event.epoch > state.epoch;
  if (isNewEpoch || (event.previous_sequence ?? 0) > state.last) return gap(state);
  if (event.sequence_number === null) return [state, "apply"];
  if (event.sequence_number <= state.last) return [state, "drop"];
  return [{ ...state, epoch: event.epoch, last: event.sequence_number, stalls: 0 }, "apply"];
};

/** While a join is under way the missing events are on their way; a join that helps nothing ends in a reload. */
const gap = (state: LinkState): LinkStep => {
  if (state.phase !== "live") return [state, "drop"];
  if (state.stalls >= MOST_STALLS) return loading(state);
  return joining({ ...state, stalls: state.stalls + 1 });
};
