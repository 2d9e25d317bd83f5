/** How long an approval still stands open. */

import { Clock3 } from "lucide-react";

import { relative } from "../../../lib/format";
import { useLocale, useText } from "../../../lib/i18n";
import { useNow } from "../../../lib/use-now";

export const Expiry = ({ at }: { readonly at: string }) => {
  const t = useText();
  const locale = useLocale();
  const now = useNow(15_000);
  const isOver = new Date(at).getTime() <= now;
  return (
    <span className="text-muted inline-flex items-center gap-1 text-xs tabular-nums">
      <Clock3 aria-hidden="true" className="size-3.5" />
      <time dateTime={at}>
        {isOver ? t.approval.expiresNow : t.approval.expires(relative(at, now, locale))}
      </time>
    </span>
  );
};
