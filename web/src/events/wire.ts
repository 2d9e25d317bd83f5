/** Events as the socket delivers them, read back into canonical ones. */

import type { Envelope } from "./generated";
import { ROUTES } from "./generated";

/** An event as one audience was given it. */
export interface Delivered {
  readonly event: Envelope;
  readonly epoch: number;
  readonly previous_sequence: number | null;
}

/** What arrives on the socket: the event under its wire name, with its place in the delivery. */
export type WireEvent = Envelope & Omit<Delivered, "event">;

const CANONICAL: ReadonlyMap<string, string> = new Map(
  Object.entries(ROUTES).flatMap(([type, route]) => (route.wire === null ? [] : [[route.wire, type]])),
);

/** A delivered event; an unknown type keeps its name. */
export const fromWire = ({ epoch, previous_sequence, ...event }: WireEvent): Delivered => ({
  event: { ...event, type: CANONICAL.get(event.type) ?? event.type },
  epoch,
  previous_sequence,
});
