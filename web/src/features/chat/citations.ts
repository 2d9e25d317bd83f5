/** Citations marked in the text of an answer. Pure. */

import type { Citation } from "../../events";

/** The text with a numbered mark (a link to `#cite-n`) where each citation ends. */
export const withMarks = (content: string, citations: readonly Citation[]): string => {
  const places = citations
    .map((citation, index) => ({ end: citation.end, number: index + 1 }))
    .filter(
      (place): place is { end: number; number: number } => place.end !== null && isPlain(content, place.end),
    )
    .sort((first, second) => second.end - first.end || second.number - first.number);
  const marked = places.reduce(
    (text, { end, number }) => `${text.slice(0, end)}[${number}](#cite-${number})${text.slice(end)}`,
    content,
  );
  return marked.replace(/\[(\d{1,3})\](?!\()/g, (written, digits: string) =>
    Number(digits) >= 1 && Number(digits) <= citations.length ? `[${digits}](#cite-${digits})` : written,
  );
};

/** A mark inside code, or in the middle of a word, would be read as part of it. */
const isPlain = (content: string, end: number): boolean => {
  if (end < 0 || end > content.length) return false;
  const before = content.slice(0, end);
  const isInCode = (before.match(/`/g)?.length ?? 0) % 2 === 1;
  const isInWord = /\w$/.test(before) && /^\w/.test(content.slice(end));
  return !isInCode && !isInWord;
};
