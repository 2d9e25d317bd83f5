/** The turn timeline: every entry has its place, whatever its figures. */

import { expect, test } from "vitest";

import { barOf, spanOf, ticksOf } from "../../src/features/timeline/bars";
import type { TimelineEntry } from "../../src/transport/api-types";

const entry = (at_ms: number, duration_ms: number | null): TimelineEntry => ({
  at_ms,
  duration_ms,
  type: "t",
  agent_id: null,
  label: "",
  path: null,
  depth: 0,
  is_internal: false,
  usage: null,
  cost: null,
  details: {},
});

test("a bar takes its share of the whole and ends when the entry was told", () => {
  expect(barOf(entry(750, 500), 1000)).toEqual({ left: 25, width: 50 });
});

test("a bar never begins before the turn does", () => {
  expect(barOf(entry(200, 900), 1000)).toEqual({ left: 0, width: 20 });
});

test("what takes no time is still seen, also at the very end", () => {
  for (const bar of [
    barOf(entry(0, null), 1000),
    barOf(entry(1000, 0), 1000),
    barOf(entry(1400, 400), 1000),
  ]) {
    expect(bar.width).toBeGreaterThan(0.5);
    expect(bar.left + bar.width).toBeLessThanOrEqual(100);
  }
});

test("the whole reaches to the last entry, even if the turn was told shorter", () => {
  expect([spanOf([entry(1300, 400)], 1000), spanOf([], 0)]).toEqual([1300, 1]);
});

test("moments along the top are round", () => {
  expect(ticksOf(5300)).toEqual([0, 2000, 4000]);
});
