/** Tables of a document, made of the rows as they were read. */

import { expect, test } from "vitest";

import { tablesOf } from "../../src/features/sources/tables";
import type { DocumentView } from "../../src/transport/generated-api";

const documentOf = (rows: readonly string[], kind: "row" | "text" = "row"): DocumentView => {
  let start = 0;
  const segments = rows.map((row, index) => {
    const segment = { start, end: start + [...row].length, kind, place: `S!A${index + 1}`, section: "S" };
    start = segment.end + 1;
    return segment;
  });
  return {
    document_id: "d",
    is_own: true,
    name: "prices.csv",
    title: "",
    media_type: "text/csv",
    text: rows.join("\n"),
    segments,
    start: null,
    end: null,
    page: null,
    is_part: false,
  };
};

test("rows go under the columns they name, wherever cells are empty", () => {
  const [table] = tablesOf(documentOf(["Name | City | Sum", "Name: Ana | Sum: 3", "City: Bilbao"]));
  expect(table?.columns).toEqual(["Name", "City", "Sum"]);
  expect(table?.rows.map((row) => row.cells)).toEqual([
    ["Ana", "", "3"],
    ["", "Bilbao", ""],
  ]);
});

test("the row that holds the cited span is marked, also after characters of two halves", () => {
  const shown = documentOf(["Name | Sum", "Name: 🙂 | Sum: 1", "Name: Ben | Sum: 2"]);
  const { start } = shown.segments[2] ?? { start: 0 };
  const [table] = tablesOf({ ...shown, start, end: start + 9 });
  expect(table?.rows.map((row) => row.isMarked)).toEqual([false, true]);
});

test("a document of paragraphs has no tables", () => {
  expect(tablesOf(documentOf(["Once upon a time"], "text"))).toEqual([]);
});
