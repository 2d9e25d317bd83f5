/** Any value as text: JSON laid out, text as it is. Never as markup. */

import clsx from "clsx";

/** A value laid out for reading; text that holds JSON is laid out too. */
export const laidOut = (value: unknown): string => {
  if (typeof value !== "string") return JSON.stringify(value, null, 2) ?? "";
  if (!/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
};

export const ValueView = ({ value, className }: { readonly value: unknown; readonly className?: string }) => (
  <pre
    tabIndex={0}
    className={clsx(
      "bg-sunken border-line max-h-72 overflow-auto rounded-lg border px-3 py-2 font-mono text-xs leading-5 break-words whitespace-pre-wrap",
      className,
    )}
  >
    {laidOut(value)}
  </pre>
);
