/** A preview as it is read before somebody agrees: tables as tables, and nothing hidden. */

import { expect, test } from "vitest";

import { blocksOf } from "../../src/features/chat/approval/preview-blocks";
import { visible } from "../../src/lib/visible";

test("a difference is read as a table with its heading", () => {
  const preview =
    "**Change in customers** · Company: Norte\n\ncustomers\n\n| Field | Before | After |\n|---|---|---|\n| name | A\\|B | C |";
  expect(blocksOf(preview)).toEqual([
    { kind: "heading", text: "Change in customers · Company: Norte" },
    { kind: "text", text: "customers" },
    {
      kind: "table",
      head: ["Field", "Before", "After"],
      figures: [false, false, false],
      rows: [["name", "A|B", "C"]],
    },
  ]);
});

test("columns of figures are those whose rule says so", () => {
  const [table] = blocksOf("| Account | Debit |\n|---|---:|\n| 2310 | 54.45 |");
  expect(table).toMatchObject({ figures: [false, true], rows: [["2310", "54.45"]] });
});

test("plain words stay as they are, marks included", () => {
  expect(blocksOf("Pay *now* <b>x</b>\nto [him](http://x)")).toEqual([
    { kind: "text", text: "Pay *now* <b>x</b>\nto [him](http://x)" },
  ]);
});

test.each([
  ["\u202e", "U+202E"],
  ["\u200b", "U+200B"],
  ["\u2066", "U+2066"],
  ["\u00ad", "U+00AD"],
  ["\u3164", "U+3164"],
  ["\u{e0041}", "U+E0041"],
  ["\u0007", "U+0007"],
  ["\uFE0F", "U+FE0F"],
  ["\u{E0101}", "U+E0101"],
  ["\u2800", "U+2800"],
  ["\u17B4", "U+17B4"],
])("a hidden character is shown by its code: %j", (hidden, code) => {
  expect(visible(`a${hidden}b`)).toBe(`a⟦${code}⟧b`);
});

test("lines, tabs, accents and emoji stay as they are", () => {
  expect(visible("Señor\n\tÑandú 🚚 ❤\uFE0F 東京")).toBe("Señor\n\tÑandú 🚚 ❤\uFE0F 東京");
});
