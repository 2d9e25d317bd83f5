/** A picture that leaves the page says what it shows, and nothing of that is cut off. */

import { describe, expect, it } from "vitest";

import { headingOf, linesOf } from "../../src/data/picture-heading";

describe("what stands above a picture", () => {
  it("is the title, and below it currency, period and filters", () => {
    const heading = headingOf("Ventas (EUR) por cliente · 2026 T1 · Solo España", 640, "light");
    expect(heading).toMatchObject({
      text: ["Ventas (EUR) por cliente"],
      subtitle: ["2026 T1 · Solo España"],
    });
    expect(headingOf("Ventas", 640, "dark")).not.toHaveProperty("subtitle");
  });

  it("goes on in another line where one is too short", () => {
    const words = "Sales by customer and country of everything that was sold last year";
    const lines = linesOf(words, 20);
    expect(lines.join(" ")).toBe(words);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(20);
    expect(linesOf("Donaudampfschifffahrtsgesellschaft", 10)).toEqual(["Donaudampfschifffahrtsgesellschaft"]);
  });
});
