/** A preview as blocks: headings, tables and text. Only these forms are read; everything else is text. Pure. */

import { visible } from "../../../lib/visible";

export type PreviewBlock =
  | { readonly kind: "heading" | "text"; readonly text: string }
  | {
      readonly kind: "table";
      readonly head: readonly string[];
      /** Which columns hold figures: their rule says that they stand at the right. */
      readonly figures: readonly boolean[];
      readonly rows: readonly (readonly string[])[];
    };

const RULE = /^\|(?:\s*:?-+:?\s*\|)+$/;

/** The blocks of a preview, hidden characters made visible. */
export const blocksOf = (preview: string): readonly PreviewBlock[] =>
  visible(preview)
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== "")
    .map(blockOf);

const blockOf = (block: string): PreviewBlock => {
  const lines = block.split("\n");
  const [head, rule, ...rows] = lines;
  if (head?.startsWith("|") && rule !== undefined && RULE.test(rule))
    return {
      kind: "table",
      head: cellsOf(head),
      figures: cellsOf(rule).map((cell) => cell.endsWith(":") && !cell.startsWith(":")),
      rows: rows.filter((row) => row.startsWith("|")).map(cellsOf),
    };
  const heading = lines.length === 1 ? /^\*\*(.+?)\*\*(.*)$/.exec(block) : null;
  return heading === null
    ? { kind: "text", text: plain(block) }
    : { kind: "heading", text: plain(`${heading[1]}${heading[2]}`) };
};

/** The cells of a row; an escaped bar belongs to its cell. */
const cellsOf = (row: string): readonly string[] =>
  row
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|\s*$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell.trim()));

const plain = (text: string): string => text.replace(/\\([`*_[\]<>|])/g, "$1");
