/** P-30, W-3: the list of sessions, page by page and in step with the server. */

import { expect, test } from "vitest";

import type { SessionSummary } from "../../src/transport/api-types";
import { EMPTY_LIST, extended, updated, without } from "../../src/transport/listed-sessions";

const summary = (
  session_id: string,
  updated_at: string,
  change: Partial<SessionSummary> = {},
): SessionSummary => ({
  session_id,
  title: session_id,
  created_at: updated_at,
  updated_at,
  is_archived: false,
  status: "idle",
  preview: null,
  pending_approvals: 0,
  ...change,
});

const list = extended(EMPTY_LIST, {
  items: [summary("B", "2026-02"), summary("A", "2026-01")],
  next_cursor: "c",
});
const ids = (state: typeof list): readonly string[] => state.items.map((item) => item.session_id);

test("a further page is added behind, without what is already there", () => {
  const more = extended(list, {
    items: [summary("A", "2026-01"), summary("Z", "2025-12")],
    next_cursor: null,
  });
  expect([ids(more), more.cursor]).toEqual([["B", "A", "Z"], null]);
});

test("a session that moved on goes to the top", () => {
  expect(ids(updated(list, summary("A", "2026-03", { status: "running" })))).toEqual(["A", "B"]);
});

test("a new session appears, also one made in another tab", () => {
  expect(ids(updated(list, summary("N", "2026-04")))).toEqual(["N", "B", "A"]);
});

test("while searching, news of sessions that were not found stays out", () => {
  expect(ids(updated({ ...list, query: "b" }, summary("N", "2026-04")))).toEqual(["B", "A"]);
});

test("an archived session leaves the list, and is kept in that of the archive", () => {
  expect(ids(updated(list, summary("A", "2026-03", { is_archived: true })))).toEqual(["B"]);
  expect(ids(updated({ ...list, archived: true }, summary("A", "2026-03", { is_archived: true })))).toEqual([
    "A",
    "B",
  ]);
});

test("a deleted session is gone", () => {
  expect(ids(without(list, "B"))).toEqual(["A"]);
});
