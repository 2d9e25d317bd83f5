/** Waiting longer after each failure, with jitter so that clients do not return in step. */

export interface Backoff {
  readonly first_ms: number;
  readonly most_ms: number;
}

/** The wait before an attempt (0 is the first), for a random number between 0 and 1. */
export const waitBefore = ({ first_ms, most_ms }: Backoff, attempt: number, random: number): number => {
  const longest = Math.min(most_ms, first_ms * 2 ** Math.min(attempt, 30));
  return Math.round(longest * (0.5 + random / 2));
};
