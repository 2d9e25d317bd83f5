/** A stand-in for the server while working on the interface: the API, the socket and the built pages, from memory. */

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, resolve } from "node:path";
import { gzipSync } from "node:zlib";

import { Server, type Socket } from "socket.io";

import type { Message } from "./player.ts";
import { respond } from "./routes.ts";
import { World } from "./world.ts";

const PAGES = resolve(import.meta.dirname, "../../src/batuta/server/static");

/** As strict as the real server. */
const CSP =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

export interface Stub {
  readonly url: string;
  readonly world: World;
  readonly dropSockets: () => void;
  readonly close: () => Promise<void>;
}

/** Start the stub; a higher speed plays faster. */
export const startStub = async ({ port = 0, speed = 1 } = {}): Promise<Stub> => {
  const world = new World(speed);
  const server = createServer((request, response) => void serve(world, request, response));
  const io = new Server(server, { transports: ["websocket"] });
  io.use((_socket, next) => (world.isSignedIn ? next() : next(new Error("unauthorized"))));
  io.on("connection", (socket) => attend(world, socket));
  world.onChange = (play) => io.emit("session:changed", world.summary(play));
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    world,
    dropSockets: () => {
      for (const socket of io.sockets.sockets.values()) socket.conn.close();
    },
    close: async () => {
      await io.close();
      server.closeAllConnections();
    },
  };
};

const serve = async (world: World, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? "/", "http://stub");
  if (!url.pathname.startsWith("/api/")) return page(url.pathname, response);
  const [status, body] = respond(world, {
    method: request.method ?? "GET",
    url,
    body: await bodyOf(request),
  });
  const type = status >= 400 ? "application/problem+json" : "application/json";
  response.writeHead(status, { "Content-Type": type }).end(status === 204 ? undefined : JSON.stringify(body));
};

const bodyOf = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
};

/** A file of the build; any other address is the application's. */
const page = async (path: string, response: ServerResponse): Promise<void> => {
  const name = extname(path) === "" ? "/index.html" : path;
  const file = resolve(PAGES, `.${name}`);
  try {
    const content = file.startsWith(PAGES) ? await readFile(file) : null;
    if (content === null) throw new Error("outside");
    const headers = {
      "Content-Type": TYPES[extname(name)] ?? "application/octet-stream",
      "Content-Security-Policy": CSP,
      "Content-Encoding": "gzip",
    };
    response.writeHead(200, headers).end(gzipSync(content));
  } catch {
    response.writeHead(404).end();
  }
};

type Acknowledge = (answer: object) => void;

const attend = (world: World, socket: Socket): void => {
  const joined = new Map<string, () => void>();
  const leave = (id: string): void => {
    joined.get(id)?.();
    joined.delete(id);
  };
  const missing = {
    ok: false,
    problem: { status: 404, code: "NOT_FOUND", title: "Not found", detail: "There is no such session" },
  };

  socket.on("session:join", (told: { session_id: string; last_sequence?: number }, done: Acknowledge) => {
    const log = world.plays.get(told.session_id)?.log;
    if (log === undefined) return done(missing);
    leave(told.session_id);
    done({ ok: true, epoch: log.epoch, last_sequence: log.last, resync: false });
    const last = told.last_sequence ?? 0;
    for (const event of log.stored)
      if ((event.sequence_number ?? 0) > last) socket.emit("agent:event", event);
    for (const event of log.pieces) socket.emit("agent:event", { ...event, previous_sequence: log.last });
    joined.set(
      told.session_id,
      log.listen((event) => socket.emit("agent:event", event)),
    );
  });
  socket.on("session:leave", (told: { session_id: string }, done: Acknowledge) => {
    leave(told.session_id);
    done({ ok: true });
  });
  socket.on("chat:message", (told: Message & { session_id: string }, done: Acknowledge) => {
    const play = world.plays.get(told.session_id);
    done(play === undefined ? missing : { ok: true, ...play.take(told) });
  });
  socket.on("chat:stop", (told: { session_id: string }, done: Acknowledge) => {
    world.plays.get(told.session_id)?.stop();
    done({ ok: true });
  });
  socket.on("disconnect", () => {
    for (const id of [...joined.keys()]) leave(id);
  });
};
