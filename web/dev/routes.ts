/** The API of the stub: the contract of the server, answered from memory. */

import { AGENTS, SUPERVISOR } from "./cast.ts";
import { newId } from "./log.ts";
import type { Play } from "./player.ts";
import type { World } from "./world.ts";

export interface Request {
  readonly method: string;
  readonly url: URL;
  readonly body: Record<string, unknown>;
}

export type Answer = readonly [status: number, body: unknown];
type Handler = (world: World, request: Request, ids: readonly string[]) => Answer;

const problem = (status: number, code: string, detail: string): Answer => [
  status,
  { type: "about:blank", title: code, status, detail, code },
];
const MISSING = problem(404, "NOT_FOUND", "There is no such object");
const NO_USAGE = { input: 0, output: 0, thinking: 0, cache_read: 0, cache_write: 0 };

const withPlay =
  (handle: (play: Play, world: World, request: Request, ids: readonly string[]) => Answer): Handler =>
  (world, request, ids) => {
    const play = world.plays.get(ids[0] ?? "");
    return play === undefined ? MISSING : handle(play, world, request, ids);
  };

const enter: Handler = (world) => {
  world.isSignedIn = true;
  world.needsSetup = false;
  return [200, world.me()];
};

const list: Handler = (world, { url }) => {
  const query = (url.searchParams.get("query") ?? "").toLowerCase();
  const archived = url.searchParams.get("archived") === "true";
  const start = Number(url.searchParams.get("cursor") ?? 0);
  const limit = Number(url.searchParams.get("limit") ?? 20);
  const found = [...world.plays.values()]
    .filter((play) => play.is_archived === archived && (play.title ?? "").toLowerCase().includes(query))
    .sort((first, second) => second.updated_at.localeCompare(first.updated_at));
  const next_cursor = start + limit < found.length ? String(start + limit) : null;
  return [200, { items: found.slice(start, start + limit).map((play) => world.summary(play)), next_cursor }];
};

const events = withPlay(({ log }, _world, { url }) => {
  const after = Number(url.searchParams.get("after") ?? 0);
  const limit = Number(url.searchParams.get("limit") ?? 500);
  const rest = log.stored.filter((event) => (event.sequence_number ?? 0) > after);
  return [
    200,
    { epoch: log.epoch, items: rest.slice(0, limit), last_sequence: log.last, has_more: rest.length > limit },
  ];
});

const usage = withPlay(({ log }) => {
  const spent = log.stored.flatMap((event) => (event.type === "message" ? [event] : []));
  const total = (spent.at(-1)?.["usage"] as typeof NO_USAGE | undefined) ?? NO_USAGE;
  const by_agent = [...new Set(spent.map((event) => event["source_agent_id"]))].map((agent_id) => ({
    agent_id,
    usage: total,
    cost: "0.00231",
  }));
  return [
    200,
    {
      usage: total,
      cost: "0.00462",
      by_agent,
      by_model: [{ model: "stub-1", usage: total, cost: "0.00462" }],
    },
  ];
});

const DECISIONS = { approve: "approved", edit: "edited", reject: "rejected" } as const;

const decide: Handler = (world, { body }, [id]) => {
  const play = [...world.plays.values()].find((candidate) => candidate.pending.has(id ?? ""));
  if (play === undefined) return problem(409, "ALREADY_DECIDED", "Somebody decided already");
  const asked = play.log.stored.findLast(
    (event) => event["approval_id"] === id && event.type === "approval_requested",
  );
  const args = (body["args"] ?? asked?.["args"]) as Record<string, unknown>;
  const decision = DECISIONS[body["decision"] as keyof typeof DECISIONS];
  play.resolve(id ?? "", { decision, args, reason: (body["reason"] as string | undefined) ?? null });
  return [200, { state: decision }];
};

const feedback = withPlay(({ log }, _world, { body }) => {
  const judged = log.stored.find((event) => event["message_id"] === body["message_id"]);
  log.append(String(judged?.["turn_id"]), {
    type: "feedback_given",
    target_message_id: body["message_id"],
    rating: body["rating"],
    comment: "",
  });
  return [202, null];
});

