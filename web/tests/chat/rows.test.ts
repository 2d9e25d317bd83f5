/** W-1, E-20: what the log adds up to, as rows of the conversation. */

import { describe, expect, test } from "vitest";

import { fold, fromWire, type SessionView } from "../../src/events";
import { activityOf, answerOf, questionOf, type Row, rowsOf } from "../../src/features/chat/rows";
import { recordings } from "../events/recordings";

const wireOf = (name: string) => recordings.find((recording) => recording.name === name)?.wire ?? [];
const viewOf = (name: string, until = Number.POSITIVE_INFINITY): SessionView =>
  fold(wireOf(name).slice(0, until).map(fromWire));
const kinds = (rows: readonly Row[]): readonly string[] =>
  rows.map((row) => (row.kind === "item" ? row.item.kind : row.kind));

test("a plain turn reads: question, thought, answer, end", () => {
  expect(kinds(rowsOf(viewOf("hello"), []))).toEqual([
    "user_message",
    "thinking",
    "assistant_message",
    "end",
  ]);
});

test("while an answer arrives its pieces stand in its place", () => {
  const until = wireOf("hello").findIndex((event) => event.type === "message");
  expect(kinds(rowsOf(viewOf("hello", until), []))).toEqual(["user_message", "thinking", "stream"]);
});

test("before the first word the turn shows that it works", () => {
  expect(kinds(rowsOf(viewOf("hello", 2), []))).toEqual(["user_message", "working"]);
});

test("a call that waits for a person is told by its approval alone, and by both after the decision", () => {
  const until = wireOf("approval").findIndex((event) => event.type === "approval_resolved");
  expect(kinds(rowsOf(viewOf("approval", until), []))).toEqual(["user_message", "approval"]);
  expect(kinds(rowsOf(viewOf("approval"), []))).toEqual([
    "user_message",
    "tool",
    "approval",
    "assistant_message",
    "end",
  ]);
});

test("the badge of an agent stands once for a run of its rows", () => {
  const agents = rowsOf(viewOf("hello"), []).flatMap((row) => (row.kind === "item" ? [row.agent] : []));
  expect(agents).toEqual([null, "supervisor", null]);
});

test("an answer to a step of a plan steps back when the plan is concluded, and not before", () => {
  const answers = (view: SessionView) =>
    rowsOf(view, []).flatMap((row) =>
      row.kind === "item" && row.item.kind === "assistant_message"
        ? [[row.item.agent_id, row.isConcluded]]
        : [],
    );
  const conclusion = wireOf("plan").findLastIndex((event) => event.type === "message");
  expect(answers(viewOf("plan", conclusion))).toEqual([
    ["erp", false],
    ["rag", false],
  ]);
  expect(answers(viewOf("plan"))).toEqual([
    ["erp", true],
    ["rag", true],
    ["supervisor", false],
  ]);
});

test("rows of a turn that did not change are the same objects, so that nothing is drawn again", () => {
  const view = viewOf("failed");
  expect(rowsOf(view, [])[0]).toBe(rowsOf({ ...view, title: "new" }, [])[0]);
});

test("a message on its way stands at the end", () => {
  const pending = {
    session_id: "S",
    message: { client_message_id: "M", text: "hi", attachments: [] },
    state: "waiting",
    problem: null,
  } as const;
  expect(rowsOf(viewOf("hello"), [pending]).at(-1)).toMatchObject({ kind: "pending", key: "M" });
});

test("question and answer of a turn are found", () => {
  const turn = viewOf("hello").turns[0];
  expect(turn && [questionOf(turn)?.content, answerOf(turn)?.content]).toEqual([
    "What is a baton?",
    "A baton is the stick a conductor beats time with.",
  ]);
});

test("a session runs, waits, or rests", () => {
  const until = wireOf("approval").findIndex((event) => event.type === "approval_resolved");
  expect([
    activityOf(viewOf("hello", 4)),
    activityOf(viewOf("approval", until)),
    activityOf(viewOf("hello")),
  ]).toEqual(["running", "paused", "idle"]);
});

describe("every recorded session", () => {
  test.each(recordings.map((recording) => [recording.name, recording] as const))(
    "%s: loaded at once it has the rows it had live, each key once",
    (_name, { wire }) => {
      const stored = wire.filter((event) => event.persistence !== "transient");
      const live = rowsOf(fold(wire.map(fromWire)), []);
      const loaded = rowsOf(fold(stored.map(fromWire)), []);
      const finished = (rows: readonly Row[]) =>
        kinds(rows).filter((kind) => kind !== "stream" && kind !== "working");
      expect(finished(live)).toEqual(finished(loaded));
      expect(new Set(live.map((row) => row.key)).size).toBe(live.length);
    },
  );
});
