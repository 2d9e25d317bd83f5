/** What a pretended agent can do: say, think, use a tool, hand over. A scenario yields events. */

import { identity } from "./cast.ts";
import { newId, type WireFields } from "./log.ts";

/** What a person decided about a call that waited. */
export interface Verdict {
  readonly decision: "approved" | "edited" | "rejected";
  readonly args: Readonly<Record<string, unknown>>;
  readonly reason: string | null;
}

export type Step = WireFields | { readonly await_approval: string };
export type Scenario = Generator<Step, void, Verdict | undefined>;

const USAGE = { input: 812, output: 164, thinking: 48, cache_read: 512, cache_write: 0 };

export function* say(agent: string, content: string, extra: Record<string, unknown> = {}): Scenario {
  const message_id = newId();
  for (const piece of content.match(/\s*\S+/g) ?? []) {
    yield { type: "content_delta", source_agent_id: agent, message_id, delta: piece };
  }
  yield {
    type: "message",
    source_agent_id: agent,
    message_id,
    content,
    stop_reason: "success",
    model: "stub-1",
    usage: USAGE,
    cost: "0.00231",
    citations: [],
    opaque: [],
    ...extra,
  };
}

export function* think(agent: string, content: string): Scenario {
  for (const piece of content.match(/\s*\S+/g) ?? []) {
    yield { type: "thinking_delta", source_agent_id: agent, delta: piece };
  }
  yield {
    type: "thinking_complete",
    source_agent_id: agent,
    content,
    signature: null,
    redacted: null,
    model: "stub-1",
    usage: null,
    cost: null,
  };
}

export const call = (agent: string, tool_name: string, args: object, tool_use_id: string): WireFields => ({
  type: "tool_use",
  source_agent_id: agent,
  tool_use_id,
  tool_name,
  args,
  is_server_side: false,
  model: "stub-1",
  usage: null,
});

export const answer = (
  request: WireFields,
  content: string,
  duration_ms: number,
  error: string | null = null,
): WireFields => ({
  type: "tool_result",
  source_agent_id: request["source_agent_id"],
  tool_use_id: request["tool_use_id"],
  tool_name: request["tool_name"],
  content,
  success: error === null,
  error,
  duration_ms,
  details: {},
});

export function* use(agent: string, tool: string, args: object, content: string, duration_ms = 84): Scenario {
  const request = call(agent, tool, args, newId());
  yield request;
  yield { type: "pause" };
  yield answer(request, content, duration_ms);
}

export const handoff = (to: string, explanation: string, from = "supervisor"): WireFields => ({
  type: "agent_handoff",
  source_agent_id: from,
  handoff_id: newId(),
  from_agent: identity(from),
  to_agent: identity(to),
  reason: "capability_match",
  explanation,
  plan_step_id: null,
});
