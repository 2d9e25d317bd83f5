/** What the server's API takes and gives. Times are ISO-8601 in UTC, money is a decimal string. */

import type { Usage, WireEvent } from "../events";
import type { Theme } from "../lib/theme";

export interface Meta {
  readonly version: string;
  readonly mode: "embedded" | "distributed";
  readonly is_demo: boolean;
  readonly needs_setup: boolean;
  readonly model: { readonly label: string; readonly is_offline: boolean };
  readonly login: { readonly password: boolean; readonly oidc: readonly OidcProvider[] };
  readonly languages: readonly string[];
}

export interface OidcProvider {
  readonly id: string;
  readonly name: string;
}

export interface User {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly workspace_id: string;
}

export interface Settings {
  readonly theme: Theme;
  readonly language: "en" | "es";
  readonly default_agent_id: string | null;
  readonly timezone: string;
  readonly enable_thinking: boolean;
  readonly notifications: boolean;
}

export interface Me {
  readonly user: User;
  readonly csrf_token: string;
  readonly settings: Settings;
}

export interface ApiKey {
  readonly key_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface NewApiKey extends ApiKey {
  readonly secret: string;
}

export interface AgentFace {
  readonly agent_id: string;
  readonly name: string;
  readonly icon: string | null;
  readonly color: string | null;
}

export interface Agent extends AgentFace {
  readonly description: string;
  readonly capabilities: readonly string[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly examples: Readonly<Record<string, readonly string[]>>;
}

export interface Agents {
  readonly items: readonly Agent[];
  readonly supervisor: AgentFace;
}

export type SessionStatus = "idle" | "running" | "waiting" | "queued";

export interface SessionSummary {
  readonly session_id: string;
  readonly title: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly is_archived: boolean;
  readonly status: SessionStatus;
  readonly preview: string | null;
  readonly pending_approvals: number;
}

export interface SessionPage {
  readonly items: readonly SessionSummary[];
  readonly next_cursor: string | null;
}

export interface EventPage {
  readonly epoch: number;
  readonly items: readonly WireEvent[];
  readonly last_sequence: number;
  readonly has_more: boolean;
}

export interface UsageShare {
  readonly usage: Usage;
  readonly cost: string | null;
  readonly agent_id?: string | null;
  readonly model?: string | null;
}

export interface SessionUsage {
  readonly usage: Usage;
  readonly cost: string | null;
  readonly by_agent: readonly UsageShare[];
  readonly by_model: readonly UsageShare[];
}

/** A cited document; `start` and `end` are where the quoted words stand in its text, in characters. */
export interface CitedSource {
  readonly text: string | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly is_part: boolean;
}

export interface TimelineEntry {
  readonly at_ms: number;
  readonly duration_ms: number | null;
  readonly type: string;
  readonly agent_id: string | null;
  readonly label: string;
  readonly path: string | null;
  readonly depth: number;
  readonly is_internal: boolean;
  readonly usage: Usage | null;
  readonly cost: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Timeline {
  readonly turn_id: string;
  readonly summary: {
    readonly total_events: number;
    readonly agents: readonly string[];
    readonly duration_ms: number;
    readonly errors: number;
    readonly retries: number;
    readonly usage: Usage;
    readonly cost: string | null;
  };
  readonly entries: readonly TimelineEntry[];
}

export interface Decision {
  readonly decision: "approve" | "reject" | "edit";
  readonly args?: Readonly<Record<string, unknown>>;
  readonly reason?: string;
  readonly remember?: "session";
}

export interface OutgoingMessage {
  readonly client_message_id: string;
  readonly text: string;
  readonly attachments: readonly never[];
  readonly target_agent_id?: string;
  readonly enable_thinking?: boolean;
}
