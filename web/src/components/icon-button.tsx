/** A button that shows only an icon: its name is read aloud and shown on hover and focus. */

import clsx from "clsx";
import type { ButtonHTMLAttributes, Ref } from "react";

import { Tooltip } from "./tooltip";

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string;
  readonly size?: "small" | "medium";
  readonly hint?: string | undefined;
  readonly ref?: Ref<HTMLButtonElement>;
}

export const IconButton = ({
  label,
  size = "medium",
  hint,
  className,
  children,
  ...rest
}: IconButtonProps) => (
  <Tooltip label={label} hint={hint}>
    <button
      type="button"
      aria-label={label}
      className={clsx(
        "text-muted hover:bg-hover hover:text-ink inline-grid shrink-0 place-items-center rounded-lg transition-colors disabled:opacity-40",
        "aria-pressed:text-accent aria-pressed:bg-accent-soft",
        size === "small" ? "size-7" : "size-9",
        className,
      )}
      {...rest}
    >
      {children}
    </button>
  </Tooltip>
);
