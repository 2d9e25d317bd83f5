// The real @ag-ui/client: runs a turn, and answers its interrupt where there is one.

import { load, report, task } from "./packages.mjs";

const { HttpAgent } = load("@ag-ui/client");
const { address, secret, thread_id, text, payload } = task;

const agent = new HttpAgent({
  url: `${address}/api/agui`,
  headers: { Authorization: `Bearer ${secret}` },
  threadId: thread_id,
});
const types = [];
let outcome;
const subscriber = {
  onEvent: ({ event }) => {
    types.push(event.type);
    if (event.type === "RUN_FINISHED") outcome = event.outcome;
  },
};

agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
await agent.runAgent({}, subscriber);
const interrupts = outcome?.interrupts ?? [];
if (interrupts.length > 0) {
  const resume = interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload }));
  await agent.runAgent({ resume }, subscriber);
}
const said = agent.messages.filter(({ role }) => role === "assistant").map(({ content }) => content ?? "");
report({ types, interrupts: interrupts.length, said, outcome: outcome?.type ?? null });
