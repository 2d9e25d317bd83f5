/** Where the bars of a timeline stand. Pure. */

import type { TimelineEntry } from "../../transport/api-types";

export interface Bar {
  readonly left: number;
  readonly width: number;
}

const NARROWEST = 0.6;

/** How long the whole took: at least until the last entry. */
export const spanOf = (entries: readonly TimelineEntry[], told_ms: number): number =>
  Math.max(1, told_ms, ...entries.map((entry) => entry.at_ms));

/** The bar of an entry in percent of the whole. How long something took is known when it ends: the bar ends there. */
export const barOf = ({ at_ms, duration_ms }: TimelineEntry, span_ms: number): Bar => {
  const start = Math.max(at_ms - Math.max(duration_ms ?? 0, 0), 0);
  const left = Math.min((100 * start) / span_ms, 100 - NARROWEST);
  const width = Math.min(Math.max((100 * (at_ms - start)) / span_ms, NARROWEST), 100 - left);
  return { left, width };
};

/** Round moments to write along the top. */
export const ticksOf = (span_ms: number, wanted = 4): readonly number[] => {
  const rough = span_ms / wanted;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(span_ms / step) + 1 }, (_, index) => index * step);
};
