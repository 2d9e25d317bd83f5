/** Days and moments in ISO form, as people read them. Pure. */

import type { Locale } from "./format";

const ISO_MOMENT = /^\d{4}-\d\d-\d\dT(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** A moment that a program wrote, on the clock it was written for: `Mon, 16 Nov 2026, 10:00 (+01:00)`; else null. */
export const isoMoment = (value: unknown, { language }: Locale): string | null => {
  const found = typeof value === "string" ? ISO_MOMENT.exec(value) : null;
  if (found === null || typeof value !== "string") return null;
  const day = new Date(`${value.slice(0, 10)}T12:00:00Z`);
  if (Number.isNaN(day.getTime())) return null;
  const words = day.toLocaleDateString(language, {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  });
  return `${words}, ${found[1]} (${found[2] === "Z" ? "+00:00" : found[2]})`;
};

/** A day in ISO form as a table shows it. */
export const isoDay = (value: string, { language }: Locale): string =>
  new Date(`${value}T00:00:00Z`).toLocaleDateString(language, { timeZone: "UTC", dateStyle: "medium" });

/** A day that is no part of a name: not in `sales-2026-01-01.csv`. */
const ISO_DAY = /(?<![\w./-])\d{4}-\d{2}-\d{2}(?![\w/-]|\.\w)/g;

/** A text with its days as people write them: `as of 30 Sep 2026`. */
export const withDays = (text: string, locale: Locale): string =>
  text.replace(ISO_DAY, (day) => (Number.isNaN(Date.parse(day)) ? day : isoDay(day, locale)));
