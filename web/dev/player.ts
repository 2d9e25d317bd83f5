/** Plays turns: one at a time within a session, in time, stopping and waiting for people when it has to. */

import type { Step, Verdict } from "./gestures.ts";
import { newId, SessionLog, type WireFields } from "./log.ts";
import { scenarioFor } from "./scenarios.ts";

export interface Message {
  readonly client_message_id: string;
  readonly text: string;
  readonly target_agent_id?: string;
}

const WAITS: Readonly<Record<string, number>> = {
  content_delta: 18,
  thinking_delta: 14,
  pause: 500,
  tool_use: 120,
};
const TOTAL = { input: 1624, output: 328, thinking: 96, cache_read: 1024, cache_write: 0 };

export class Play {
  readonly log: SessionLog;
  readonly created_at = new Date().toISOString();
  updated_at = this.created_at;
  title: string | null = null;
  is_archived = false;
  pending = new Map<string, (verdict: Verdict) => void>();
  seen = new Map<string, string>();
  onChange: () => void = () => undefined;
  #queue: { turn_id: string; message: Message }[] = [];
  #isBusy = false;
  #isStopped = false;
  #speed: number;

  constructor(session_id: string, speed: number) {
    this.log = new SessionLog(session_id);
    this.#speed = speed;
  }

  get status(): string {
    if (this.pending.size > 0) return "waiting";
    return this.#isBusy ? "running" : "idle";
  }

  /** Take a message; the same one again is answered as before. */
  take(message: Message): { turn_id: string; is_queued: boolean } {
    const before = this.seen.get(message.client_message_id);
    if (before !== undefined) return { turn_id: before, is_queued: false };
    const turn_id = newId();
    this.seen.set(message.client_message_id, turn_id);
    this.#write(turn_id, {
      type: "user_message_confirmed",
      content: message.text,
      attachments: [],
      client_message_id: message.client_message_id,
      target_agent_id: message.target_agent_id ?? null,
    });
    this.#queue.push({ turn_id, message });
    const is_queued = this.#isBusy;
    if (!is_queued) void this.#run();
    return { turn_id, is_queued };
  }

  stop(): void {
    this.#isStopped = this.#isBusy;
    for (const [id] of this.pending) this.resolve(id, { decision: "rejected", args: {}, reason: "stopped" });
  }

  resolve(approval_id: string, verdict: Verdict): boolean {
    const decide = this.pending.get(approval_id);
    if (decide === undefined) return false;
    this.pending.delete(approval_id);
    decide(verdict);
    return true;
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      await this.#turn(next.turn_id, next.message);
    }
    this.#isBusy = false;
    this.#touch();
  }

  async #turn(turn_id: string, message: Message): Promise<void> {
    const started = Date.now();
    this.#isStopped = false;
    this.#write(turn_id, { type: "session_start" });
    if (this.title === null) {
      this.title = message.text.slice(0, 60);
      this.#write(turn_id, { type: "title_changed", title: this.title, is_automatic: true });
    }
    this.#touch();
    await this.#wait(350);
    const status = await this.#perform(turn_id, message.text);
    const duration_ms = Date.now() - started;
    this.#write(turn_id, {
      type: "complete",
      status,
      stop_reason: "success",
      usage: TOTAL,
      cost: "0.00462",
      duration_ms,
    });
    this.#write(turn_id, { type: "session_end" });
  }

  async #perform(turn_id: string, text: string): Promise<"success" | "failed" | "cancelled"> {
    const scenario = scenarioFor(text);
    let told: Verdict | undefined;
    try {
      for (let { value, done } = scenario.next(); done !== true; { value, done } = scenario.next(told)) {
        if (this.#isStopped) return "cancelled";
        told = await this.#step(turn_id, value as Step);
      }
      return "success";
    } catch {
      return "failed";
    }
  }

  async #step(turn_id: string, step: Step): Promise<Verdict | undefined> {
    if (!("type" in step)) return this.#approval(turn_id, step.await_approval as string);
    if (step.type !== "pause") this.#write(turn_id, step);
    await this.#wait(WAITS[step.type] ?? 60);
    return undefined;
  }

  async #approval(turn_id: string, approval_id: string): Promise<Verdict> {
    const verdict = new Promise<Verdict>((decide) => this.pending.set(approval_id, decide));
    this.#write(turn_id, {
      type: "complete",
      status: "paused",
      stop_reason: "paused",
      usage: TOTAL,
      cost: "0.00231",
      duration_ms: 900,
    });
    this.#touch();
    const decided = await verdict;
    this.#write(turn_id, {
      type: "approval_resolved",
      approval_id,
      decision: decided.decision,
      args: decided.decision === "edited" ? decided.args : null,
      by: "Ana Demo",
      reason: decided.reason,
    });
    this.#touch();
    return decided;
  }

  #write(turn_id: string, fields: WireFields): void {
    this.log.append(turn_id, fields);
  }

  #touch(): void {
    this.updated_at = new Date().toISOString();
    this.onChange();
  }

  #wait(ms: number): Promise<void> {
    return new Promise((done) => setTimeout(done, ms / this.#speed));
  }
}
