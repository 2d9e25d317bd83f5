/** The arguments of tool calls in words. Pure. */

import { isoMoment, withDays } from "../../lib/days";
import type { Locale } from "../../lib/format";
import { inWords as inPlainWords, isRecordKey, named } from "../../lib/words";

type Names = Readonly<Record<string, string>>;

/** What arguments, figures with their splits, choices, and sets of records are called. */
export interface ArgumentNames {
  readonly fields: Names;
  readonly figures: Names;
  readonly choices: Names;
  readonly entities: Names;
}

/** The arguments on one line, fields of a record one by one; ids say nothing to a reader. */
export const summaryOf = (
  args: Readonly<Record<string, unknown>>,
  known: ArgumentNames,
  locale: Locale,
): string =>
  Object.entries(args)
    .flatMap(([name, value]): (readonly [string, unknown])[] =>
      name === "values" && isObject(value) ? Object.entries(value) : [[name, value]],
    )
    .filter(([name, value]) => !/^(?:uid|id)$/.test(name) && !isRecordKey(name) && !isOnlyAsked(value))
    .map(([name, value]) => {
      const label = named(name, known.fields).toLowerCase();
      return `${label}: ${inWords(calledBy(name, value, known), known, locale)}`;
    })
    .join(" · ");

/** A value as the reader calls it, where it is an id of ours: a figure, a split, a table of figures, a choice. */
const calledBy = (argument: string, value: unknown, known: ArgumentNames): unknown => {
  if (Array.isArray(value)) return value.map((each) => calledBy(argument, each, known));
  if (argument === "compare" && isObject(value))
    return isPeriod(value.period) ? value.period : calledBy("kind", value.kind, known);
  if (typeof value !== "string") return value;
  if (argument === "measure" || argument === "split_by")
    return wordOf(value.replace(/^by_/, ""), known.figures) ?? value;
  if (argument === "dataset") return tableOf(value, known.figures);
  if (argument === "entity") return named(value, known.entities);
  return argument === "ranking" || argument === "kind" ? (wordOf(value, known.choices) ?? value) : value;
};

const wordOf = (name: string, known: Names): string | undefined =>
  Object.hasOwn(known, name) ? known[name] : undefined;

/** A table of figures is named after its figure and its splits: `sales_month` is "Sales · Month". */
const tableOf = (name: string, figures: Names): string => {
  const parts = name.split("_");
  const words: string[] = [];
  for (let from = 0; from < parts.length; ) {
    const ends = parts.map((_, index) => parts.length - index).filter((end) => end > from);
    const end = ends.find((each) => wordOf(parts.slice(from, each).join("_"), figures) !== undefined);
    if (end === undefined) return inPlainWords(name);
    words.push(wordOf(parts.slice(from, end).join("_"), figures) ?? "");
    from = end;
  }
  return words.join(" · ");
};

const inWords = (value: unknown, known: ArgumentNames, locale: Locale): string => {
  if (typeof value === "string") return isoMoment(value, locale) ?? withDays(value, locale);
  if (isPeriod(value)) return [value.first, value.last].map((day) => inWords(day, known, locale)).join(" – ");
  if (Array.isArray(value)) return value.map((each) => inWords(each, known, locale)).join(", ");
  if (!isObject(value)) return JSON.stringify(value);
  return isCondition(value) ? conditionInWords(value, known, locale) : partsInWords(value, known, locale);
};

/** How a field is compared, as it is written between the field and its value. */
const SIGNS: Names = { eq: "=", ne: "≠", gt: ">", ge: "≥", lt: "<", le: "≤" };

interface Condition {
  readonly field: string;
  readonly value: unknown;
  readonly operator?: unknown;
}

const isCondition = (value: object): value is Condition =>
  "field" in value && typeof value.field === "string" && "value" in value;

const conditionInWords = (
  { field, operator, value }: Condition,
  known: ArgumentNames,
  locale: Locale,
): string => {
  const name = String(operator ?? "eq");
  const sign = wordOf(name, SIGNS) ?? named(name, known.choices).toLowerCase();
  return `${named(field, known.fields).toLowerCase()} ${sign} ${inWords(value, known, locale)}`;
};

/** What an argument is made of, without its empty parts. */
const partsInWords = (
  value: Readonly<Record<string, unknown>>,
  known: ArgumentNames,
  locale: Locale,
): string =>
  Object.entries(value)
    .filter(([, part]) => part !== null && part !== "")
    .map(([name, part]) => {
      const label = named(name, known.fields).toLowerCase();
      return `${label} ${inWords(calledBy(name, part, known), known, locale)}`;
    })
    .join(", ");

const isPeriod = (value: unknown): value is { readonly first: string; readonly last: string } =>
  typeof value === "object" &&
  value !== null &&
  "first" in value &&
  "last" in value &&
  typeof value.first === "string" &&
  typeof value.last === "string";

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether an argument holds nothing but the words of the message, which stand above. */
const isOnlyAsked = (value: unknown): boolean => isObject(value) && Object.keys(value).join() === "asked";
