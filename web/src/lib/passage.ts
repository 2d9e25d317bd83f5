/** Finding quoted words in a text. Pure. */

export interface Passage {
  readonly before: string;
  readonly quote: string;
  readonly after: string;
}

/** The quoted words where they stand in a text, or null if they do not. */
export const passageIn = (text: string, quote: string): Passage | null => {
  const words = quote.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const found = new RegExp(pattern, "i").exec(text);
  if (found === null) return null;
  const end = found.index + found[0].length;
  return { before: text.slice(0, found.index), quote: found[0], after: text.slice(end) };
};
