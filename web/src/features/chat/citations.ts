/** Citations marked in the text of an answer. Pure. */

import type { Citation } from "../../events";

const NOTE = /^\[\^([\w-]+)\]:.*(?:\n(?: {2,}|\t).*)*\n?/gm;
const MARK = /\[\^([\w-]+)\]/g;

/**
 * The text with a numbered mark (a link to `#cite-n`) for each citation.
 *
 * Footnotes that the answer wrote itself are such marks, and their texts are what the sources show; only an answer
 * without any is marked where its citations end.
 */
export const withMarks = (content: string, citations: readonly Citation[]): string => {
  if (citations.length === 0) return content;
  const numbers = footnotesOf(content);
  const marked =
    numbers.size === citations.length ? withoutNotes(content, numbers) : atTheirEnds(content, citations);
  return marked.replace(/(?<!\[)\[(\d{1,3})\](?!\()/g, (written, digits: string) =>
    Number(digits) >= 1 && Number(digits) <= citations.length ? `[${digits}](#cite-${digits})` : written,
  );
};

/** The footnotes of a text, numbered as they are first referred to: the order in which citations are told. */
const footnotesOf = (content: string): ReadonlyMap<string, number> => {
  const names = [...content.replace(NOTE, "").matchAll(MARK)].map((match) => match[1] ?? "");
  return new Map([...new Set(names)].map((name, index) => [name, index + 1]));
};

const withoutNotes = (content: string, numbers: ReadonlyMap<string, number>): string =>
  content
    .replace(NOTE, "")
    .trimEnd()
    .replace(MARK, (_written, name: string) => `[${numbers.get(name)}](#cite-${numbers.get(name)})`);

const atTheirEnds = (content: string, citations: readonly Citation[]): string =>
  citations
    .map((citation, index) => ({ end: citation.end, number: index + 1 }))
    .filter(
      (place): place is { end: number; number: number } => place.end !== null && isPlain(content, place.end),
    )
    .sort((first, second) => second.end - first.end || second.number - first.number)
    .reduce(
      (text, { end, number }) => `${text.slice(0, end)}[${number}](#cite-${number})${text.slice(end)}`,
      content,
    );

/** A mark inside code, or in the middle of a word, would be read as part of it. */
const isPlain = (content: string, end: number): boolean => {
  if (end < 0 || end > content.length) return false;
  const before = content.slice(0, end);
  const isInCode = (before.match(/`/g)?.length ?? 0) % 2 === 1;
  const isInWord = /\w$/.test(before) && /^\w/.test(content.slice(end));
  return !isInCode && !isInWord;
};

/** Where a citation stands, unless that is only its number again. */
export const placeOf = ({ place }: Citation): string => (/^\[\d+\]$/.test(place) ? "" : place);
