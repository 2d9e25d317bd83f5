/** Values of a table as people read, compare and add them. Pure; decimals stay text and are added exactly. */

import type { Column, DatasetItem } from "../events";
import { isoDay } from "../lib/days";
import type { Locale } from "../lib/format";

export type Cell = DatasetItem["first_rows"][number][number];
export type Row = readonly Cell[];

export const isNumeric = (column: Column): boolean =>
  column.type === "integer" || column.type === "decimal" || column.type === "float";

export const titleOf = (column: Column): string => column.label || column.name.replaceAll("_", " ");

const SIGNS: Readonly<Record<string, string>> = { EUR: "€", USD: "$", GBP: "£" };

/** What a table head shows: the title, and what its figures are measured in unless the title says it. */
export const headOf = (column: Column): string => {
  const measuredIn = column.currency ?? column.unit;
  const title = titleOf(column);
  if (measuredIn === null || title.includes(measuredIn)) return title;
  const sign = SIGNS[measuredIn];
  return sign !== undefined && title.includes(sign) ? title : `${title} (${measuredIn})`;
};

/** A value as a cell shows it. */
export const cellText = (value: Cell, column: Column, locale: Locale): string => {
  const { language } = locale;
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "✓" : "–";
  if (isNumeric(column)) return numberText(value, column, language);
  if (column.type === "date") return isoDay(String(value), locale);
  if (column.type === "datetime") return momentText(String(value), language);
  if (column.name === "month" && MONTH.test(String(value))) return monthText(String(value), language);
  return String(value);
};

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

const monthText = (value: string, language: string): string =>
  new Date(`${value}-01T00:00:00Z`).toLocaleDateString(language, {
    timeZone: "UTC",
    month: "short",
    year: "numeric",
  });

const numberText = (value: string | number, column: Column, language: string): string => {
  const digits = column.type === "integer" ? 0 : column.unit === "%" ? 1 : 2;
  return Number(value).toLocaleString(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: column.type === "integer" ? 0 : 6,
    useGrouping: true,
  });
};

const momentText = (value: string, language: string): string =>
  new Date(value).toLocaleString(language, { timeZone: "UTC", dateStyle: "medium", timeStyle: "short" });

/** A total as a cell shows it; nothing where there is none. */
export const totalText = (total: Cell | undefined, column: Column, locale: Locale): string =>
  total === undefined || total === null ? "" : cellText(total, column, locale);

/** How two rows stand to each other by one column; what is missing comes last. Values are read once, not at every look. */
export const comparing = (
  all: readonly Row[],
  place: number,
  column: Column,
  isDescending: boolean,
  language: string,
): ((first: number, second: number) => number) => {
  const values = all.map((row) => row[place] ?? null);
  const sign = isDescending ? -1 : 1;
  const compare = comparingValues(values, column, language);
  return (first, second) => {
    const [isFirstMissing, isSecondMissing] = [values[first] === null, values[second] === null];
    if (isFirstMissing || isSecondMissing) return Number(isFirstMissing) - Number(isSecondMissing);
    return sign * compare(first, second);
  };
};

const comparingValues = (values: readonly Cell[], column: Column, language: string) => {
  if (isNumeric(column)) {
    const numbers = Float64Array.from(values, Number);
    return (first: number, second: number): number => (numbers[first] ?? 0) - (numbers[second] ?? 0);
  }
  const texts = values.map(String);
  if (column.type !== "text")
    return (first: number, second: number): number => ordinal(texts[first] ?? "", texts[second] ?? "");
  const collator = new Intl.Collator(language, { numeric: true });
  return (first: number, second: number): number => collator.compare(texts[first] ?? "", texts[second] ?? "");
};

const ordinal = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

const folded = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize("NFD")
        .replace(/\p{Diacritic}/gu, "")
        .toLocaleLowerCase();

/** A row as it is searched: its values without accents, in lower case. */
export const searchText = (row: Row): string => folded(row.join(" "));

/** The numbers of the rows that hold some words, in any column and whatever the accents. */
export const filtered = (texts: readonly string[], words: string): readonly number[] => {
  const wanted = folded(words).split(/\s+/).filter(Boolean);
  const found: number[] = [];
  for (const [number, text] of texts.entries())
    if (wanted.every((word) => text.includes(word))) found.push(number);
  return found;
};

/** The sum of decimals, exact: they are added as whole numbers of the smallest unit. */
export const exactSum = (values: readonly Cell[]): string | null => {
  const known = values.filter((value) => value !== null).map(String);
  if (known.length === 0 || known.some((value) => !/^-?\d+(\.\d+)?$/.test(value))) return null;
  const places = known.reduce((most, value) => Math.max(most, value.split(".")[1]?.length ?? 0), 0);
  let total = 0n;
  let small = 0; // numbers are added much faster, as long as they are exact
  for (const value of known) {
    const [whole = "0", part = ""] = value.split(".");
    const digits = whole + part.padEnd(places, "0");
    const sum = small + Number(digits);
    if (digits.length < 15 && Number.isSafeInteger(sum)) small = sum;
    else total += BigInt(digits);
  }
  total += BigInt(small);
  if (places === 0) return String(total);
  const digits = String(total < 0n ? -total : total).padStart(places + 1, "0");
  return `${total < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
};

/** A table as text that spreadsheets take from the clipboard. */
export const asTabs = (columns: readonly Column[], rows: readonly Row[]): string =>
  [columns.map(headOf), ...rows.map((row) => row.map((value) => String(value ?? "")))]
    .map((line) => line.map((text) => text.replace(/[\t\n\r]/g, " ")).join("\t"))
    .join("\n");
