/** The server's API, one function for each thing it does. */

import { useAccount } from "./account";
import type * as types from "./api-types";
import { createHttp } from "./http";

export const http = createHttp({
  fetch: (...args) => window.fetch(...args),
  onUnauthorized: () => useAccount.getState().expire(),
});

export const query = (parameters: Readonly<Record<string, string | number | boolean | null>>): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === null || value === "" ? [] : [[name, String(value)]],
  );
  return new URLSearchParams(given).toString();
};

const session = (id: string): string => `/api/sessions/${encodeURIComponent(id)}`;

const datasetOf = (id: string, dataset: string): string =>
  `${session(id)}/datasets/${encodeURIComponent(dataset)}`;

const board = (id: string): string => `/api/boards/${encodeURIComponent(id)}`;

const tileOf = (id: string, tile: string): string => `${board(id)}/tiles/${encodeURIComponent(tile)}`;

const signedIn = async (answer: Promise<types.Me>): Promise<types.Me> => {
  const me = await answer;
  http.setCsrfToken(me.csrf_token);
  return me;
};

export interface SessionQuery {
  readonly cursor: string | null;
  readonly query: string;
  readonly archived: boolean;
}

export const api = {
  meta: () => http.get<types.Meta>("/api/meta"),
  me: () => signedIn(http.get<types.Me>("/api/me")),
  setup: (owner: { email: string; name: string; password: string; token: string }) =>
    signedIn(http.send<types.Me>("POST", "/api/auth/setup", owner)),
  login: (email: string, password: string) =>
    signedIn(http.send<types.Me>("POST", "/api/auth/login", { email, password })),
  demo: () => signedIn(http.send<types.Me>("POST", "/api/auth/demo")),
  logout: () => http.send<null>("POST", "/api/auth/logout"),
  saveSettings: (change: Partial<types.Settings>) =>
    http.send<types.Settings>("PATCH", "/api/settings", change),

  keys: () => http.get<types.KeyList>("/api/keys"),
  createKey: (name: string) => http.send<types.NewApiKey>("POST", "/api/keys", { name, scopes: [] }),
  deleteKey: (id: string) => http.send<null>("DELETE", `/api/keys/${encodeURIComponent(id)}`),

  agents: () => http.get<types.Agents>("/api/agents"),

  sessions: ({ cursor, query: words, archived }: SessionQuery) =>
    http.get<types.SessionPage>(`/api/sessions?${query({ cursor, limit: 30, query: words, archived })}`),
  search: (words: string, since = "", agent = "") =>
    http.get<types.SearchResults>(`/api/search?${query({ query: words, since, agent })}`),
  session: (id: string) => http.get<types.SessionSummary>(session(id)),
  createSession: () => http.send<types.SessionSummary>("POST", "/api/sessions", {}),
  changeSession: (id: string, change: { readonly title?: string; readonly is_archived?: boolean }) =>
    http.send<types.SessionSummary>("PATCH", session(id), change),
  deleteSession: (id: string) => http.send<null>("DELETE", session(id)),
  datasets: (id: string) => http.get<types.DatasetList>(`${session(id)}/datasets`),
  dataset: (id: string, dataset: string) => http.get<types.DatasetHead>(datasetOf(id, dataset)),
  datasetRows: (id: string, dataset: string, offset: number, limit: number) =>
    http.get<types.DatasetRows>(`${datasetOf(id, dataset)}/rows?${query({ offset, limit })}`),
  datasetFile: (id: string, dataset: string, format: "csv" | "xlsx") =>
    `${datasetOf(id, dataset)}/file?format=${format}`,
  boards: () => http.get<types.BoardList>("/api/boards"),
  createBoard: (title: string) => http.send<types.Board>("POST", "/api/boards", { title }),
  board: (id: string) => http.get<types.BoardWithTiles>(board(id)),
  renameBoard: (id: string, title: string) => http.send<types.Board>("PATCH", board(id), { title }),
  deleteBoard: (id: string) => http.send<null>("DELETE", board(id)),
  pin: (id: string, sessionId: string, dataset: string) =>
    http.send<types.Tile>(
      "POST",
      `${board(id)}/pins/${encodeURIComponent(sessionId)}/${encodeURIComponent(dataset)}`,
    ),
  changeTile: (id: string, tile: string, change: { readonly title?: string; readonly position?: number }) =>
    http.send<types.Tile>("PATCH", tileOf(id, tile), change),
  removeTile: (id: string, tile: string) => http.send<null>("DELETE", tileOf(id, tile)),
  refreshTile: (id: string, tile: string) => http.send<types.Tile>("POST", `${tileOf(id, tile)}/refresh`),
  erpCompanies: () => http.get<types.CompanyList>("/api/erp/companies"),
  erpRecord: (entity: string, key: string, company: string | null) =>
    http.get<types.ErpRecord>(
      `/api/erp/records/${encodeURIComponent(entity)}/${encodeURIComponent(key)}?${query({ company })}`,
    ),
  exportAddress: (id: string, format: "json" | "markdown") => `${session(id)}/export?format=${format}`,

  events: (id: string, after: number) =>
    http.get<types.EventPage>(`${session(id)}/events?${query({ after, limit: 500 })}`),
  usage: (id: string) => http.get<types.SessionUsage>(`${session(id)}/usage`),
  source: (id: string, messageId: string, number: number) =>
    http.get<types.CitedSource>(`${session(id)}/source?${query({ message_id: messageId, number })}`),
  timeline: (id: string, turnId: string) =>
    http.get<types.Timeline>(`${session(id)}/turns/${encodeURIComponent(turnId)}/timeline`),
  giveFeedback: (id: string, messageId: string, rating: -1 | 0 | 1) =>
    http.send<null>("POST", `${session(id)}/feedback`, { message_id: messageId, rating }),
  withdraw: (id: string, turnId: string) =>
    http.send<null>("DELETE", `${session(id)}/turns/${encodeURIComponent(turnId)}`),
  stop: (id: string) => http.send<null>("POST", `${session(id)}/stop`),
  approvals: () => http.get<types.ApprovalList>("/api/approvals"),
  approvalContext: (approvalId: string) =>
    http.get<types.ApprovalContext>(`/api/approvals/${encodeURIComponent(approvalId)}/context`),
  decide: (approvalId: string, decision: types.Decision) =>
    http.send<types.Decided>("POST", `/api/approvals/${encodeURIComponent(approvalId)}`, decision),
} as const;
