/** How an agent shows itself: its icon on its colour. */

import clsx from "clsx";
import {
  BookOpen,
  Calculator,
  CalendarDays,
  ChartColumn,
  ChartLine,
  type LucideIcon,
  Music,
  Target,
} from "lucide-react";
import type { CSSProperties } from "react";

import { safeColor } from "../lib/safe";

export interface AgentAvatarProps {
  readonly name: string;
  readonly icon: string | null;
  readonly color: string | null;
  readonly size?: "small" | "medium" | "large";
}

/** Icons of the ready-made agents are drawn: not every machine has a font with emoji. */
const DRAWN: ReadonlyMap<string, LucideIcon> = new Map([
  ["🎼", Music],
  ["🎯", Target],
  ["📅", CalendarDays],
  ["📈", ChartLine],
  ["📊", ChartColumn],
  ["📚", BookOpen],
  ["🧮", Calculator],
]);

const SIZES = {
  small: "size-5 rounded-md text-[0.6875rem]",
  medium: "size-7 rounded-lg text-sm",
  large: "size-10 rounded-xl text-lg",
} as const;

export const AgentAvatar = ({ name, icon, color, size = "medium" }: AgentAvatarProps) => {
  const Drawing = DRAWN.get(icon ?? "");
  return (
    <span
      aria-hidden="true"
      style={{ "--agent": safeColor(color) ?? "var(--color-accent)" } as CSSProperties}
      className={clsx(
        "tint-agent inline-grid shrink-0 place-items-center leading-none font-semibold",
        SIZES[size],
      )}
    >
      {Drawing ? <Drawing className="size-[1.25em]" /> : icon || name.slice(0, 1).toUpperCase()}
    </span>
  );
};
