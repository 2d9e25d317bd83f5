/** W-2: a message is sent until the server has it, and shown until the log tells of it. */

import { expect, test } from "vitest";

import { fold, fromWire } from "../../src/events";
import type { OutgoingMessage } from "../../src/transport/api-types";
import {
  accepted,
  nextToSend,
  type Outbox,
  posted,
  refused,
  revived,
  unconfirmed,
  withdrawn,
} from "../../src/transport/outbox";
import { UNREACHABLE } from "../../src/transport/problem";
import { recordings } from "../events/recordings";

const message = (id: string): OutgoingMessage => ({ client_message_id: id, text: id, attachments: [] });
const filled = (...ids: readonly string[]): Outbox =>
  ids.reduce<Outbox>((outbox, id) => posted(outbox, "S", message(id)), []);
const next = (outbox: Outbox): string | undefined => nextToSend(outbox)?.message.client_message_id;

test("messages of a session are sent in the order they were written", () => {
  const outbox = filled("A", "B");
  expect(next(outbox)).toBe("A");
  expect(next(accepted(outbox, "A"))).toBe("B");
});

test("a refused message holds back the later ones of its session, not those of another", () => {
  const outbox = posted(refused(filled("A", "B"), "A", UNREACHABLE), "T", message("C"));
  expect(next(outbox)).toBe("C");
});

test("a refused message can be sent again or given up", () => {
  const outbox = refused(filled("A", "B"), "A", UNREACHABLE);
  expect(next(revived(outbox, "A"))).toBe("A");
  expect(next(withdrawn(outbox, "A"))).toBe("B");
});

test("an accepted message stays in view until the log tells of it", () => {
  const hello = recordings.find(({ name }) => name === "hello");
  const view = fold((hello?.wire ?? []).map(fromWire));
  const told = view.turns[0]?.items[0];
  const id = told?.kind === "user_message" ? (told.client_message_id ?? "") : "";
  const outbox = posted(
    posted([], view.session_id ?? "", message(id)),
    view.session_id ?? "",
    message("NEW"),
  );
  expect(unconfirmed(accepted(outbox, id), view).map((pending) => pending.message.client_message_id)).toEqual(
    ["NEW"],
  );
});

test("an outbox the log tells nothing about stays the same object", () => {
  const outbox = filled("A");
  expect(unconfirmed(outbox, fold([]))).toBe(outbox);
});