const change = withPlay((play, world, { body }) => {
  if (typeof body["title"] === "string") play.title = body["title"];
  if (typeof body["is_archived"] === "boolean") play.is_archived = body["is_archived"];
  world.onChange(play);
  return [200, world.summary(play)];
});

const createKey: Handler = (world, { body }) => {
  const key = {
    key_id: newId(),
    name: String(body["name"]),
    scopes: [],
    created_at: new Date().toISOString(),
    last_used_at: null,
  };
  world.keys.push(key);
  return [201, { ...key, secret: "bat_stub_0123456789abcdef" }];
};

const ID = "([^/]+)";
const route = (method: string, path: string, handler: Handler, isPublic = false) => ({
  method,
  pattern: new RegExp(`^${path}$`),
  handler,
  isPublic,
});

const meta: Handler = (world) => [
  200,
  {
    version: "0.1.0",
    mode: "embedded",
    is_demo: true,
    needs_setup: world.needsSetup,
    model: { label: "deterministic", is_offline: true },
    login: { password: true, oidc: [{ id: "entra", name: "Microsoft" }] },
    languages: ["en", "es"],
  },
];

const login: Handler = (world, request, ids) =>
  request.body["password"] === "wrong"
    ? problem(401, "UNAUTHORIZED", "Email or password is wrong")
    : enter(world, request, ids);

export const ROUTES = [
  route("GET", "/api/meta", meta, true),
  route("POST", "/api/auth/login", login, true),
  route("POST", "/api/auth/demo", enter, true),
  route("POST", "/api/auth/setup", enter, true),
  route("POST", "/api/auth/logout", (world) => {
    world.isSignedIn = false;
    return [204, null];
  }),
  route("GET", "/api/me", (world) => [200, world.me()]),
  route("PATCH", "/api/settings", (world, { body }) => {
    world.settings = { ...world.settings, ...body };
    return [200, world.settings];
  }),
  route("GET", "/api/keys", (world) => [200, { items: world.keys }]),
  route("POST", "/api/keys", createKey),
  route("DELETE", `/api/keys/${ID}`, (world, _request, [id]) => {
    world.keys.splice(
      world.keys.findIndex((key) => key.key_id === id),
      1,
    );
    return [204, null];
  }),
  route("GET", "/api/search", () => [200, { sessions: [], messages: [] }]),
  route("GET", "/api/agents", () => [200, { items: AGENTS, supervisor: SUPERVISOR, models: [] }]),
  route("GET", "/api/erp/companies", () => [200, { items: [], working_in: null }]),
  route("GET", "/api/sessions", list),
  route("POST", "/api/sessions", (world) => [201, world.summary(world.create())]),
  route(
    "GET",
    `/api/sessions/${ID}`,
    withPlay((play, world) => [200, world.summary(play)]),
  ),
  route("PATCH", `/api/sessions/${ID}`, change),
  route("DELETE", `/api/sessions/${ID}`, (world, _request, [id]) =>
    world.plays.delete(id ?? "") ? [204, null] : MISSING,
  ),
  route("GET", `/api/sessions/${ID}/events`, events),
  route("GET", `/api/sessions/${ID}/usage`, usage),
  route(
    "GET",
    `/api/sessions/${ID}/export`,
    withPlay(({ log }) => [200, { items: log.stored }]),
  ),
  route(
    "GET",
    `/api/sessions/${ID}/turns/${ID}/timeline`,
    withPlay((play, world, _request, ids) => [200, world.timeline(play, ids[1] ?? "")]),
  ),
  route("POST", `/api/sessions/${ID}/feedback`, feedback),
  route(
    "POST",
    `/api/sessions/${ID}/stop`,
    withPlay((play) => {
      play.stop();
      return [202, null];
    }),
  ),
  route("POST", `/api/approvals/${ID}`, decide),
];

/** Answer a request to the API. */
export const respond = (world: World, request: Request): Answer => {
  for (const { method, pattern, handler, isPublic } of ROUTES) {
    const found = pattern.exec(request.url.pathname);
    if (found === null || method !== request.method) continue;
    if (!isPublic && !world.isSignedIn) return problem(401, "UNAUTHORIZED", "Sign in first");
    return handler(world, request, found.slice(1).map(decodeURIComponent));
  }
  return MISSING;
};
