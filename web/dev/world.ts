/** What the stub knows: sessions with their plays, settings, keys, who is signed in. */

import { newId, type Sent } from "./log.ts";
import { Play } from "./player.ts";
import { recordings, withoutPlace } from "./recordings.ts";

export class World {
  readonly plays = new Map<string, Play>();
  readonly keys: {
    key_id: string;
    name: string;
    scopes: string[];
    created_at: string;
    last_used_at: string | null;
  }[] = [];
  isSignedIn = false;
  needsSetup = false;
  settings: Record<string, unknown> = {
    theme: "system",
    language: "en",
    default_agent_id: null,
    timezone: "Europe/Madrid",
    enable_thinking: false,
    model: null,
    notifications: false,
  };
  onChange: (play: Play) => void = () => undefined;
  readonly #speed: number;

  constructor(speed: number) {
    this.#speed = speed;
    for (const { name, events } of recordings) {
      const play = this.create();
      play.title = `Recorded: ${name.replaceAll("-", " ")}`;
      const turns = new Map<unknown, string>();
      for (const event of events) {
        if (event["persistence"] === "transient") continue;
        const turn = turns.get(event["turn_id"]) ?? newId();
        turns.set(event["turn_id"], turn);
        play.log.append(turn, { ...withoutPlace(event), timestamp: event["timestamp"], type: event.type });
      }
    }
  }

  create(): Play {
    const play = new Play(newId(), this.#speed);
    play.onChange = () => this.onChange(play);
    this.plays.set(play.log.session_id, play);
    return play;
  }

  me(): object {
    return {
      user: {
        user_id: "0190A000-0000-7000-8000-000000000001",
        email: "ana@example.com",
        name: "Ana Demo",
        roles: ["user"],
        workspace_id: "0190A000-0000-7000-8000-0000000000FF",
      },
      csrf_token: "stub-token",
      settings: this.settings,
    };
  }

  summary(play: Play): Record<string, unknown> {
    const said = play.log.stored.findLast(
      (event) => event.type === "message" || event.type === "user_message_confirmed",
    );
    return {
      session_id: play.log.session_id,
      title: play.title,
      created_at: play.created_at,
      updated_at: play.updated_at,
      is_archived: play.is_archived,
      status: play.status,
      preview: String(said?.["content"] ?? "").slice(0, 80),
      pending_approvals: play.pending.size,
    };
  }

  timeline(play: Play, turn_id: string): object {
    const events = play.log.stored.filter((event) => event["turn_id"] === turn_id);
    const start = Date.parse(String(events[0]?.["timestamp"]));
    const at = (event: Sent): number => Date.parse(String(event["timestamp"])) - start;
    const entries = events.flatMap((event, index) => {
      const took =
        typeof event["duration_ms"] === "number" && event.type !== "complete" ? event["duration_ms"] : null;
      const until = events[index + 1] === undefined ? 0 : at(events[index + 1] as Sent) - at(event);
      const model = {
        at_ms: at(event) + until * 0.8,
        duration_ms: until * 0.8,
        type: "llm.response",
        agent_id: event["source_agent_id"],
        label: "Model call stub-1",
        path: "team/answer",
        depth: 2,
        is_internal: true,
        usage: event["usage"] ?? null,
        cost: event["cost"] ?? null,
        details: { model: "stub-1" },
      };
      const own = {
        at_ms: at(event),
        duration_ms: took,
        type: event.type,
        agent_id: event["source_agent_id"],
        label: String(event["tool_name"] ?? event["task"] ?? event.type),
        path: null,
        depth: 1,
        is_internal: false,
        usage: event["usage"] ?? null,
        cost: event["cost"] ?? null,
        details: { ...event },
      };
      return event.type === "tool_use" || event.type === "message" ? [model, own] : [own];
    });
    const end = events.at(-1);
    return {
      turn_id,
      summary: {
        total_events: entries.length,
        agents: ["supervisor"],
        duration_ms: end === undefined ? 0 : at(end),
        errors: 0,
        retries: 0,
        usage: end?.["usage"] ?? { input: 0, output: 0, thinking: 0, cache_read: 0, cache_write: 0 },
        cost: end?.["cost"] ?? null,
      },
      entries,
    };
  }
}
