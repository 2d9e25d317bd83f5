import Ajv from "ajv/dist/2020";
import { describe, expect, it } from "vitest";

import { type Envelope, ROUTES, isUserMessage } from "../../src/events";
import { recordings, schema } from "./recordings";

const ajv = new Ajv({ strict: true, strictTypes: false, formats: { "date-time": /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ } });
const validate = ajv.compile(schema);

const known = (event: Envelope): boolean => Object.hasOwn(ROUTES, event.type);

describe.each(recordings)("the recorded session $name", ({ events }) => {
  it("holds only events that the schema knows, or that nobody knows", () => {
    for (const event of events.filter(known)) {
      expect(validate(event), JSON.stringify({ event, errors: validate.errors })).toBe(true);
    }
  });
});

it("refuses an event that lacks a field, has a lower-case id or an unknown type", () => {
  const good = recordings.flatMap(({ events }) => events).find(isUserMessage);
  const { content: _, ...without } = good as Extract<typeof good, object>;
  expect(validate(good)).toBe(true);
  expect(validate(without)).toBe(false);
  expect(validate({ ...good, event_id: good?.event_id.toLowerCase() })).toBe(false);
  expect(validate({ ...good, type: "nonsense" })).toBe(false);
});

it("shows every type of the routing table in some recording", () => {
  const seen = new Set(recordings.flatMap(({ events }) => events.map((event) => event.type)));
  expect(Object.keys(ROUTES).filter((type) => !seen.has(type))).toEqual([]);
});
