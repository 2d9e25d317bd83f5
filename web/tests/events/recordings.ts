/** The recorded sessions that the Python suite reads as well. */

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { Envelope, SessionView, WireEvent } from "../../src/events";

const FOLDER = resolve(import.meta.dirname, "../../../tests/replay/sessions");

export interface ExpectedViews {
  readonly midway: readonly { readonly after: number; readonly view: SessionView }[];
  readonly final: SessionView;
}

export interface Recording {
  readonly name: string;
  readonly events: readonly Envelope[];
  readonly wire: readonly WireEvent[];
  readonly agui: readonly Record<string, unknown>[];
  readonly views: ExpectedViews;
}

const text = (file: string): string => readFileSync(resolve(FOLDER, file), "utf-8");

const lines = <T>(file: string): readonly T[] =>
  text(file)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);

const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".view.json"))
  .map((file) => file.slice(0, -".view.json".length));

export const recordings: readonly Recording[] = names.map((name) => ({
  name,
  events: lines(`${name}.events.jsonl`),
  wire: lines(`${name}.wire.jsonl`),
  agui: lines(`${name}.agui.jsonl`),
  views: JSON.parse(text(`${name}.view.json`)) as ExpectedViews,
}));

export const schema = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../../../docs/reference/events.schema.json"), "utf-8"),
) as Record<string, unknown>;
