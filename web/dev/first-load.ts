/** Says of which modules the first load is made: what is loaded at once, with the code of each before it is minified. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
export const FIRST_LOAD = resolve(ROOT, "../.cache/first-load.json");

interface BuiltChunk {
  readonly type: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly modules?: Readonly<Record<string, { readonly code: string | null }>>;
}

/** The chunks that an entry imports, and those that they import. */
const loadedAtOnce = (bundle: Readonly<Record<string, BuiltChunk>>): Set<string> => {
  const found = new Set(Object.keys(bundle).filter((name) => bundle[name]?.isEntry));
  for (const name of found) for (const other of bundle[name]?.imports ?? []) found.add(other);
  return found;
};

export const firstLoad = {
  name: "first-load",
  generateBundle: (_: unknown, bundle: Readonly<Record<string, BuiltChunk>>): void => {
    const chunks = [...loadedAtOnce(bundle)].map((name) => bundle[name]?.modules ?? {});
    const modules = chunks.flatMap((each) =>
      Object.entries(each).map(([id, { code }]) => [relative(ROOT, id), code ?? ""] as const),
    );
    mkdirSync(dirname(FIRST_LOAD), { recursive: true });
    writeFileSync(FIRST_LOAD, JSON.stringify(Object.fromEntries(modules)));
  },
};
