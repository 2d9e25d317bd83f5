/** One of a few, all in view. */

import { RadioGroup as Radix } from "radix-ui";
import type { ReactNode } from "react";

export interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly icon?: ReactNode }[];
}

export const Segmented = <Value extends string>({
  label,
  value,
  onChange,
  options,
}: SegmentedProps<Value>) => (
  <Radix.Root
    aria-label={label}
    value={value}
    onValueChange={(next) => onChange(next as Value)}
    className="bg-sunken border-line inline-flex gap-0.5 rounded-xl border p-0.5"
  >
    {options.map((option) => (
      <Radix.Item
        key={option.value}
        value={option.value}
        className="text-muted hover:text-ink data-[state=checked]:bg-raised data-[state=checked]:text-ink data-[state=checked]:shadow-card inline-flex h-8 items-center gap-1.5 rounded-[0.625rem] px-3 text-[0.8125rem] font-medium transition-colors"
      >
        {option.icon}
        {option.label}
      </Radix.Item>
    ))}
  </Radix.Root>
);
