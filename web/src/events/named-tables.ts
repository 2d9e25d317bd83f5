/** Tables that an answer names: their names in the text lead to them. Pure. */

import type { DatasetItem, Item, SessionView } from "./generated-view";

const CODE = /(```[\s\S]*?(?:```|$))|`([^`\n]+)`/g;
const REFERENCE = /\(dataset (\[[^\]]*\]\(#e\d+\))\)/g;

/** The text with a link (to `#e` and the place of its event) for each name of a table written as code. */
export const withTables = (content: string, items: readonly Item[]): string => {
  const tables = new Map(items.filter(isPlaced).map((item) => [item.name, item]));
  if (tables.size === 0) return content;
  const linked = content.replace(CODE, (written, block: string | undefined, name: string) => {
    const table = block === undefined ? tables.get(name) : undefined;
    return table === undefined ? written : `[${shown(table)}](#e${table.sequence_number})`;
  });
  return linked.replace(REFERENCE, "$1");
};

/** The tables of a conversation, which later answers may name. */
export const tablesOf = (view: SessionView): readonly DatasetItem[] =>
  view.turns.flatMap((turn) => turn.items.filter(isPlaced));

const isPlaced = (item: Item): item is DatasetItem => item.kind === "dataset" && item.sequence_number !== null;

/** What a table holds, without the days and limits behind it: the sentence around it says them. */
const shown = ({ title, name }: DatasetItem): string =>
  (title.split(" · ")[0] || name).replace(/[\\`*_[\]<>~|]/g, "\\$&");
