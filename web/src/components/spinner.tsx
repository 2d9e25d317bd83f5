/** Something is under way. */

import clsx from "clsx";

export const Spinner = ({ className }: { readonly className?: string }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true" className={clsx("size-4 shrink-0 animate-spin", className)}>
    <circle
      cx="8"
      cy="8"
      r="6.25"
      fill="none"
      stroke="currentColor"
      strokeOpacity="0.25"
      strokeWidth="1.75"
    />
    <path
      d="M14.25 8A6.25 6.25 0 0 0 8 1.75"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
    />
  </svg>
);
