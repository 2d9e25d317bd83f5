/** Prints what the build weighs and fails when the first load weighs too much. */

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";

import { FIRST_LOAD } from "./first-load.ts";

const FOLDER = resolve(import.meta.dirname, "../../src/batuta/server/static");
const LIMIT_KB = 300;
/** What the first load weighed when it was last looked at; it may grow by so much before somebody has to look again. */
const RECORDED_KB = 208;
const GROWTH_KB = 5;
/** What tables and charts may add to the first load; the rest of them is loaded when one is shown. */
const CHARTS_KB = 5;
const OF_CHARTS = /^src\/(?:data|features\/boards)\/|^src\/events\/dataset-/;

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
const modules: Readonly<Record<string, string>> = JSON.parse(readFileSync(FIRST_LOAD, "utf-8"));
const words = ["en", "es"].map((language) => {
  const text = readFileSync(resolve(import.meta.dirname, `../src/lib/i18n/${language}/talk.ts`), "utf-8");
  return /\n {2}datasets: \{[\s\S]*?\n {2}\},/.exec(text)?.[0] ?? "";
});
const ofCharts = Object.keys(modules).filter((name) => OF_CHARTS.test(name));
const charts = gzipSync([...ofCharts.map((name) => modules[name]), ...words].join("\n")).length / 1024;
console.log(
  `Of that tables and charts, before minifying: ${charts.toFixed(1)} KB of ${CHARTS_KB} KB allowed`,
);
for (const name of ofCharts) console.log(`  ${name}`);
if (words.some((text) => text === "") || charts > CHARTS_KB) {
  console.error(
    `Tables and charts add ${charts.toFixed(1)} KB to the first load; load them when one is shown`,
  );
  process.exit(1);
}
const allowed = Math.min(LIMIT_KB, RECORDED_KB + GROWTH_KB);
if (first.length === 0 || total > allowed) {
  console.error(`The first load weighs ${total.toFixed(1)} KB; it may weigh ${allowed} KB (see RECORDED_KB)`);
  process.exit(1);
}
