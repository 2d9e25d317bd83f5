/** The arguments of tool calls in words. Pure. */

import { isoMoment, withDays } from "../../lib/days";
import type { Locale } from "../../lib/format";

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
      return `${label}: ${inWords(value, locale)}`;
    })
    .join(" · ");

const inWords = (value: unknown, locale: Locale): string => {
  if (typeof value === "string") return isoMoment(value, locale) ?? withDays(value, locale);
  if (isPeriod(value)) return [value.first, value.last].map((day) => inWords(day, locale)).join(" – ");
  return Array.isArray(value) && value.every((each) => typeof each === "string")
    ? value.join(", ")
    : JSON.stringify(value);
};

const isPeriod = (value: unknown): value is { readonly first: string; readonly last: string } =>
  typeof value === "object" &&
  value !== null &&
  "first" in value &&
  "last" in value &&
  typeof value.first === "string" &&
  typeof value.last === "string";

/** Whether an argument holds nothing but the words of the message, which stand above. */
const isOnlyAsked = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).join() === "asked";
