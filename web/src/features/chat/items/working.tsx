/** Something is going on that has no words yet, or waits for its turn. */

import { Clock3 } from "lucide-react";

import { useText } from "../../../lib/i18n";

export const Working = ({ isQueued }: { readonly isQueued: boolean }) => {
  const t = useText();
  if (isQueued) {
    return (
      <p className="text-faint flex items-center justify-end gap-1.5 pb-3 text-xs">
        <Clock3 className="size-3.5" /> {t.chat.queued}
      </p>
    );
  }
  return (
    <p className="text-muted flex items-center gap-2.5 py-2.5 text-[0.8125rem]">
      <span className="flex gap-1" aria-hidden="true">
        <span className="bg-accent animate-breathe size-1.5 rounded-full" />
        <span className="bg-accent animate-breathe size-1.5 rounded-full [animation-delay:200ms]" />
        <span className="bg-accent animate-breathe size-1.5 rounded-full [animation-delay:400ms]" />
      </span>
      {t.chat.working}
    </p>
  );
};
