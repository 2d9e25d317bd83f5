/** Citations of an answer: their marks in the text, their places, and the work behind them. Pure. */

import type { Citation } from "./generated";
import type { PlanStepView, TurnView } from "./generated-view";

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

/** The footnotes of a text, numbered as they are first referred to: the order of citations in events. */
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

const LINE = /^(?:(.*), )?l\. (\d+)$/;

/** Where a citation stands, with its line in the words of the reader; nothing if that is only its number again. */
export const placeOf = ({ place }: Citation, lineInWords: (line: string) => string): string => {
  if (/^\[\d+\]$/.test(place)) return "";
  const [, section, line] = LINE.exec(place) ?? [];
  if (line === undefined) return place;
  return section === undefined ? lineInWords(line) : `${section}, ${lineInWords(line)}`;
};

/** The step of a plan whose result is cited; undefined if the source is something else. */
export const stepBehind = ({ source }: Citation, turn: TurnView): PlanStepView | undefined =>
  turn.items
    .flatMap((item) => (item.kind === "plan" ? item.steps : []))
    .find(({ step_id }) => step_id === source);

export interface Namings {
  readonly line: (line: string) => string;
  readonly agent: (agentId: string) => string;
}

/** What a source is called, and where in it the words stand. */
export const namedSource = (citation: Citation, turn: TurnView, namings: Namings) => {
  const step = stepBehind(citation, turn);
  const own = citation.title === "" ? citation.source : citation.title;
  return {
    title: step === undefined ? own : namings.agent(step.agent_id),
    place: placeOf(citation, namings.line),
  };
};
