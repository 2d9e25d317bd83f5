/** Something is going on that has no words yet, or waits for its turn. */

import { Clock3, GanttChart, Undo2 } from "lucide-react";

import { IconButton } from "../../../components/icon-button";
import type { TurnView } from "../../../events";
import { useText } from "../../../lib/i18n";
import { useChat } from "../context";

export const Working = ({ turn }: { readonly turn: TurnView }) => {
  const t = useText();
  const { openTimeline, withdraw } = useChat();
  if (turn.status === "queued") {
    return (
      <p className="text-faint flex items-center justify-end gap-1.5 pb-3 text-xs">
        <Clock3 className="size-3.5" /> {t.chat.queued}
        <IconButton label={t.chat.withdraw} size="small" onClick={() => withdraw(turn.turn_id ?? "")}>
          <Undo2 className="size-3.5" />
        </IconButton>
      </p>
    );
  }
  return (
    <div className="text-muted flex items-center gap-2.5 py-1.5 text-[0.8125rem]">
      <span className="flex gap-1" aria-hidden="true">
        <span className="bg-accent animate-breathe size-1.5 rounded-full" />
        <span className="bg-accent animate-breathe size-1.5 rounded-full [animation-delay:200ms]" />
        <span className="bg-accent animate-breathe size-1.5 rounded-full [animation-delay:400ms]" />
      </span>
      {t.chat.working}
      <IconButton label={t.timeline.openLive} size="small" onClick={() => openTimeline(turn.turn_id ?? "")}>
        <GanttChart className="size-3.5" />
      </IconButton>
    </div>
  );
};
