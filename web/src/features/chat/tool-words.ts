/** The arguments of tool calls in words. Pure. */

import { isoMoment, type Locale } from "../../lib/format";

/** The arguments on one line; ids say nothing to a reader. */
export const summaryOf = (
  args: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, string>>,
  locale: Locale,
): string =>
  Object.entries(args)
    .filter(([name]) => !/^(?:uid|id)$/.test(name))
    .map(([name, value]) => {
      const label = Object.hasOwn(known, name) ? known[name]?.toLowerCase() : name;
      const words = isoMoment(value, locale) ?? (typeof value === "string" ? value : JSON.stringify(value));
      return `${label}: ${words}`;
    })
    .join(" · ");
