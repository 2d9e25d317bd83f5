import { AbstractAgent, type BaseEvent, verifyEvents } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import { from, lastValueFrom, type Observable, toArray } from "rxjs";
import { describe, expect, it } from "vitest";

import { type Recording, recordings } from "./recordings";

type AguiEvents = Recording["agui"];

const asEvents = (agui: AguiEvents): BaseEvent[] => agui as unknown as BaseEvent[];

/** The real client, fed from a recording instead of a server. */
class ReplayedAgent extends AbstractAgent {
  constructor(private readonly events: AguiEvents) {
    super();
  }

  override run(): Observable<BaseEvent> {
    return from(asEvents(this.events));
  }
}

/** A recording cut into its runs, as a server would send them. */
const runs = (agui: AguiEvents): AguiEvents[] => {
  const starts = agui.flatMap((event, index) => (event["type"] === "RUN_STARTED" ? [index] : []));
  return starts.map((start, index) => agui.slice(start, starts[index + 1]));
};

describe.each(recordings)("the recorded session $name for AG-UI clients", ({ agui }) => {
  it("holds only events of the protocol", () => {
    for (const event of agui) {
      const result = EventSchemas.safeParse(event);
      expect(result.success, JSON.stringify({ event, error: result.error })).toBe(true);
    }
  });

  it("is accepted by the real client's verification", async () => {
    const verified = await lastValueFrom(from(asEvents(agui)).pipe(verifyEvents(), toArray()));
    expect(verified).toHaveLength(agui.length);
  });

  it("has every run ended", () => {
    for (const run of runs(agui)) expect(run.at(-1)?.["type"]).toMatch(/^RUN_(FINISHED|ERROR)$/);
  });
});

const talks = ["hello", "parallel-tools", "plan", "cancelled", "interleaved-agents", "rich-content", "queue", "approval"];

describe.each(recordings.filter(({ name }) => talks.includes(name)))("$name, run by a client", ({ agui, views }) => {
  it("shows the client the words that our own view shows", async () => {
    const said: string[] = [];
    for (const run of runs(agui)) {
      const agent = new ReplayedAgent(run);
      await agent.runAgent();
      for (const message of agent.messages) {
        const isSpoken = message.role === "user" || message.role === "assistant";
        if (isSpoken && message.content && !message.metadata?.["isSuperseded"]) said.push(String(message.content));
      }
    }
    const shown = views.final.turns.flatMap(({ items }) =>
      items.flatMap((item) =>
        item.kind === "user_message" || item.kind === "assistant_message" ? [item.content] : [],
      ),
    );
    expect(said.toSorted()).toEqual(shown.toSorted());
  });
});

it("asks for an approval with an interrupt and goes on in a run of its own", () => {
  const agui = recordings.find(({ name }) => name === "approval")?.agui ?? [];
  const [asked, resumed] = runs(agui);
  const outcome = asked?.at(-1)?.["outcome"] as { type: string; interrupts: { toolCallId: string }[] };
  expect(outcome.type).toBe("interrupt");
  expect(outcome.interrupts.map(({ toolCallId }) => toolCallId)).toEqual(["call_order"]);
  expect(resumed?.[0]?.["parentRunId"]).toBe(asked?.[0]?.["runId"]);
  expect(resumed?.[0]?.["runId"]).not.toBe(asked?.[0]?.["runId"]);
});
