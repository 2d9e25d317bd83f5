import { describe, expect, it } from "vitest";

import { type Envelope, EMPTY, fold, fromWire, isInternal } from "../../src/events";
import { recordings } from "./recordings";

const stored = (events: readonly Envelope[]): readonly Envelope[] =>
  events.filter((event) => event.persistence !== "transient");

const frozen = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
};

it("has recordings to read", () => {
  expect(recordings.length).toBeGreaterThanOrEqual(12);
});

describe.each(recordings)("the recorded session $name", ({ events, views, wire }) => {
  it("folds to the view that Python wrote", () => {
    expect(fold(events)).toEqual(views.final);
  });

  it.each(views.midway)("looks the same as in Python after $after events", ({ after, view }) => {
    expect(fold(events.slice(0, after))).toEqual(view);
  });

  it("folds in two parts to the same view, wherever it is cut", () => {
    for (let cut = 0; cut <= events.length; cut += 7) {
      expect(fold(events.slice(cut), fold(events.slice(0, cut)))).toEqual(views.final);
    }
  });

  it("looks the same after a reload", () => {
    expect(fold(stored(events))).toEqual(views.final);
  });

  it("does not change when stored events are delivered once more", () => {
    expect(fold([...events, ...stored(events)])).toEqual(views.final);
  });

  it("does not change without its internal events", () => {
    expect(fold(events.filter((event) => !isInternal(event)))).toEqual(views.final);
  });

  it("folds from the socket to the same view, with its epoch", () => {
    expect(fold(wire.map(fromWire))).toEqual({ ...views.final, epoch: 1 });
  });

  it("never changes a view it gave before", () => {
    let view = frozen(EMPTY);
    for (const event of events) view = frozen(fold([frozen(event)], view));
    expect(view).toEqual(views.final);
  });
});

it("says a piece once that is delivered twice", () => {
  const hello = recordings.find(({ name }) => name === "hello")?.events ?? [];
  const streaming = hello.slice(0, 12);
  const twice = streaming.flatMap((event) => [event, event]);
  expect(fold(twice).turns[0]?.streams[0]?.content).toMatch(/^A baton/);
  expect(fold(twice)).toEqual(fold(streaming));
});

it("folds an event whose type is named like a property of every object", () => {
  const example = recordings[0]?.events[1] as Envelope;
  const view = fold([{ ...example, type: "constructor", is_internal: false, persistence: "async_allowed" }]);
  expect(view.unknown).toEqual({ constructor: 1 });
});
