/** The small things everything stands on. */

// @vitest-environment happy-dom

import { describe, expect, test } from "vitest";

import { waitBefore } from "../../src/lib/backoff";
import * as days from "../../src/lib/days";
import * as format from "../../src/lib/format";
import { isStroke, keysOf } from "../../src/lib/hotkeys";
import { en } from "../../src/lib/i18n/en";
import { es } from "../../src/lib/i18n/es";
import { esFields } from "../../src/lib/i18n/generated-erp";
import { newId } from "../../src/lib/ids";
import { safeColor, safeUrl } from "../../src/lib/safe";
import { forgetAll, recall, remember } from "../../src/lib/storage";
import { plainText } from "../../src/lib/words";

const english = { language: "en", timezone: "Europe/Madrid" };
const spanish = { language: "es", timezone: null };

test("a moment that a program wrote is read on the clock it was written for", () => {
  const locale = { language: "en", timezone: "Asia/Tokyo" };
  expect([
    days.isoMoment("2026-11-16T10:00:00+01:00", locale),
    days.isoMoment("2026-13-45T10:00:00Z", locale),
    days.isoMoment("10:00", locale),
    days.isoMoment(7, locale),
  ]).toEqual(["Mon, Nov 16, 2026, 10:00 (+01:00)", null, null, null]);
});

describe("format", () => {
  test.each([
    [3.4, "3.4 ms"],
    [840, "840 ms"],
    [3200, "3.2 s"],
    [125_000, "2 min 5 s"],
  ])("%d ms reads %s", (value, text) => {
    expect(format.duration(value, english)).toBe(text);
  });

  test("days within a text are written as people do, those in names stay", () => {
    const spanish = { language: "es", timezone: null };
    expect(days.withDays("Ventas · 2026-01-01 – 2026-03-31", spanish)).toBe(
      "Ventas · 1 ene 2026 – 31 mar 2026",
    );
    expect(days.withDays("sales-2026-01-01.csv 2026-13-45", spanish)).toBe("sales-2026-01-01.csv 2026-13-45");
  });

  test("small amounts of money keep the digits that matter", () => {
    expect(["0", "0.00084", "0.125", "12.5"].map((amount) => format.money(amount, english))).toEqual([
      "$0.00",
      "$0.00084",
      "$0.125",
      "$12.50",
    ]);
  });

  test("decimal strings add up exactly, unknown ones aside", () => {
    expect([
      format.sumOfMoney(["0.1", "0.2", null]),
      format.sumOfMoney([null]),
      format.sumOfMoney(["1E-7"]),
    ]).toEqual(["0.3", null, "0.0000001"]);
  });

  test("times are shown in the person's zone; a zone nobody knows is the browser's", () => {
    expect(format.clock("2026-03-02T09:00:00Z", english)).toBe("10:00 AM");
    expect(() =>
      format.clock("2026-03-02T09:00:00Z", { language: "en", timezone: "Nowhere/At-All" }),
    ).not.toThrow();
  });

  test("counts and moments follow the language", () => {
    const now = Date.parse("2026-03-02T09:00:00Z");
    expect(format.count(12_345, spanish)).toMatch(/^12,3/);
    expect(format.relative("2026-03-02T12:00:00Z", now, english)).toBe("in 3 hours");
    expect(format.relative("2026-03-09T08:59:59Z", now, english)).toBe("in 7 days");
    expect([
      format.shortAgo("2026-03-02T08:59:40Z", now, english),
      format.shortAgo("2026-03-02T08:10:00Z", now, english),
    ]).toEqual([null, "50 min"]);
    expect(format.shortAgo("2026-02-20T08:10:00Z", now, english)).toBe("Feb 20");
  });

  test("a preview shows no marks of Markdown", () => {
    expect(plainText("**Bold** [link](http://x) `code`\n> quote")).toBe("Bold link code quote");
    expect(plainText('- 12 * 7 = 84 [1]\n- so it is.[^2]\n\n[^2]: x.md: "y"')).toBe("12 * 7 = 84 so it is.");
  });
});

test("waits grow up to a limit and are never in step", () => {
  const backoff = { first_ms: 500, most_ms: 8_000 };
  expect([
    waitBefore(backoff, 0, 1),
    waitBefore(backoff, 3, 1),
    waitBefore(backoff, 90, 1),
    waitBefore(backoff, 0, 0),
  ]).toEqual([500, 4000, 8000, 250]);
});

test("a shortcut is its keys and no others", () => {
  const stroke = { key: "K", ctrlKey: true, metaKey: false, shiftKey: false, altKey: false };
  expect(isStroke("mod+k", stroke, false)).toBe(true);
  expect(isStroke("mod+k", { ...stroke, shiftKey: true }, false)).toBe(false);
  expect(isStroke("mod+k", stroke, true)).toBe(false);
  expect(keysOf("mod+shift+o", true)).toEqual(["⌘", "⇧", "O"]);
});

test("ids are upper-case UUIDs", () => {
  expect(newId()).toMatch(/^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/);
});

test.each(["javascript:alert(1)", "data:text/html,x", "vbscript:x", "blob:x"])(
  "%s is no address to open",
  (url) => {
    expect(safeUrl(url)).toBeNull();
  },
);

test("only hex colours get into a style", () => {
  expect([safeColor("#0EA5E9"), safeColor("red;background:url(x)"), safeColor(null)]).toEqual([
    "#0EA5E9",
    null,
    null,
  ]);
});

test("what is remembered is recalled, what cannot be read is not, and a prefix is forgotten whole", () => {
  remember("t.a", { x: 1 });
  window.localStorage.setItem("t.b", "{broken");
  expect([recall("t.a", null), recall("t.b", "fallback")]).toEqual([{ x: 1 }, "fallback"]);
  forgetAll("t.");
  expect(recall("t.a", null)).toBeNull();
});

describe("Spanish", () => {
  const leaves = (words: object, path = ""): readonly (readonly [string, unknown])[] =>
    Object.entries(words).flatMap(([key, value]) =>
      typeof value === "object"
        ? leaves(value as object, `${path}.${key}`)
        : [[`${path}.${key}`, value] as const],
    );

  test("says everything English says, with no word left empty", () => {
    // Agents come with English words from the server, and names of the ERP are English: other languages have their own.
    const isEnglishByItself = /^\.agents\.|^\.tools\.entities\./;
    const paths = (words: object) =>
      leaves(words)
        .map(([path]) => path)
        .filter((path) => !isEnglishByItself.test(path) && !(path.slice(".tools.fields.".length) in esFields))
        .sort();
    expect(paths(es)).toEqual(paths(en));
    expect(leaves(es).filter(([, value]) => value === "")).toEqual([]);
  });

  test("keeps the values that a sentence is given", () => {
    const used = leaves(es).filter(
      ([, value]) =>
        typeof value === "function" &&
        !String((value as (...args: string[]) => string)("ONE", "TWO")).includes("ONE"),
    );
    expect(used).toEqual([]);
  });
});
