/** On or off. */

import { Switch as Radix } from "radix-ui";
import { type ReactNode, useId } from "react";

export interface SwitchProps {
  readonly label: ReactNode;
  readonly hint?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export const Switch = ({ label, hint, isOn, onChange }: SwitchProps) => {
  const id = useId();
  return (
    <div className="flex items-center justify-between gap-4">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {hint !== undefined && <span className="text-muted block text-xs font-normal">{hint}</span>}
      </label>
      <Radix.Root
        id={id}
        checked={isOn}
        onCheckedChange={onChange}
        className="bg-line-strong data-[state=checked]:bg-accent relative h-6 w-10 shrink-0 rounded-full transition-colors"
      >
        <Radix.Thumb className="block size-4.5 translate-x-[3px] rounded-full bg-white shadow transition-transform data-[state=checked]:translate-x-[19px]" />
      </Radix.Root>
    </div>
  );
};
