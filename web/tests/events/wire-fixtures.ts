/** The wire fixtures of the providers that the Python suite reads as well, each with the events it comes to. */

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { Envelope, SessionView } from "../../src/events";

const FOLDER = resolve(import.meta.dirname, "../../../tests/replay/wire");

export type Json = Readonly<Record<string, unknown>>;

export interface WireFixture {
  readonly provider: string;
  readonly feature: string;
  readonly answer: Json;
  readonly chunks: readonly Json[];
  readonly events: readonly Envelope[];
  readonly view: SessionView;
}

const text = (path: string): string => readFileSync(resolve(FOLDER, path), "utf-8");

const chunksIn = (stream: string): readonly Json[] =>
  stream
    .split("\n")
    .filter((line) => line.startsWith("data: ") && line !== "data: [DONE]")
    .map((line) => JSON.parse(line.slice("data: ".length)) as Json);

const fixture = (path: string): WireFixture => {
  const [provider = "", ...feature] = path.split("/");
  const isRecorded = feature.length > 1;
  const canonical = JSON.parse(text(`${path}.canonical.json`)) as Pick<WireFixture, "events" | "view">;
  return {
    provider,
    feature: feature.join("/"),
    answer: JSON.parse(text(`${path}.whole.json`)) as Json,
    chunks: isRecorded ? chunksIn(text(`${path}.stream.sse`)) : (JSON.parse(text(`${path}.stream.json`)) as Json[]),
    ...canonical,
  };
};

export const wireFixtures: readonly WireFixture[] = readdirSync(FOLDER, { recursive: true, encoding: "utf-8" })
  .filter((path) => path.endsWith(".whole.json"))
  .map((path) => fixture(path.slice(0, -".whole.json".length)));
