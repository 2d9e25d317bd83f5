/** Prints what the build weighs and fails when the first load weighs too much. */

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";

const FOLDER = resolve(import.meta.dirname, "../../src/batuta/server/static");
const LIMIT_KB = 300;

const kilobytes = (file: string): number => gzipSync(readFileSync(file)).length / 1024;

const page = readFileSync(resolve(FOLDER, "index.html"), "utf-8");
const first = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
  (match) => match[1] ?? "",
);
const others = readdirSync(resolve(FOLDER, "assets"))
  .map((name) => `assets/${name}`)
  .filter((name) => /\.(js|css)$/.test(name) && !first.includes(name));

const report = (names: readonly string[]): number =>
  names.reduce((sum, name) => {
    const size = kilobytes(resolve(FOLDER, name));
    console.log(`  ${size.toFixed(1).padStart(7)} KB  ${name}`);
    return sum + size;
  }, 0);

console.log("First load (gzip):");
const total = report(first);
console.log(`  ${total.toFixed(1).padStart(7)} KB  in all, of ${LIMIT_KB} KB allowed`);
console.log("Loaded when needed (gzip):");
report(others);
if (first.length === 0 || total > LIMIT_KB) {
  console.error(`The first load weighs ${total.toFixed(1)} KB; it may weigh ${LIMIT_KB} KB`);
  process.exit(1);
}
