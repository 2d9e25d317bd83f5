/** Requests to the server: cookie session, CSRF token, problem+json, and a word when the login has expired. */

import { ProblemError, problemOf, UNREACHABLE } from "./problem";

export interface HttpOptions {
  readonly fetch: typeof fetch;
  readonly onUnauthorized: () => void;
}

export interface Http {
  readonly get: <T>(path: string) => Promise<T>;
  readonly send: <T>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown) => Promise<T>;
  readonly setCsrfToken: (token: string | null) => void;
  /** The headers that a request of another kind needs to belong to this session. */
  readonly sessionHeaders: () => Readonly<Record<string, string>>;
  /** Ask for the token again, after another tab has signed in. */
  readonly renew: () => Promise<void>;
}

const CSRF_CODES: ReadonlySet<string> = new Set(["CSRF", "CSRF_FAILED", "CSRF_INVALID"]);

/** A client of the server's API. */
export const createHttp = ({ fetch, onUnauthorized }: HttpOptions): Http => {
  let csrfToken: string | null = null;

  const attempt = async (method: string, path: string, body: unknown): Promise<Response> => {
    const headers: Record<string, string> = { Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (method !== "GET" && csrfToken !== null) headers["X-CSRF-Token"] = csrfToken;
    try {
      return await fetch(path, {
        method,
        headers,
        credentials: "same-origin",
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch {
      throw new ProblemError(UNREACHABLE);
    }
  };

  /** Another tab may have signed in again: its session has another token. */
  const renewToken = async (): Promise<void> => {
    const me = await parsed(await attempt("GET", "/api/me", undefined));
    csrfToken = (me as { csrf_token?: string } | null)?.csrf_token ?? null;
  };

  const request = async <T>(method: string, path: string, body?: unknown, isRepeated = false): Promise<T> => {
    const response = await attempt(method, path, body);
    const content = await parsed(response);
    if (response.ok) return content as T;
    const problem = problemOf(response.status, content);
    if (response.status === 403 && CSRF_CODES.has(problem.code.toUpperCase()) && !isRepeated) {
      await renewToken();
      return request<T>(method, path, body, true);
    }
    if (response.status === 401 && !path.startsWith("/api/auth/")) onUnauthorized();
    throw new ProblemError(problem);
  };

  return {
    get: (path) => request("GET", path),
    send: (method, path, body) => request(method, path, body),
    setCsrfToken: (token) => {
      csrfToken = token;
    },
    sessionHeaders: () => (csrfToken === null ? {} : { "X-CSRF-Token": csrfToken }),
    renew: renewToken,
  };
};

const parsed = async (response: Response): Promise<unknown> => {
  if (response.status === 204) return null;
  try {
    return await response.json();
  } catch {
    return null;
  }
};
