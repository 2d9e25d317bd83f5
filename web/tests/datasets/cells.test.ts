/** Values of a table: exact sums, order, filters, and how they are written. */

import { describe, expect, it } from "vitest";
import { asTabs, cellText, exactSum, filtered, headOf, sorted } from "../../src/data/cells";
import { isDrawable } from "../../src/data/drawable";
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
    expect(cellText("2026-02-28", column({ type: "date" }), EN)).toBe("Feb 28, 2026");
    expect(cellText(null, column({}), EN)).toBe("");
  });

  it("say what they are measured in", () => {
    expect(headOf(column({ label: "Saldo", currency: "EUR" }))).toBe("Saldo (EUR)");
    expect(headOf(column({ name: "row_count" }))).toBe("row count");
  });

  it("are added exactly", () => {
    expect(exactSum(["0.10", "0.20", null])).toBe("0.30");
    expect(exactSum(["-1.5", "1.25"])).toBe("-0.25");
    expect(exactSum(["9007199254740993", "1"])).toBe("9007199254740994");
    expect(exactSum([null])).toBeNull();
  });

  it("are ordered by their type, and what is missing comes last", () => {
    const rows = [["10.5"], ["9"], [null], ["-1"]];
    const all = [0, 1, 2, 3];
    expect(sorted(all, rows, 0, column({}), false, "en")).toEqual([3, 1, 0, 2]);
    expect(sorted(all, rows, 0, column({}), true, "en")).toEqual([0, 1, 3, 2]);
    const names = [["Ñu"], ["Nube"], ["zar"]];
    expect(sorted([0, 1, 2], names, 0, column({ type: "text" }), false, "es")).toEqual([1, 0, 2]);
  });

  it("are found whatever the accents", () => {
    expect(
      filtered(
        [
          ["Núñez", "ES"],
          ["Acme", "PT"],
        ],
        "nunez es",
      ),
    ).toEqual([0]);
    expect(filtered([["a"], ["b"]], " ")).toEqual([0, 1]);
  });

  it("leave as text that a spreadsheet takes", () => {
    expect(asTabs([column({ label: "A" })], [["1\t2"], [null]])).toBe("A\n1 2\n");
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
