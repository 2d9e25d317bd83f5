/** The recorded sessions of the test suite, to be shown and played again under new ids. */

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { WireFields } from "./log.ts";

const FOLDER = resolve(import.meta.dirname, "../../tests/replay/sessions");

export interface Recording {
  readonly name: string;
  readonly events: readonly WireFields[];
}

export const recordings: readonly Recording[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".wire.jsonl"))
  .map((file) => ({
    name: file.slice(0, -".wire.jsonl".length),
    events: readFileSync(resolve(FOLDER, file), "utf-8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as WireFields),
  }));

const PLACE: ReadonlySet<string> = new Set([
  "event_id",
  "session_id",
  "turn_id",
  "sequence_number",
  "timestamp",
]);

/** An event without its place in the old log. */
export const withoutPlace = (event: WireFields): WireFields =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !PLACE.has(name))) as unknown as WireFields;
