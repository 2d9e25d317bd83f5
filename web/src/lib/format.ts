/** Numbers, money and times as people read them. Pure: language and time zone arrive as parameters. */

export interface Locale {
  readonly language: string;
  readonly timezone: string | null;
}

/** A duration: `840 ms`, `3.2 s`, `2 min 5 s`. */
export const duration = (milliseconds: number, { language }: Locale): string => {
  const number = (value: number, digits: number): string =>
    value.toLocaleString(language, { maximumFractionDigits: digits });
  if (milliseconds < 1000) return `${number(milliseconds, milliseconds < 10 ? 1 : 0)} ms`;
  if (milliseconds < 60_000) return `${number(milliseconds / 1000, 1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${number(Math.floor(seconds / 60), 0)} min ${seconds % 60} s`;
};

/** A count, shortened from a thousand on. */
export const count = (value: number, { language }: Locale): string =>
  value.toLocaleString(language, value < 1000 ? {} : { notation: "compact", maximumFractionDigits: 1 });

/** An amount in US dollars, with as many digits as small amounts need. The decimal string is only shown, never summed. */
export const money = (amount: string, { language }: Locale): string => {
  const value = Number(amount);
  const digits = value === 0 ? 2 : value < 0.01 ? 5 : value < 1 ? 4 : 2;
  return value.toLocaleString(language, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: Math.min(digits, 2),
    maximumFractionDigits: digits,
  });
};

/** The sum of decimal strings, exact to twelve places. */
export const sumOfMoney = (amounts: readonly (string | null)[]): string | null => {
  const known = amounts.filter((amount) => amount !== null);
  if (known.length === 0) return null;
  const total = known.reduce((sum, amount) => sum + Math.round(Number(amount) * 1e12), 0);
  return (total / 1e12).toFixed(12).replace(/\.?0+$/, "");
};

const zoned = (timezone: string | null): { timeZone?: string } => {
  if (timezone === null || timezone === "") return {};
  try {
    new Intl.DateTimeFormat("en", { timeZone: timezone });
    return { timeZone: timezone };
  } catch {
    return {};
  }
};

/** The time of day. */
export const clock = (timestamp: string, { language, timezone }: Locale): string =>
  new Date(timestamp).toLocaleTimeString(language, {
    hour: "2-digit",
    minute: "2-digit",
    ...zoned(timezone),
  });

/** Date and time in full. */
export const moment = (timestamp: string, { language, timezone }: Locale): string =>
  new Date(timestamp).toLocaleString(language, {
    dateStyle: "medium",
    timeStyle: "short",
    ...zoned(timezone),
  });

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** How long ago, or in how long: `3 hours ago`, `in 5 minutes`. */
export const relative = (timestamp: string, now: number, { language }: Locale): string => {
  const difference = new Date(timestamp).getTime() - now;
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const [unit, size] = UNITS.find(([, length]) => Math.abs(difference) >= length) ?? ["second", 1000];
  return format.format(Math.round(difference / size), unit);
};

/** A moment in the past, as short as a list wants it: `5 min`, `3 h`, then the day. Null while it is now. */
export const shortAgo = (timestamp: string, now: number, { language, timezone }: Locale): string | null => {
  const minutes = Math.floor((now - new Date(timestamp).getTime()) / 60_000);
  if (minutes < 1) return null;
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  return new Date(timestamp).toLocaleDateString(language, {
    day: "numeric",
    month: "short",
    ...zoned(timezone),
  });
};
