/** P-35: the words of a search are marked where the server found them, and the text stays text. */

import { expect, test } from "vitest";

import { piecesOf } from "../../src/lib/passage";

const shown = (text: string, matches: readonly (readonly [number, number])[]): string =>
  piecesOf(text, matches)
    .map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text))
    .join("");

test("matches are cut out wherever they stand", () => {
  expect(
    shown("one two one", [
      [0, 3],
      [8, 11],
    ]),
  ).toBe("[one] two [one]");
  expect(shown("one", [])).toBe("one");
  expect(shown("", [[0, 3]])).toBe("");
});

test("places count characters, not halves of them", () => {
  expect(shown("🎉🎉 fiesta", [[3, 9]])).toBe("🎉🎉 [fiesta]");
});

test("what overlaps or lies outside loses and repeats nothing", () => {
  expect(
    shown("abcdef", [
      [2, 4],
      [1, 3],
      [5, 99],
    ]),
  ).toBe("a[bc][d]e[f]");
  expect(shown("abc", [[7, 9]])).toBe("abc");
});

test("markup is text like any other", () => {
  expect(piecesOf("<b>x</b>", [[3, 4]]).map((piece) => piece.text)).toEqual(["<b>", "x", "</b>"]);
});
