/** A state as a dot; the word for it is read aloud. */

import clsx from "clsx";

import type { Tone } from "./pill";

const TONES: Readonly<Record<Tone, string>> = {
  neutral: "bg-line-strong",
  accent: "bg-accent",
  ok: "bg-ok",
  warn: "bg-warn",
  danger: "bg-danger",
};

export interface StatusDotProps {
  readonly tone: Tone;
  readonly label: string;
  readonly isLive?: boolean;
}

export const StatusDot = ({ tone, label, isLive = false }: StatusDotProps) => (
  <span className="inline-grid size-2 shrink-0" title={label}>
    <span className={clsx("size-2 rounded-full", TONES[tone], isLive && "animate-breathe")} />
    <span className="sr-only">{label}</span>
  </span>
);
