/** Values of a table: exact sums, order, filters, and how they are written. */

import { describe, expect, it } from "vitest";
import { asTabs, cellText, comparing, exactSum, filtered, headOf, searchText } from "../../src/data/cells";
import { isDrawable } from "../../src/data/drawable";
import { SLICE, slicedSort } from "../../src/data/sliced-sort";
import type { Column } from "../../src/events";

const column = (fields: Partial<Column>): Column => ({
  name: "amount",
  type: "decimal",
  label: "",
  unit: null,
  currency: null,
  currency_column: null,
  is_additive: true,
  ...fields,
});
const ES = { language: "es", timezone: null };
const EN = { language: "en", timezone: null };

describe("values", () => {
  it("are written in the reader's language", () => {
    expect(cellText("12000.50", column({}), EN)).toBe("12,000.50");
    expect(cellText("12000.50", column({}), ES)).toBe("12.000,50");
    expect(cellText(7, column({ type: "integer" }), EN)).toBe("7");
    expect(cellText("3.8", column({ unit: "%" }), ES)).toBe("3,8");
    expect(cellText("2026-02-28", column({ type: "date" }), EN)).toBe("Feb 28, 2026");
    expect(cellText("2026-02", column({ name: "month", type: "text" }), ES)).toBe("feb 2026");
    expect(cellText("2026-02", column({ name: "code", type: "text" }), ES)).toBe("2026-02");
    expect(cellText(null, column({}), EN)).toBe("");
  });

  it("say what they are measured in", () => {
    expect(headOf(column({ label: "Saldo", currency: "EUR" }))).toBe("Saldo (EUR)");
    expect(headOf(column({ label: "Importe (€)", currency: "EUR" }))).toBe("Importe (€)");
    expect(headOf(column({ label: "IVA %", unit: "%" }))).toBe("IVA %");
    expect(headOf(column({ name: "row_count" }))).toBe("row count");
  });

  it("are added exactly", () => {
    expect(exactSum(["0.10", "0.20", null])).toBe("0.30");
    expect(exactSum(["-1.5", "1.25"])).toBe("-0.25");
    expect(exactSum(["9007199254740993", "1"])).toBe("9007199254740994");
    expect(exactSum([null])).toBeNull();
    expect(exactSum(Array.from({ length: 200_000 }, () => "90071992547.41"))).toBe("18014398509482000.00");
  });

  it("are ordered by their type, and what is missing comes last", () => {
    const rows = [["10.5"], ["9"], [null], ["-1"]];
    const all = [0, 1, 2, 3];
    expect([...all].sort(comparing(rows, 0, column({}), false, "en"))).toEqual([3, 1, 0, 2]);
    expect([...all].sort(comparing(rows, 0, column({}), true, "en"))).toEqual([0, 1, 3, 2]);
    const names = [["Ñu"], ["Nube"], ["zar"]];
    expect([0, 1, 2].sort(comparing(names, 0, column({ type: "text" }), false, "es"))).toEqual([1, 0, 2]);
  });

  it("are found whatever the accents", () => {
    const texts = [
      ["Núñez", "ES"],
      ["Acme", "PT"],
    ].map(searchText);
    expect(filtered(texts, "nunez es")).toEqual([0]);
    expect(filtered(texts, " ")).toEqual([0, 1]);
  });

  it("leave as text that a spreadsheet takes", () => {
    expect(asTabs([column({ label: "A" })], [["1\t2"], [null]])).toBe("A\n1 2\n");
  });
});

describe("a hundred thousand rows", () => {
  it("are sorted like few, and the page is never held up by more than a slice of them", () => {
    const rows = Array.from({ length: 100_000 }, (_, n) => [String((n * 7919) % 100_003)]);
    const numbers = rows.map((_, n) => n);
    let looks = 0;
    const compare = comparing(rows, 0, column({}), false, "en");
    const work = slicedSort(numbers, (first, second) => {
      looks += 1;
      return compare(first, second);
    });
    let [most, pauses, step] = [0, 0, work.next()];
    for (; !step.done; step = work.next()) {
      most = Math.max(most, looks);
      looks = 0;
      pauses += 1;
    }
    expect(step.value).toEqual([...numbers].sort(compare));
    expect(pauses).toBeGreaterThan(100_000 / SLICE);
    expect(most).toBeLessThan(SLICE * 16);
  });
});

describe("a specification", () => {
  const good = { data: { name: "figures" }, mark: { type: "bar" }, encoding: { x: { field: "a" } } };

  it("is drawn if it names its data and reaches nowhere", () => {
    expect(isDrawable(good)).toBe(true);
    for (const bad of [
      { ...good, data: { url: "http://x" } },
      { ...good, data: { name: "figures", values: [1] } },
      { ...good, mark: { type: "image" } },
      { ...good, transform: [] },
      { ...good, encoding: { x: { field: "a", axis: { labelExpr: { expr: "1" } } } } },
      { ...good, encoding: { href: { field: "a" } } },
      { data: { name: "figures" } },
    ])
      expect(isDrawable(bad)).toBe(false);
  });
});
