/** A line that opens to show more. */

import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { Collapsible as Radix } from "radix-ui";
import { type ReactNode, useState } from "react";

export interface DisclosureProps {
  readonly summary: ReactNode;
  readonly children: ReactNode;
  readonly isOpenAtFirst?: boolean;
  readonly className?: string;
  readonly summaryClassName?: string;
}

export const Disclosure = ({
  summary,
  children,
  isOpenAtFirst = false,
  className,
  summaryClassName,
}: DisclosureProps) => {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  return (
    <Radix.Root open={isOpen} onOpenChange={setIsOpen} className={className}>
      <Radix.Trigger
        className={clsx("group flex w-full min-w-0 items-center gap-2 text-left", summaryClassName)}
      >
        <ChevronRight
          aria-hidden="true"
          className="text-faint size-3.5 shrink-0 transition-transform group-data-[state=open]:rotate-90"
        />
        {summary}
      </Radix.Trigger>
      <Radix.Content>{isOpen && children}</Radix.Content>
    </Radix.Root>
  );
};
