/** The arguments of tool calls in words. Pure. */

import { isoMoment, type Locale } from "../../lib/format";

/** The arguments on one line; ids say nothing to a reader. */
export const summaryOf = (
  args: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, string>>,
  locale: Locale,
): string =>
  Object.entries(args)
    .filter(([name, value]) => !/^(?:uid|id)$/.test(name) && !isOnlyAsked(value))
    .map(([name, value]) => {
      const label = Object.hasOwn(known, name) ? known[name]?.toLowerCase() : name;
      return `${label}: ${isoMoment(value, locale) ?? inWords(value)}`;
    })
    .join(" · ");

const inWords = (value: unknown): string => {
  if (typeof value === "string") return value;
  return Array.isArray(value) && value.every((each) => typeof each === "string")
    ? value.join(", ")
    : JSON.stringify(value);
};

/** Whether an argument holds nothing but the words of the message, which stand above. */
const isOnlyAsked = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).join() === "asked";
