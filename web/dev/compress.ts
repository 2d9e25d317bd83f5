/** Writes every text of the build once more, packed: the server sends what the browser can unpack. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const FOLDER = resolve(import.meta.dirname, "../../src/batuta/server/static");
const TEXT = /\.(?:js|css|html|svg|json)$/;
/** Smaller files fit into one packet anyway. */
const WORTHWHILE_BYTES = 1024;

const names = readdirSync(FOLDER, { recursive: true, encoding: "utf-8" }).filter((name) => TEXT.test(name));
for (const name of names) {
  const path = resolve(FOLDER, name);
  const content = readFileSync(path);
  if (content.length < WORTHWHILE_BYTES) continue;
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  );
}
