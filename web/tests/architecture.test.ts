/** How the application is put together: layers, names and sizes. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const SOURCE = resolve(import.meta.dirname, "../src");

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf-8" }).filter((file) =>
  /\.(ts|tsx)$/.test(file),
);
const textOf = (file: string): string => readFileSync(resolve(SOURCE, file), "utf-8");
const layerOf = (file: string): string => file.split("/")[0] ?? "";

/** What each layer may import besides itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  components: ["lib"],
  events: ["lib"],
  transport: ["lib", "events"],
  data: ["lib", "components", "events", "transport"],
  features: ["lib", "components", "events", "transport", "data"],
  app: ["lib", "components", "events", "transport", "data", "features", "styles"],
};

const importsOf = (file: string): readonly string[] =>
  [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
    relative(SOURCE, resolve(SOURCE, dirname(file), match[1] ?? "")),
  );

describe("layers", () => {
  test("no file imports from a layer above it", () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .map(layerOf)
        .filter((layer) => layer !== layerOf(file) && !(ALLOWED[layerOf(file)] ?? []).includes(layer))
        .map((layer) => `${file} -> ${layer}`),
    );
    expect(wrong).toEqual([]);
  });

  test("features do not know of one another", () => {
    const wrong = files
      .filter((file) => layerOf(file) === "features")
      .flatMap((file) =>
        importsOf(file)
          .filter((target) => layerOf(target) === "features" && target.split("/")[1] !== file.split("/")[1])
          .map((target) => `${file} -> ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test("every file was looked at", () => {
    expect(files.flatMap(importsOf).length).toBeGreaterThan(200);
    expect(new Set(files.map(layerOf))).toEqual(new Set(Object.keys(ALLOWED)));
  });
});

test("files are small: nine in ten within 120 lines, none over 250", () => {
  const written = files.filter((file) => !file.includes("generated"));
  const lines = written
    .map((file) => textOf(file).split("\n").length - 1)
    .sort((first, second) => first - second);
  const tenth = lines[Math.ceil(lines.length * 0.9) - 1] ?? 0;
  console.info(
    `${lines.length} files: median ${lines[lines.length >> 1]}, p90 ${tenth}, most ${lines.at(-1)} lines`,
  );
  expect(lines.at(-1)).toBeLessThanOrEqual(250);
  expect(tenth).toBeLessThanOrEqual(120);
});

test("every file opens with its purpose", () => {
  expect(files.filter((file) => !/^\/(\*\*|\/)/.test(textOf(file)))).toEqual([]);
});

test("nothing is loaded from elsewhere and nothing is set as raw HTML", () => {
  const wrong = files.filter((file) =>
    /dangerouslySetInnerHTML|innerHTML|https?:\/\/(?!www\.w3\.org)/.test(textOf(file)),
  );
  expect(wrong).toEqual([]);
});
