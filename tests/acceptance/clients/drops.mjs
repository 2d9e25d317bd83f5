// The real socket.io-client: follows a session while turns run, and loses its connection again and again.

import { load, report, task } from "./packages.mjs";

const { io } = load("socket.io-client");
const { address, secret, session_id, turns, drops } = task;

const position = { epoch: undefined, last_sequence: undefined };
const received = [];
let dropped = 0;
let ended = 0;

const socket = io(address, {
  transports: ["websocket"],
  auth: { token: secret },
  reconnectionDelay: 5,
  reconnectionDelayMax: 20,
});

const say = (text) =>
  fetch(`${address}/api/sessions/${session_id}/messages`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${secret}` },
    body: JSON.stringify({ client_message_id: crypto.randomUUID(), text }),
  }).then(async (answer) => {
    if (answer.status !== 202) throw new Error(await answer.text());
  });

socket.on("connect", async () => {
  const known = position.epoch === undefined ? {} : position;
  const ack = await socket.emitWithAck("session:join", { session_id, ...known });
  if (!ack.ok || ack.resync) throw new Error(JSON.stringify(ack));
});

socket.on("agent:event", (event) => {
  if (event.sequence_number === null) return;
  received.push([event.previous_sequence, event.sequence_number]);
  position.epoch = event.epoch;
  position.last_sequence = event.sequence_number;
  if (event.type === "complete") ended += 1;
  if (dropped < drops) {
    dropped += 1;
    socket.io.engine.transport.ws.terminate();
  } else if (ended === turns) {
    report({ received, dropped });
  }
});

for (let turn = 0; turn < turns; turn += 1) await say(`turn ${turn}`);
