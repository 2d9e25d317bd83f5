/** W-2, P-10: a client keeps up with a log through losses, gaps and reloads. */

import { describe, expect, test } from "vitest";

import { type LinkEffect, type LinkInput, type LinkState, opened, step } from "../../src/transport/link";

const event = (sequence: number | null, previous: number | null, epoch = 1) =>
  ({ kind: "delivered", event: { epoch, sequence_number: sequence, previous_sequence: previous } }) as const;

const taken = (first: LinkState, ...inputs: readonly LinkInput[]): readonly [LinkState, LinkEffect] =>
  inputs.reduce<readonly [LinkState, LinkEffect]>(([state], input) => step(state, input), [first, "none"]);

const live = (last: number): LinkState =>
  taken(opened(true)[0], { kind: "loaded", epoch: 1, last }, { kind: "joined", epoch: 1, resync: false })[0];

describe("opening a session", () => {
  test("an unknown session is loaded first, joined next and then live", () => {
    const [loading, first] = opened(true);
    const [joining, second] = step(loading, { kind: "loaded", epoch: 1, last: 4 });
    const [following, third] = step(joining, { kind: "joined", epoch: 1, resync: false });
    expect([first, second, third]).toEqual(["load", "join", "none"]);
    expect([joining.phase, following.phase, following.last]).toEqual(["joining", "live", 4]);
  });

  test("a session seen before is joined at its position without loading it again", () => {
    const [state, effect] = opened(true, { epoch: 3, last: 9 });
    expect([effect, state.epoch, state.last]).toEqual(["join", 3, 9]);
  });

  test("without a connection a loaded session waits and joins once there is one", () => {
    const [waiting, none] = taken(opened(false)[0], { kind: "loaded", epoch: 1, last: 2 });
    expect([waiting.phase, none]).toEqual(["waiting", "none"]);
    expect(step(waiting, { kind: "connected" })[1]).toBe("join");
  });

  test("a connection that arrives during loading does not join before there is a position", () => {
    const [state, effect] = taken(opened(false)[0], { kind: "connected" });
    expect([state.isLoaded, effect]).toEqual([false, "none"]);
  });
});

describe("following a session", () => {
  test("the next event is applied and moves the position, also over numbers nobody outside sees", () => {
    const [state, effect] = step(live(4), event(7, 4));
    expect([effect, state.last]).toEqual(["apply", 7]);
  });

  test("the first event of an empty session is applied", () => {
    expect(step(live(0), event(1, null))[1]).toBe("apply");
  });

  test("a repeated event is dropped", () => {
    expect(step(live(4), event(4, 3))[1]).toBe("drop");
  });

  test("a piece of an answer is applied without moving the position", () => {
    const [state, effect] = step(live(4), event(null, 4));
    expect([effect, state.last]).toEqual(["apply", 4]);
  });

  test("an event after a gap makes the client join again at its own position", () => {
    const [state, effect] = step(live(4), event(9, 8));
    expect([effect, state.phase, state.last]).toEqual(["join", "joining", 4]);
  });

  test("while a join is under way, events beyond the gap are dropped: they come again in order", () => {
    const [joining] = step(live(4), event(9, 8));
    expect(step(joining, event(10, 9))[1]).toBe("drop");
    expect(step(joining, event(5, 4))[1]).toBe("apply");
  });

  test("joins that bring nothing end in a reload", () => {
    let state = live(4);
    const effects: LinkEffect[] = [];
    for (let round = 0; round < 4; round += 1) {
      const [next, effect] = step(state, event(9, 8));
      effects.push(effect);
      state = step(next, { kind: "joined", epoch: 1, resync: false })[0];
    }
    expect(effects).toEqual(["join", "join", "join", "load"]);
  });

  test("an event of an older epoch is dropped, one of a newer epoch asks the server", () => {
    const [state] = taken(
      opened(true)[0],
      { kind: "loaded", epoch: 2, last: 4 },
      { kind: "joined", epoch: 2, resync: false },
    );
    expect(step(state, event(5, 4, 1))[1]).toBe("drop");
    expect(step(state, event(1, null, 3))[1]).toBe("join");
  });
});

describe("losing touch", () => {
  test("a loss keeps the position and the next connection joins there", () => {
    const [waiting] = step(live(4), { kind: "disconnected" });
    const [state, effect] = step(waiting, { kind: "connected" });
    expect([waiting.phase, effect, state.last]).toEqual(["waiting", "join", 4]);
  });

  test.each([{ kind: "resync" } as const, { kind: "joined", epoch: 2, resync: true } as const])(
    "a server that does not know the position makes the client load everything ($kind)",
    (input) => {
      const [state, effect] = step(live(4), input);
      expect([effect, state.last, state.epoch, state.isLoaded]).toEqual(["load", 0, null, false]);
    },
  );

  test("events that arrive while everything is loaded again are dropped", () => {
    const [loading] = step(live(4), { kind: "resync" });
    expect(step(loading, event(5, 4))[1]).toBe("drop");
  });

  test("a failed load or join is tried again later, with what is known by then", () => {
    expect(taken(opened(true)[0], { kind: "load-failed" })[1]).toBe("retry-later");
    expect(taken(opened(true)[0], { kind: "load-failed" }, { kind: "retry" })[1]).toBe("load");
    expect(taken(live(4), { kind: "join-failed" }, { kind: "retry" })[1]).toBe("join");
  });
});

/** A small generator with a seed, so that a failure can be repeated. */
const randomFrom = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "over a lossy connection every stored event is applied once, in order (seed %i)",
  (seed) => {
    const random = randomFrom(seed);
    const log = Array.from({ length: 300 }, (_, index) => 2 * index + 1);
    const told = (index: number) => event(log[index] ?? 0, log[index - 1] ?? null);
    const applied: number[] = [];
    let state = live(0);
    const deliver = (index: number): void => {
      const [next, effect] = step(state, told(index));
      state = next;
      if (effect === "apply") applied.push(log[index] ?? 0);
      if (effect === "join") join();
    };
    const join = (): void => {
      const from = log.findIndex((sequence) => sequence > state.last);
      state = step(state, { kind: "joined", epoch: 1, resync: false })[0];
      if (from >= 0) for (let index = from; index <= written; index += 1) if (random() > 0.02) deliver(index);
    };
    let written = 0;
    for (; written < log.length - 1; written += 1) if (random() > 0.3) deliver(written);
    for (let round = 0; round < 200 && state.last < (log.at(-1) ?? 0); round += 1) {
      const [next, effect] = taken(state, { kind: "disconnected" }, { kind: "connected" });
      state = next;
      if (effect === "join") join();
    }
    expect(applied).toEqual(log);
  },
);
