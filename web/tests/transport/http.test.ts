/** P-20: cookies with CSRF, problem+json, and an expired login. Against a real HTTP server. */

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";

import { createHttp, type Http } from "../../src/transport/http";
import { ProblemError } from "../../src/transport/problem";

type Answer = readonly [status: number, body: unknown];

let server: Server;
let http: Http;
let answer: (request: IncomingMessage) => Answer;
let expired: number;

beforeEach(async () => {
  expired = 0;
  server = createServer((request, response) => {
    const [status, body] = answer(request);
    response
      .writeHead(status, { "Content-Type": "application/json" })
      .end(status === 204 ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  http = createHttp({
    fetch: (path, init) => fetch(`${origin}${String(path)}`, init),
    onUnauthorized: () => {
      expired += 1;
    },
  });
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const failure = async (request: Promise<unknown>): Promise<ProblemError> => {
  const error = await request.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProblemError);
  return error as ProblemError;
};

test("an unsafe request carries the CSRF token, a safe one does not", async () => {
  const seen: unknown[] = [];
  answer = (request) => {
    seen.push(request.headers["x-csrf-token"]);
    return [200, {}];
  };
  http.setCsrfToken("T1");
  await http.get("/api/sessions");
  await http.send("POST", "/api/sessions", {});
  expect(seen).toEqual([undefined, "T1"]);
});

test("a stale CSRF token is renewed once and the request repeated", async () => {
  answer = (request) => {
    if (request.url === "/api/me") return [200, { csrf_token: "T2" }];
    return request.headers["x-csrf-token"] === "T2"
      ? [201, { ok: true }]
      : [403, { code: "CSRF_FAILED", status: 403 }];
  };
  http.setCsrfToken("T1");
  expect(await http.send("POST", "/api/sessions", {})).toEqual({ ok: true });
});

test("a token that stays wrong ends in the problem, not in a loop", async () => {
  answer = (request) =>
    request.url === "/api/me" ? [200, { csrf_token: "X" }] : [403, { code: "CSRF_FAILED", status: 403 }];
  expect((await failure(http.send("POST", "/api/sessions", {}))).problem.status).toBe(403);
});

test("a problem keeps its code and the words for its fields", async () => {
  answer = () => [
    422,
    {
      code: "INVALID",
      title: "Invalid",
      status: 422,
      detail: "no",
      errors: [{ field: "email", message: "is taken" }],
    },
  ];
  const { problem } = await failure(http.send("POST", "/api/auth/setup", {}));
  expect([problem.code, problem.errors]).toEqual(["INVALID", [{ field: "email", message: "is taken" }]]);
});

test("an answer without a problem in it is described by its status", async () => {
  answer = () => [502, null];
  expect((await failure(http.get("/api/agents"))).problem.code).toBe("HTTP_502");
});

test("an expired login is told, a wrong password is not taken for one", async () => {
  answer = () => [401, {}];
  await failure(http.get("/api/sessions"));
  await failure(http.send("POST", "/api/auth/login", {}));
  expect(expired).toBe(1);
});

test("a server that does not answer is a problem of its own", async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  expect((await failure(http.get("/api/meta"))).isUnreachable).toBe(true);
});

test("an answer without content is null", async () => {
  answer = () => [204, null];
  expect(await http.send("DELETE", "/api/keys/1")).toBeNull();
});
