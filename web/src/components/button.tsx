/** Buttons: one look for each weight of an action. */

import clsx from "clsx";
import type { ButtonHTMLAttributes, Ref } from "react";

import { Spinner } from "./spinner";

const LOOKS = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong shadow-card",
  secondary: "bg-raised text-ink border border-line hover:bg-hover shadow-card",
  quiet: "text-muted hover:bg-hover hover:text-ink",
  danger: "bg-danger text-canvas hover:opacity-90 shadow-card",
} as const;

const SIZES = {
  small: "h-8 px-3 text-[0.8125rem] gap-1.5 rounded-lg",
  medium: "h-9 px-3.5 text-sm gap-2 rounded-[0.625rem]",
  large: "h-11 px-5 text-[0.9375rem] gap-2.5 rounded-xl",
} as const;

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof LOOKS;
  readonly size?: keyof typeof SIZES;
  readonly isBusy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export const Button = ({
  look = "secondary",
  size = "medium",
  isBusy = false,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) => (
  <button
    type="button"
    disabled={disabled === true || isBusy}
    aria-busy={isBusy || undefined}
    className={clsx(
      "inline-flex shrink-0 items-center justify-center font-medium whitespace-nowrap transition-colors select-none disabled:opacity-50",
      LOOKS[look],
      SIZES[size],
      className,
    )}
    {...rest}
  >
    {isBusy && <Spinner />}
    {children}
  </button>
);
