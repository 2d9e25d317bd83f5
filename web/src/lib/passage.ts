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

/** The texts of a tool's result that come from a source; the result itself if it is no list of passages. */
export const textsOf = (content: string, source: string): readonly string[] => {
  const found = passagesOf(content);
  if (found === null) return [content];
  const own = found.filter((passage) => passage.file === source).map((passage) => passage.text);
  return own.length > 0 ? own : found.map((passage) => passage.text);
};

const passagesOf = (content: string): readonly { file: unknown; text: string }[] | null => {
  try {
    const value = JSON.parse(content) as { readonly passages?: unknown } | null;
    if (!Array.isArray(value?.passages)) return null;
    return value.passages.filter(
      (passage): passage is { file: unknown; text: string } =>
        typeof passage === "object" && passage !== null && typeof passage.text === "string",
    );
  } catch {
    return null;
  }
};

/** The words between two places of a text; places count characters, not the halves that some of them are made of. */
export const passageAt = (text: string, start: number, end: number): Passage => {
  const characters = [...text];
  return {
    before: characters.slice(0, start).join(""),
    quote: characters.slice(start, end).join(""),
    after: characters.slice(end).join(""),
  };
};

export interface Piece {
  readonly text: string;
  /** Where it begins, in characters. */
  readonly start: number;
  readonly isMatch: boolean;
}

/** A text cut at its matches, to be shown as text; what overlaps or lies outside counts once and as far as it goes. */
export const piecesOf = (text: string, matches: readonly (readonly [number, number])[]): readonly Piece[] => {
  const characters = [...text];
  const pieces: Piece[] = [];
  let place = 0;
  const cut = (end: number, isMatch: boolean): void => {
    if (end <= place) return;
    pieces.push({ text: characters.slice(place, end).join(""), start: place, isMatch });
    place = end;
  };
  for (const [start, end] of [...matches].sort((first, second) => first[0] - second[0])) {
    cut(Math.min(start, characters.length), false);
    cut(Math.min(end, characters.length), true);
  }
  cut(characters.length, false);
  return pieces;
};
