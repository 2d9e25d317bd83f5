// Many pages at once: they connect, lose their servers in the same moment, and come back in the page's own way.

import { writeFileSync } from "node:fs";

import { RECONNECTION } from "../../../web/src/transport/reconnection.ts";
import { load, report, task } from "./packages.mjs";

const { io } = load("socket.io-client");
const { addresses, secrets, sockets, connected } = task;

let lostAt;
let open = 0;
const tried_ms = [];
const connected_ms = [];

const join = (number) => {
  const socket = io(addresses[number % addresses.length], {
    ...RECONNECTION,
    forceNew: true,
    transports: ["websocket"],
    auth: { token: secrets[number % secrets.length] },
  });
  socket.on("connect", () => {
    open += 1;
    if (lostAt === undefined) {
      if (open === sockets) writeFileSync(connected, "");
    } else connected_ms.push(performance.now() - lostAt);
    if (connected_ms.length === sockets) report({ tried_ms, connected_ms });
  });
  socket.on("disconnect", () => {
    lostAt ??= performance.now();
  });
  const { backoff } = socket.io;
  const chosen = backoff.duration.bind(backoff);
  // When it is to try, not when this process gets to it: a busy machine lets many wait for the same moment.
  backoff.duration = () => {
    const delay = chosen();
    tried_ms.push(performance.now() - lostAt + delay);
    return delay;
  };
};

for (let number = 0; number < sockets; number += 1) join(number);
