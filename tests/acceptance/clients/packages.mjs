// What the clients share: the packages of the web application, their task, and how they report.

import { createRequire } from "node:module";

export const load = createRequire(new URL("../../../web/package.json", import.meta.url));
export const task = JSON.parse(process.argv[2]);

export const report = (facts) => process.stdout.write(JSON.stringify(facts), () => process.exit(0));
