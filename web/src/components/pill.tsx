/** A short fact in a capsule. */

import clsx from "clsx";
import type { HTMLAttributes, ReactNode, Ref } from "react";

const TONES = {
  neutral: "bg-sunken text-muted border-line",
  accent: "bg-accent-soft text-accent border-transparent",
  ok: "bg-ok-soft text-ok border-transparent",
  warn: "bg-warn-soft text-warn border-transparent",
  danger: "bg-danger-soft text-danger border-transparent",
} as const;

export type Tone = keyof typeof TONES;

export interface PillProps extends HTMLAttributes<HTMLSpanElement> {
  readonly tone?: Tone;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLSpanElement>;
}

export const Pill = ({ tone = "neutral", className, children, ...rest }: PillProps) => (
  <span
    className={clsx(
      "inline-flex h-5.5 shrink-0 items-center gap-1 rounded-full border px-2 text-xs font-medium whitespace-nowrap",
      TONES[tone],
      className,
    )}
    {...rest}
  >
    {children}
  </span>
);
