/** Prints what the build weighs and fails when the first load weighs too much. */

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";

const FOLDER = resolve(import.meta.dirname, "../../src/batuta/server/static");
const LIMIT_KB = 300;
/** What the first load weighed when it was last looked at; it may grow by so much before somebody has to look again. */
const RECORDED_KB = 204;
const GROWTH_KB = 5;

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
const allowed = Math.min(LIMIT_KB, RECORDED_KB + GROWTH_KB);
if (first.length === 0 || total > allowed) {
  console.error(`The first load weighs ${total.toFixed(1)} KB; it may weigh ${allowed} KB (see RECORDED_KB)`);
  process.exit(1);
}
