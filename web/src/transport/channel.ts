/** The open session: what its log adds up to, loaded and then followed live. Components read it, nothing else writes it. */

import { create } from "zustand";

import { type Delivered, EMPTY, fold, fromWire, type SessionView, type WireEvent } from "../events";
import { waitBefore } from "../lib/backoff";
import { api } from "./api";
import { type LinkInput, type LinkState, type LinkStep, opened, type Phase, step } from "./link";
import { unconfirmed } from "./outbox";
import { GONE, type Problem, ProblemError } from "./problem";
import { changeOutbox } from "./sending";
import { command, isConnected, type JoinAck, listen, watchConnection } from "./socket";

export interface ChannelState {
  readonly session_id: string | null;
  readonly view: SessionView;
  readonly phase: Phase;
  /** Why the session cannot be shown. */
  readonly problem: Problem | null;
}

export const useChannel = create<ChannelState>(() => ({
  session_id: null,
  view: EMPTY,
  phase: "loading",
  problem: null,
}));

/** Pieces of an answer are shown together, at most thirty times a second. */
const FLUSH_MS = 32;
const BACKOFF = { first_ms: 500, most_ms: 10_000 };
const KEPT_VIEWS = 8;
const known = new Map<string, SessionView>();

/** Follow a session until the answer is called. */
export const openChannel = (id: string): (() => void) => {
  let view = known.get(id) ?? EMPTY;
  let arrived: Delivered[] = [];
  let timer: number | null = null;
  let failures = 0;
  let isClosed = false;
  let state: LinkState;

  const show = (change: Partial<ChannelState>): void => {
    if (!isClosed) useChannel.setState(change);
  };
  const flush = (): void => {
    timer = null;
    view = fold(arrived, view);
    arrived = [];
    show({ view });
    changeOutbox((outbox) => unconfirmed(outbox, view));
  };
  const apply = (event: WireEvent): void => {
    arrived.push(fromWire(event));
    timer ??= window.setTimeout(flush, FLUSH_MS);
  };
  /** A session that is not there stays so; everything else may pass. */
  const fail = (error: unknown, kind: "load-failed" | "join-failed"): void => {
    if (error instanceof ProblemError && error.problem.status === 404) show({ problem: error.problem });
    else take({ kind });
  };
  const load = async (): Promise<void> => {
    try {
      const loaded = await loadAll(id);
      view = loaded.view;
      arrived = [];
      failures = 0;
      show({ view, problem: null });
      changeOutbox((outbox) => unconfirmed(outbox, view));
      take({ kind: "loaded", epoch: loaded.epoch, last: loaded.last });
    } catch (error) {
      fail(error, "load-failed");
    }
  };
  const join = async (): Promise<void> => {
    const position = state.epoch === null ? {} : { epoch: state.epoch, last_sequence: state.last };
    try {
      const ack = await command<"session:join", JoinAck>("session:join", { session_id: id, ...position });
      failures = 0;
      take({ kind: "joined", epoch: ack.epoch, resync: ack.resync });
    } catch (error) {
      fail(error, "join-failed");
    }
  };
  const retryLater = (): void => {
    window.setTimeout(() => take({ kind: "retry" }), waitBefore(BACKOFF, failures++, Math.random()));
  };
  const settle = ([after, effect]: LinkStep): void => {
    state = after;
    show({ phase: state.phase });
    if (effect === "load") void load();
    if (effect === "join") void join();
    if (effect === "retry-later") retryLater();
  };
  const take = (input: LinkInput): void => {
    if (!isClosed) settle(step(state, input));
  };
  const receive = (event: WireEvent): void => {
    if (event.session_id !== id) return;
    const [after, effect] = step(state, { kind: "delivered", event });
    if (effect === "apply") apply(event);
    settle([after, effect]);
  };

  const stops = [
    listen("agent:event", receive),
    listen("session:deleted", (change) => change.session_id === id && show({ problem: GONE })),
    listen("session:resync", (change) => change.session_id === id && take({ kind: "resync" })),
    watchConnection((isUp) => take({ kind: isUp ? "connected" : "disconnected" })),
  ];
  useChannel.setState({ session_id: id, view, problem: null });
  settle(opened(isConnected(), positionOf(view)));

  return () => {
    if (timer !== null) flush();
    isClosed = true;
    for (const stop of stops) stop();
    keep(id, view);
    if (isConnected()) command("session:leave", { session_id: id }).catch(() => undefined);
  };
};

const positionOf = (view: SessionView): { epoch: number; last: number } | undefined =>
  view.epoch === null ? undefined : { epoch: view.epoch, last: view.last_sequence };

const keep = (id: string, view: SessionView): void => {
  known.delete(id);
  known.set(id, view);
  const oldest = known.keys().next().value;
  if (known.size > KEPT_VIEWS && oldest !== undefined) known.delete(oldest);
};

/** Forget all sessions seen, when another person signs in. */
export const forgetChannels = (): void => {
  known.clear();
  useChannel.setState({ session_id: null, view: EMPTY, phase: "loading", problem: null });
};

const loadAll = async (id: string): Promise<{ view: SessionView; epoch: number; last: number }> => {
  let view = EMPTY;
  let last = 0;
  for (;;) {
    const page = await api.events(id, last);
    view = fold(page.items.map(fromWire), view);
    last = page.items.at(-1)?.sequence_number ?? page.last_sequence;
    if (!page.has_more) return { view, epoch: page.epoch, last: view.last_sequence };
  }
};
