/** Sizes of files. */

import type { Locale } from "./format";

const SIZES = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** A size that is read at a glance: `1.2 MB`. */
export const bytes = (size: number, { language }: Locale): string => {
  const power = size < 1_000 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log10(size) / 3));
  const unit = SIZES[power] ?? "byte";
  const style = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, style).format(size / 1_000 ** power);
};
