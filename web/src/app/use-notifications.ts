/** Tells a person who looks elsewhere when a turn ends or waits for them, if they want it. */

import { useEffect } from "react";

import { useText } from "../lib/i18n";
import { notify } from "../lib/notifications";
import { plainText } from "../lib/words";
import { useAccount } from "../transport/account";
import type { SessionSummary } from "../transport/api-types";
import { newsOf } from "../transport/news";
import { useSessionList } from "../transport/session-list";
import { listen } from "../transport/socket";

export const useNotifications = (open: (id: string) => void): void => {
  const t = useText();
  const isWanted = useAccount((state) => state.me?.settings.notifications ?? false);
  useEffect(() => {
    if (!isWanted) return;
    const known = new Map(useSessionList.getState().items.map((item) => [item.session_id, item]));
    return listen("session:changed", (summary: SessionSummary) => {
      const { session_id, title, preview } = summary;
      const news = newsOf(known.get(session_id), summary);
      known.set(session_id, summary);
      if (news === null) return;
      notify({
        title: title ?? t.sessions.untitled,
        body:
          news === "approval" ? t.notifications.approval : plainText(preview ?? "") || t.notifications.ended,
        subject: session_id,
        onClick: () => open(session_id),
      });
    });
  }, [isWanted, open, t]);
};
