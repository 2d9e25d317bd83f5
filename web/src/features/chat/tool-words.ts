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
      const words = isoMoment(value, locale) ?? (typeof value === "string" ? value : JSON.stringify(value));
      return `${label}: ${words}`;
    })
    .join(" · ");

/** Whether an argument holds nothing but the words of the message, which stand above. */
const isOnlyAsked = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).join() === "asked";
