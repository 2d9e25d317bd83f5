/** How the page comes back after a loss: soon, then less often, and never in step with all the others. */

export const RECONNECTION = {
  reconnectionDelay: 400,
  reconnectionDelayMax: 8_000,
  randomizationFactor: 0.5,
} as const;

const REFUSED_MS = 4_000;

/** A connection that was refused, not lost, is not tried again by itself: how long to wait before that. */
export const waitAfterRefusal = (random: number): number => Math.round(REFUSED_MS * (0.5 + random));
