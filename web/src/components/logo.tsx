/** The mark: a beat, drawn with a baton. */

import clsx from "clsx";

export const Logo = ({ className }: { readonly className?: string }) => (
  <svg viewBox="0 0 32 32" aria-hidden="true" className={clsx("shrink-0", className)}>
    <rect width="32" height="32" rx="9" fill="#0f5f6b" />
    <path
      d="M7.5 21.5c3.2-9.6 6.4-9.6 8.500-2.600s5.600 5.400 8.500-8.400"
      fill="none"
      stroke="#fff"
      strokeWidth="2.600"
      strokeLinecap="round"
    />
    <circle cx="24.600" cy="9.400" r="2.500" fill="#f2b84b" />
  </svg>
);
