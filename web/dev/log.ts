/** A session's log in memory, spelled as the server spells it on the wire. */

import { randomBytes } from "node:crypto";

export interface WireFields {
  readonly type: string;
  readonly [field: string]: unknown;
}

export type Sent = WireFields & { readonly sequence_number: number | null };
export type Listener = (event: Sent) => void;

let lastTick = 0;

/** A time-ordered, upper-case UUID. */
export const newId = (): string => {
  lastTick = Math.max(Date.now() * 4, lastTick + 1);
  const time = lastTick.toString(16).padStart(12, "0").slice(-12);
  const rest = randomBytes(10).toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`.toUpperCase();
};

const TRANSIENT: ReadonlySet<string> = new Set([
  "session_start",
  "session_end",
  "message_chunk",
  "thinking_chunk",
  "content_delta",
  "thinking_delta",
  "tool_progress",
]);

const HEAD = {
  version: 1,
  message_id: null,
  original_index: 0,
  source_agent_id: null,
  is_internal: false,
  correlation_id: null,
  trace_id: null,
  caused_by: null,
};

export class SessionLog {
  readonly session_id: string;
  readonly epoch = 1;
  readonly stored: Sent[] = [];
  /** Pieces of what is being said, for those who join in the middle. */
  pieces: Sent[] = [];
  #listeners = new Set<Listener>();

  constructor(session_id: string) {
    this.session_id = session_id;
  }

  get last(): number {
    return this.stored.at(-1)?.sequence_number ?? 0;
  }

  append(turn_id: string, fields: WireFields): Sent {
    const isTransient = TRANSIENT.has(fields.type);
    const event: Sent = {
      ...HEAD,
      event_id: newId(),
      timestamp: new Date().toISOString(),
      persistence: isTransient ? "transient" : "async_allowed",
      ...fields,
      session_id: this.session_id,
      turn_id,
      sequence_number: isTransient ? null : this.last + 1,
      epoch: this.epoch,
      previous_sequence: this.last === 0 ? null : this.last,
    };
    if (isTransient) this.pieces.push(event);
    else this.stored.push(event);
    if (fields.type === "message" || fields.type === "session_end") this.pieces = [];
    for (const listener of this.#listeners) listener(event);
    return event;
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
