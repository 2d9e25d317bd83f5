/** P-32: what a person who looks elsewhere is told of a session. */

import { expect, test } from "vitest";

import type { SessionSummary } from "../../src/transport/api-types";
import { newsOf } from "../../src/transport/news";

const idle: SessionSummary = {
  session_id: "s",
  title: "A title",
  created_at: "2031-01-01T00:00:00Z",
  updated_at: "2031-01-01T00:00:00Z",
  is_archived: false,
  status: "idle",
  preview: "Hello",
  pending_approvals: 0,
};
const running: SessionSummary = { ...idle, status: "running" };
const waiting: SessionSummary = { ...idle, status: "waiting", pending_approvals: 1 };

test("a turn that was under way and is over has ended", () => {
  expect(newsOf(running, idle)).toBe("ended");
  expect(newsOf({ ...running, status: "queued" }, idle)).toBe("ended");
  expect(newsOf(waiting, idle)).toBe("ended");
});

test("a turn that was too short to be seen running is known by its words", () => {
  expect(newsOf(idle, { ...idle, preview: "Good bye" })).toBe("ended");
});

test("a decision is asked for once", () => {
  expect(newsOf(running, waiting)).toBe("approval");
  expect(newsOf(undefined, waiting)).toBe("approval");
  expect(newsOf(waiting, { ...waiting, title: "Another" })).toBeNull();
  expect(newsOf(waiting, { ...waiting, pending_approvals: 2 })).toBe("approval");
});

test("what goes on, is renamed, or was never seen before is no news", () => {
  expect(newsOf(idle, running)).toBeNull();
  expect(newsOf(idle, { ...idle, title: "Another" })).toBeNull();
  expect(newsOf(undefined, idle)).toBeNull();
});
