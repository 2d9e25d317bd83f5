// The real socket.io-client: follows a session while turns run, and loses its connection again and again, every time
// at a moment of chance. It comes back to the next of the addresses, as behind a balancer without memory.

import { load, report, task } from "./packages.mjs";

const { io } = load("socket.io-client");
const { addresses, secret, session_id, turns, drops } = task;

const position = { epoch: undefined, last_sequence: undefined };
const received = [];
const resumed = [];
let dropped = 0;
let ended = 0;
let lostAt;

const socket = io(addresses[0], {
  transports: ["websocket"],
  auth: { token: secret },
  reconnectionDelay: 5,
  reconnectionDelayMax: 20,
});

const say = (text) =>
  fetch(`${addresses[0]}/api/sessions/${session_id}/messages`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${secret}` },
    body: JSON.stringify({ client_message_id: crypto.randomUUID(), text }),
  }).then(async (answer) => {
    if (answer.status !== 202) throw new Error(await answer.text());
  });

const drop = () => {
  if (dropped >= drops || !socket.connected) return;
  dropped += 1;
  lostAt = performance.now();
  socket.io.uri = addresses[dropped % addresses.length];
  socket.io.engine.transport.ws.terminate();
};

const end = () => {
  if (dropped >= drops && ended >= turns) report({ received, dropped, resumed });
};

socket.on("connect", async () => {
  const known = position.epoch === undefined ? {} : position;
  const ack = await socket.timeout(10_000).emitWithAck("session:join", { session_id, ...known }).catch(() => null);
  if (ack === null || !socket.connected) return; // dropped while it joined
  if (!ack.ok || ack.resync) throw new Error(JSON.stringify(ack));
  if (lostAt !== undefined) resumed.push(performance.now() - lostAt);
  setTimeout(drop, Math.random() * 60);
});

socket.on("agent:event", (event) => {
  if (event.sequence_number === null) return;
  received.push([event.previous_sequence, event.sequence_number]);
  position.epoch = event.epoch;
  position.last_sequence = event.sequence_number;
  if (event.type === "complete" && event.status !== "paused") ended += 1;
  if (Math.random() < 0.5) drop();
  end();
});

for (let turn = 0; turn < turns; turn += 1) await say(`turn ${turn}`);
setInterval(end, 100);
