/** A menu of actions behind a button. What lies around it stays in reach: it is no dialog. */

import clsx from "clsx";
import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";

export interface MenuProps {
  readonly trigger: ReactNode;
  readonly align?: "start" | "end";
  readonly side?: "top" | "bottom";
  readonly label?: string | undefined;
  readonly className?: string;
  readonly children: ReactNode;
}

export const Menu = ({ trigger, align = "end", side = "bottom", label, className, children }: MenuProps) => (
  <Radix.Root modal={false}>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content
        align={align}
        side={side}
        sideOffset={6}
        collisionPadding={8}
        className={clsx(
          "bg-raised border-line shadow-float animate-pop z-50 max-h-[70dvh] min-w-44 overflow-y-auto rounded-xl border p-1",
          className,
        )}
      >
        {label !== undefined && (
          <Radix.Label className="text-faint px-2.5 pt-1.5 pb-1 text-xs font-medium">{label}</Radix.Label>
        )}
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

const ITEM =
  "flex w-full cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none select-none data-[highlighted]:bg-hover";

export interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly isDanger?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export const MenuItem = ({ icon, isDanger = false, onSelect, children }: MenuItemProps) => (
  <Radix.Item onSelect={onSelect} className={clsx(ITEM, isDanger && "text-danger")}>
    {icon}
    {children}
  </Radix.Item>
);

export const MenuLink = ({
  icon,
  href,
  children,
}: {
  icon?: ReactNode;
  href: string;
  children: ReactNode;
}) => (
  <Radix.Item asChild className={ITEM}>
    <a href={href} download="">
      {icon}
      {children}
    </a>
  </Radix.Item>
);

export const MenuSeparator = () => <Radix.Separator className="bg-line mx-2 my-1 h-px" />;

export interface MenuChoiceProps<Value extends string> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly { readonly value: Value; readonly content: ReactNode }[];
}

/** One of several, with the chosen one marked. */
export const MenuChoice = <Value extends string>({ value, onChange, options }: MenuChoiceProps<Value>) => (
  <Radix.RadioGroup value={value} onValueChange={(next) => onChange(next as Value)}>
    {options.map((option) => (
      <Radix.RadioItem key={option.value} value={option.value} className={clsx(ITEM, "pr-8")}>
        {option.content}
        <Radix.ItemIndicator className="text-accent absolute right-3">
          <Check className="size-4" />
        </Radix.ItemIndicator>
      </Radix.RadioItem>
    ))}
  </Radix.RadioGroup>
);
