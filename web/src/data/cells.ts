/** Values of a table as people read, compare and add them. Pure; decimals stay text and are added exactly. */

import type { Column, DatasetItem } from "../events";
import type { Locale } from "../lib/format";

export type Cell = DatasetItem["first_rows"][number][number];
export type Row = readonly Cell[];

export const isNumeric = (column: Column): boolean =>
  column.type === "integer" || column.type === "decimal" || column.type === "float";

export const titleOf = (column: Column): string => column.label || column.name.replaceAll("_", " ");

/** What a table head shows: the title, and what its figures are measured in. */
export const headOf = (column: Column): string => {
  const measuredIn = column.currency ?? column.unit;
  return measuredIn === null ? titleOf(column) : `${titleOf(column)} (${measuredIn})`;
};

/** A value as a cell shows it. */
export const cellText = (value: Cell, column: Column, { language }: Locale): string => {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "✓" : "–";
  if (isNumeric(column)) return numberText(value, column, language);
  if (column.type === "date") return dayText(String(value), language);
  if (column.type === "datetime") return momentText(String(value), language);
  return String(value);
};

const numberText = (value: string | number, column: Column, language: string): string => {
  const digits = column.type === "integer" ? 0 : 2;
  return Number(value).toLocaleString(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: column.type === "integer" ? 0 : 6,
    useGrouping: true,
  });
};

const dayText = (value: string, language: string): string =>
  new Date(`${value}T00:00:00Z`).toLocaleDateString(language, { timeZone: "UTC", dateStyle: "medium" });

const momentText = (value: string, language: string): string =>
  new Date(value).toLocaleString(language, { timeZone: "UTC", dateStyle: "medium", timeStyle: "short" });

/** A total as a cell shows it; nothing where there is none. */
export const totalText = (total: Cell | undefined, column: Column, locale: Locale): string =>
  total === undefined || total === null ? "" : cellText(total, column, locale);

/** How two values of a column stand to each other; what is missing comes last. */
export const comparing = (column: Column, language: string): ((first: Cell, second: Cell) => number) => {
  const collator = new Intl.Collator(language, { numeric: true });
  return (first, second) => {
    if (first === null || second === null) return first === second ? 0 : first === null ? 1 : -1;
    if (isNumeric(column)) return Number(first) - Number(second);
    return column.type === "text" ? collator.compare(String(first), String(second)) : ordinal(first, second);
  };
};

const ordinal = (first: Cell, second: Cell): number => {
  const [one, other] = [String(first), String(second)];
  return one < other ? -1 : one > other ? 1 : 0;
};

/** The rows in the order of one column, or as they came. */
export const sorted = (
  rows: readonly number[],
  all: readonly Row[],
  place: number,
  column: Column,
  isDescending: boolean,
  language: string,
): readonly number[] => {
  const compare = comparing(column, language);
  const value = (number: number): Cell => all[number]?.[place] ?? null;
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((first, second) => {
    const [one, other] = [value(first), value(second)];
    return one === null || other === null ? compare(one, other) : sign * compare(one, other);
  });
};

const folded = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/\p{Diacritic}/gu, "")
    .toLocaleLowerCase();

/** The numbers of the rows that hold some words, in any column and whatever the accents. */
export const filtered = (rows: readonly Row[], words: string): readonly number[] => {
  const wanted = folded(words).split(/\s+/).filter(Boolean);
  const numbers = rows.map((_, number) => number);
  if (wanted.length === 0) return numbers;
  return numbers.filter((number) => {
    const text = folded((rows[number] ?? []).join(" "));
    return wanted.every((word) => text.includes(word));
  });
};

/** The sum of decimals, exact: they are added as whole numbers of the smallest unit. */
export const exactSum = (values: readonly Cell[]): string | null => {
  const known = values.filter((value) => value !== null).map(String);
  if (known.length === 0 || known.some((value) => !/^-?\d+(\.\d+)?$/.test(value))) return null;
  const places = Math.max(...known.map((value) => value.split(".")[1]?.length ?? 0));
  const total = known.reduce((sum, value) => {
    const [whole = "0", part = ""] = value.split(".");
    return sum + BigInt(`${whole}${part.padEnd(places, "0")}`);
  }, 0n);
  if (places === 0) return String(total);
  const digits = String(total < 0n ? -total : total).padStart(places + 1, "0");
  return `${total < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
};

/** A table as text that spreadsheets take from the clipboard. */
export const asTabs = (columns: readonly Column[], rows: readonly Row[]): string =>
  [columns.map(headOf), ...rows.map((row) => row.map((value) => String(value ?? "")))]
    .map((line) => line.map((text) => text.replace(/[\t\n\r]/g, " ")).join("\t"))
    .join("\n");
