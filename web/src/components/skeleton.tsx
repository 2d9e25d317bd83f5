/** The place of something that is being loaded. */

import clsx from "clsx";

export const Skeleton = ({ className }: { readonly className?: string }) => (
  <div aria-hidden="true" className={clsx("bg-hover animate-shimmer rounded-lg", className)} />
);
