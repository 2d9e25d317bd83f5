/**
 * Messages on their way. Each carries an id of its own, so that sending it again is harmless;
 * it leaves the outbox when the log tells of it. Pure, but for the shelf at the end.
 */

import type { SessionView } from "../events";
import { recall, remember } from "../lib/storage";
import type { OutgoingMessage } from "./api-types";
import type { Problem } from "./problem";

export interface PendingMessage {
  readonly session_id: string;
  readonly message: OutgoingMessage;
  readonly state: "waiting" | "sent" | "refused";
  readonly problem: Problem | null;
}

export type Outbox = readonly PendingMessage[];

const changed = (outbox: Outbox, id: string, change: Partial<PendingMessage>): Outbox =>
  outbox.map((pending) => (pending.message.client_message_id === id ? { ...pending, ...change } : pending));

/** Put a message in. */
export const posted = (outbox: Outbox, session_id: string, message: OutgoingMessage): Outbox => [
  ...outbox,
  { session_id, message, state: "waiting", problem: null },
];

/** The server has it. */
export const accepted = (outbox: Outbox, id: string): Outbox =>
  changed(outbox, id, { state: "sent", problem: null });

/** The server does not want it; the person decides. */
export const refused = (outbox: Outbox, id: string, problem: Problem): Outbox =>
  changed(outbox, id, { state: "refused", problem });

/** Try again. */
export const revived = (outbox: Outbox, id: string): Outbox =>
  changed(outbox, id, { state: "waiting", problem: null });

/** Give up. */
export const withdrawn = (outbox: Outbox, id: string): Outbox =>
  outbox.filter((pending) => pending.message.client_message_id !== id);

/** What the log does not tell of yet. */
export const unconfirmed = (outbox: Outbox, view: SessionView): Outbox => {
  if (outbox.length === 0) return outbox;
  const stored = new Set(
    view.turns.flatMap((turn) =>
      turn.items.flatMap((item) => (item.kind === "user_message" ? [item.client_message_id] : [])),
    ),
  );
  const kept = outbox.filter(
    (pending) => pending.session_id !== view.session_id || !stored.has(pending.message.client_message_id),
  );
  return kept.length === outbox.length ? outbox : kept;
};

/** The next message to send: in order, one at a time within a session. */
export const nextToSend = (outbox: Outbox): PendingMessage | null => {
  const held = new Set<string>();
  for (const pending of outbox) {
    if (pending.state === "waiting" && !held.has(pending.session_id)) return pending;
    if (pending.state === "refused") held.add(pending.session_id);
  }
  return null;
};

const KEY = "batuta.outbox";

/** The outbox of this tab from before a reload; what was sent is asked again, harmlessly. */
export const restored = (): Outbox =>
  recall<Outbox>(KEY, [], "session").map((pending) =>
    pending.state === "sent" ? { ...pending, state: "waiting" } : pending,
  );

export const shelve = (outbox: Outbox): void => remember(KEY, outbox.length === 0 ? null : outbox, "session");
