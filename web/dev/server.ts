/** Runs the stub for `npm run dev` (port 8021) or by itself, serving the last build. */

import { startStub } from "./stub.ts";

const stub = await startStub({
  port: Number(process.env["PORT"] ?? 8021),
  speed: Number(process.env["SPEED"] ?? 1),
});
console.log(`The stub answers at ${stub.url}`);
