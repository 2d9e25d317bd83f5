import Ajv from "ajv/dist/2020";
import { describe, expect, it } from "vitest";

import { type Envelope, fold, isAssistantMessage, isToolRequest, ROUTES } from "../../src/events";
import { schema } from "./recordings";
import { type Json, wireFixtures } from "./wire-fixtures";

const ajv = new Ajv({ strict: true, strictTypes: false, formats: { "date-time": /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ } });
const validate = ajv.compile(schema);

type Items = readonly Json[];

const list = (value: unknown): Items => (Array.isArray(value) ? (value as Items) : []);
const part = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const joined = (items: Items, key = "text"): string => items.map((item) => String(item[key] ?? "")).join("");

/** Where each provider keeps what a person reads. */
const SAID: Readonly<Record<string, (answer: Json) => string>> = {
  anthropic: (answer) => joined(list(answer.content).filter(({ type }) => type === "text")),
  openai_chat: (answer) => {
    const message = part(list(answer.choices)[0]?.message);
    return String(message.content ?? "") + String(message.refusal ?? "");
  },
  openai_responses: (answer) =>
    list(answer.output)
      .flatMap((item) => list(item.content))
      .map((piece) => String(piece.text ?? piece.refusal ?? ""))
      .join(""),
  google: (answer) =>
    joined(list(part(list(answer.candidates)[0]?.content).parts).filter(({ thought }) => thought !== true)),
};

const spoken = (events: readonly Envelope[]): string =>
  events
    .filter(isAssistantMessage)
    .map(({ content }) => content)
    .join("");

it("has a cell for every feature of every provider, written and recorded", () => {
  const cells = new Set(wireFixtures.map(({ provider, feature }) => `${provider}/${feature}`));
  const features = new Set(wireFixtures.map(({ feature }) => feature.replace("recorded/", "")));
  const wanted = Object.keys(SAID).flatMap((provider) =>
    [...features].flatMap((feature) => [`${provider}/${feature}`, `${provider}/recorded/${feature}`]),
  );
  expect(features.size).toBeGreaterThanOrEqual(17);
  expect(wanted.filter((cell) => !cells.has(cell))).toEqual([]);
  expect(wireFixtures.length).toBe(wanted.length);
});

describe.each(wireFixtures)("$provider $feature", ({ provider, answer, chunks, events, view }) => {
  it("comes whole and in chunks", () => {
    expect(Object.keys(answer).length).toBeGreaterThan(0);
    expect(chunks.length).toBeGreaterThan(0);
  });

  it("gives events that the schema accepts", () => {
    for (const event of events) {
      expect(Object.keys(ROUTES)).toContain(event.type);
      expect(validate(event), JSON.stringify({ event, errors: validate.errors })).toBe(true);
    }
  });

  it("folds to the view that Python wrote", () => {
    expect(fold(events)).toEqual(view);
    for (let cut = 0; cut <= events.length; cut += 1) {
      expect(fold(events.slice(cut), fold(events.slice(0, cut)))).toEqual(view);
    }
  });

  it("says in its events what the provider said on the wire", () => {
    expect(spoken(events)).toBe(SAID[provider]?.(answer));
  });

  it("asks for the tools that the provider named on the wire", () => {
    const wire = JSON.stringify(answer);
    for (const { tool_name, is_server_side } of events.filter(isToolRequest)) {
      if (!is_server_side) expect(wire).toContain(`"${tool_name}"`);
    }
  });
});
